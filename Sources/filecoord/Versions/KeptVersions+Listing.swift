// SPDX-License-Identifier: Apache-2.0
//
// Lists versions as a table or as JSON.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire
import Glibc

extension KeptVersions {
    /// The versions as JSON, one object per line.
    var jsonLines: [String] {
        get throws(Failure) { Self.jsonLines(of: try all) }
    }

    /// A version that was just added, as JSON.
    func json(_ identifier: String) -> String {
        JSONValue.object([("path", .path(path.bytes)), ("identifier", .text(identifier))])
            .description
    }

    /// The versions of all orphans in the store, as JSON.
    ///
    /// Each object has the path of the orphan's item.
    static var jsonLinesOfOrphans: [String] {
        get throws(Failure) { jsonLines(of: try allOrphans) }
    }

    private static var allOrphans: [Entry] {
        get throws(Failure) {
            do throws(SystemError) {
                try store.requireReadable()
            } catch {
                throw unreadable("the versions of files that are gone", error)
            }
            return store.allOrphans().flatMap { place, versions in
                versions.map {
                    Entry(version: $0, path: NativePath(place.bytes), isOrphan: true)
                }
            }
        }
    }

    private static func jsonLines(of entries: [Entry]) -> [String] {
        entries.enumerated().map { index, entry in
            let version = entry.version
            return JSONValue.object([
                ("number", .integer(index + 1)),
                ("date", .text(WallClock.timestamp(of: moment(of: version)))),
                ("name", .text(name(of: entry))), ("computer", text(version.record.computer)),
                ("conflict", .truth(version.record.origin == .conflict)),
                ("resolved", .truth(!version.isUnresolved)),
                ("orphan", .truth(entry.isOrphan)),
                ("path", .path(entry.path.bytes)), ("identifier", .text(version.id.text)),
                ("contents", .path(version.contents)),
            ]).description
        }
    }

    /// The store records no name if the name was not valid UTF-8; then the name in the path is
    /// used.
    private static func name(of entry: Entry) -> String {
        let name = entry.version.record.name
        return name.isEmpty ? UserText.text(entry.path.name) : name
    }

    /// The time at which the version's contents were modified, rounded to microseconds.
    private static func moment(of version: StoredVersion) -> timespec {
        // Divided first: the sum could overflow. A far date is stored as the greatest number.
        let time = version.record.modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = time.remainder + 500
        let carry: Int64 = fraction < 0 ? -1 : fraction >= 1_000_000_000 ? 1 : 0
        return timespec(
            tv_sec: Int(time.quotient + carry), tv_nsec: Int(fraction - carry * 1_000_000_000))
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

    /// The table of versions, or a sentence if there are none.
    var tableLines: [String] {
        get throws(Failure) {
            let rows = Self.rows(of: try all)
            return rows.isEmpty
                ? ["No versions of \(path) are kept."] : Self.table(of: rows)
        }
    }

    /// The lines of the table of all orphans in the store, with the path of each orphan's item.
    static var tableLinesOfOrphans: [String] {
        get throws(Failure) {
            let orphans = try allOrphans
            guard !orphans.isEmpty else { return ["There are no orphans."] }
            // No number is shown, because numbers count the versions of one item.
            return table(
                of: zip(rows(of: orphans), orphans).map { row, entry in
                    ["-"] + row.dropFirst() + ["\(entry.path)"]
                })
        }
    }

    /// How to restore an orphan, or nil if none is listed.
    var advice: String? {
        get throws(Failure) {
            guard try all.contains(where: \.isOrphan) else { return nil }
            return "an \"orphan\" is a version of a file that was here and is gone; \"filecoord "
                + "versions restore\" with its number or identifier brings the file back"
        }
    }

    private static func rows(of entries: [Entry]) -> [[String]] {
        entries.enumerated().map { index, entry in
            let version = entry.version
            return [
                "\(index + 1)",
                WallClock.dateAndTime(of: moment(of: version)),
                UserText.line(name(of: entry)), UserText.line(version.record.computer ?? "-"),
                mark(entry), version.id.text,
            ]
        }
    }

    private static func table(of rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                // The column of numbers is aligned to the right, the others to the left.
                return column == 0 ? space + cell.0 : cell.0 + space
            }
            return cells.joined(separator: "  ")
        }
    }

    private static func mark(_ entry: Entry) -> String {
        if entry.isOrphan { return "orphan" }
        let version = entry.version
        guard version.record.origin == .conflict else { return "-" }
        return version.isUnresolved ? "conflict" : "resolved"
    }
}
