// SPDX-License-Identifier: Apache-2.0
//
// A database file that several programs have open. What is special in it:
//
// - SQLite's locks are for rows; coordination is for the file. So no transaction is coordinated.
// - The first opening is a coordinated write: of two programs that start at once, one makes the
//   tables, and the other one finds them.
// - Before another program reads or writes the file as a whole, the connection is closed. Then the
//   files on the disk are the whole database. Statements wait until it is open again, and follow
//   the file when it was moved.

import FileCoordination
import Synchronization

/// The database, and the presenter by which it makes way for programs that need its file.
final class SharedDatabase: NSObject, NSFilePresenter, Sendable {
    private struct State {
        var url: URL
        /// Used on the queue of the statements, and changed there or while that is suspended.
        var connection = Result<Connection, DatabaseError>.failure(.isClosed)
        /// How many programs have been made way for, and are not done.
        var absences = 0
        var isClosed = false
    }

    private let state: Mutex<State>
    /// Runs the statements; suspended while another program has the file.
    private let statements = DispatchQueue(label: "statements")
    private let serial = DispatchQueue(label: "SharedDatabase")
    let presentedItemOperationQueue = OperationQueue()

    var presentedItemURL: URL? { state.withLock { $0.url } }

    init(_ url: URL) {
        state = Mutex(State(url: url))
        super.init()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = serial
    }

    /// Opens the database, and makes it if there is none.
    func open(migrate: (Connection) throws -> Void) throws {
        let url = state.withLock { $0.url }
        try NSFileCoordinator(filePresenter: self).coordinate(
            writingItemAt: url, options: .forMerging, timeout: .seconds(30)
        ) { url in
            let opened = try Connection(url, isCreating: true)
            try migrate(opened)
            state.withLock { $0.connection = .success(opened) }
            // Inside, so that no program moves the file before it is presented.
            try NSFileCoordinator.registerFilePresenter(self)
        }
    }

    func close() {
        // In here, so that this waits while another program has the file: a presenter that is
        // removed is not told that it has the file back.
        statements.sync {
            closeConnection()
            state.withLock { $0.isClosed = true }
            NSFileCoordinator.removeFilePresenter(self)
        }
    }

    /// Runs statements, after a wait while another program has the file.
    @discardableResult
    func use<R>(_ body: (Connection) throws -> R) throws -> R {
        try statements.sync {
            try body(state.withLock { $0.connection }.get())
        }
    }

    // MARK: Making way

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        makeWay()
        writer { [self] in comeBack() }
    }

    /// For readers, too: a copy of the files that is made beside a transaction would be torn.
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        makeWay()
        reader { [self] in comeBack() }
    }

    /// Waits for the statements that run, and closes the connection.
    private func makeWay() {
        let isFirst = state.withLock { state in
            state.absences += 1
            return state.absences == 1
        }
        guard isFirst else { return statements.suspend() }
        statements.sync {
            guard !state.withLock({ $0.isClosed }) else { return }
            closeConnection()
            // In here, so that no statement comes in between.
            statements.suspend()
        }
    }

    /// Closes the connection, while no other program closes its own.
    ///
    /// Of connections that are closed at the same moment, SQLite takes none for the last one: each
    /// of them leaves the log to the others, and it stays beside the database.
    private func closeConnection() {
        let directory = presentedItemURL?.deletingLastPathComponent().path ?? "."
        let descriptor = Foundation.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Without the lock the log may stay, and the files are a whole database with it, too.
        if descriptor >= 0 { flock(descriptor, LOCK_EX) }
        state.withLock { $0.connection = .failure(.isClosed) }
        if descriptor >= 0 { Foundation.close(descriptor) }
    }

    /// Opens the file again, which may be another one by now, or gone.
    private func comeBack() {
        guard !state.withLock({ $0.isClosed }) else { return }
        let (url, isLast) = state.withLock { state in
            state.absences -= 1
            return (state.url, state.absences == 0)
        }
        if isLast {
            let opened = Self.reopen(url)
            state.withLock { $0.connection = opened }
        }
        statements.resume()
    }

    private static func reopen(_ url: URL) -> Result<Connection, DatabaseError> {
        do {
            return .success(try Connection(url, isCreating: false))
        } catch {
            return .failure(DatabaseError(text: "\(url.path): \(error.localizedDescription)"))
        }
    }

    func presentedItemDidMove(to newURL: URL) { state.withLock { $0.url = newURL } }
}
