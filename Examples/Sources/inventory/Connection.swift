// SPDX-License-Identifier: Apache-2.0
//
// A connection to a SQLite database, as far as this example needs it. Nothing here knows of
// coordination: SQLite's own locks keep transactions apart.

import CSQLite
import Foundation

/// A connection, which is closed when it is released.
///
/// `@unchecked`, because the compiler cannot know that SQLite has a lock in each connection.
final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Opens a database.
    init(_ url: URL, isCreating: Bool) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | (isCreating ? SQLITE_OPEN_CREATE : 0)
        let status = sqlite3_open_v2(url.path, &opened, flags, nil)
        // There is a handle with the error, too, and it is to be closed.
        guard let opened else { throw DatabaseError(text: "out of memory") }
        handle = opened
        guard status == SQLITE_OK else { throw error }
        // How long a transaction waits for that of another process.
        sqlite3_busy_timeout(handle, 30_000)
        try execute("PRAGMA journal_mode = WAL")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs a statement, and returns the first column of its rows.
    @discardableResult
    func execute(_ text: String, _ values: String...) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else {
            throw error
        }
        // The special value -1 has SQLite copy the text.
        let copies = unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        for (index, value) in values.enumerated() {
            sqlite3_bind_text(statement, Int32(index + 1), value, -1, copies)
        }
        var rows: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(sqlite3_column_text(statement, 0).map(String.init) ?? "")
            case SQLITE_DONE: return rows
            default: throw error
            }
        }
    }

    private var error: DatabaseError {
        DatabaseError(text: sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error")
    }
}

/// What SQLite says.
struct DatabaseError: LocalizedError {
    var text: String
    var errorDescription: String? { text }

    static let isClosed = DatabaseError(text: "The database is closed.")
}
