// SPDX-License-Identifier: Apache-2.0
//
// The versions of one item: found by number or identifier, and listed.

import FileCoordination
import Foundation

/// What is kept of an item.
struct KeptVersions {
    /// The item.
    let url: URL

    /// The versions of the item at `url`.
    init(of url: URL) { self.url = url }

    /// The item's own versions, and after them the orphans of its place, numbered as they come.
    private var all: [Entry] {
        (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map { Entry(version: $0) }
            + NSFileVersion.orphanedVersionsOfItem(at: url).map {
                Entry(version: $0, isOrphan: true)
            }
    }

    /// A version that is listed.
    private struct Entry {
        var version: NSFileVersion
        /// Whether it is of an item that was here and is gone.
        var isOrphan = false
    }

    // MARK: Finding

    /// Fails if there is no item.
    ///
    /// - Parameter orOrphans: whether versions of one that is gone will do.
    func requireItem(orOrphans: Bool = false) throws(Failure) {
        guard NSFileVersion.currentVersionOfItem(at: url) == nil else { return }
        if orOrphans, !NSFileVersion.orphanedVersionsOfItem(at: url).isEmpty { return }
        throw Failure(errorNumber: ENOENT, doing: "use", path: url.nativePath)
    }

    /// The identifier of the version that `text`, a number or an identifier, means now.
    static func identifier(of text: String, ofItemAt path: String) throws(Failure) -> String {
        let versions = KeptVersions(of: try UserPath.url(path))
        try versions.requireItem(orOrphans: true)
        let all = versions.all.map(\.version)
        // A number that is no index is looked for as an identifier, and not found.
        if let number = Int(text), all.indices.contains(number - 1) {
            return all[number - 1].persistentText
        }
        return try versions.version(text).persistentText
    }

    /// The version with this identifier.
    func version(_ identifier: String) throws(Failure) -> NSFileVersion {
        let all = all.map(\.version)
        guard let version = all.first(where: { $0.persistentText == identifier }) else {
            throw Failure(
                .badPath,
                "there is no version \(identifier) of \(url.nativePath): see \"filecoord versions "
                    + "list\"")
        }
        return version
    }

    /// The unresolved conflicts, or the one with this identifier.
    func conflicts(_ identifier: String?) throws(Failure) -> [NSFileVersion] {
        guard let identifier else {
            return NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        }
        let version = try version(identifier)
        guard version.isConflict else {
            throw Failure(
                .badPath, "version \(identifier) of \(url.nativePath) is no conflict to resolve")
        }
        return [version]
    }

    // MARK: Listing

    /// One object a line.
    var jsonLines: [String] {
        Self.jsonLines(of: all)
    }

    /// The same for all orphans of the store, with the path of each one's item.
    static var jsonLinesOfOrphans: [String] { jsonLines(of: allOrphans) }

    private static var allOrphans: [Entry] {
        NSFileVersion.orphanedVersions().map { Entry(version: $0, isOrphan: true) }
    }

    private static func jsonLines(of entries: [Entry]) -> [String] {
        entries.enumerated().map { index, entry in
            let version = entry.version
            return JSONText.object([
                ("number", .number(index + 1)),
                ("date", text(version.modificationDate.map { WallClock.timestamp(of: $0.moment) })),
                ("name", text(name(of: version))),
                ("computer", text(version.localizedNameOfSavingComputer)),
                ("conflict", .truth(version.isConflict)), ("resolved", .truth(version.isResolved)),
                ("orphan", .truth(entry.isOrphan)),
                ("path", .path(version.itemURL.nativePath.bytes)),
                ("identifier", .text(version.persistentText)),
                ("contents", .path(version.url.nativePath.bytes)),
            ]).description
        }
    }

    /// Names that are not UTF-8 are none to Foundation.
    private static func name(of version: NSFileVersion) -> String? {
        guard version.localizedName == "" else { return version.localizedName }
        return PeopleText.text(version.itemURL.nativePath.name)
    }

    private static func text(_ text: String?) -> JSONText { text.map { .text($0) } ?? .null }

    /// A table, or a sentence if it would be empty.
    var tableLines: [String] {
        let rows = Self.rows(of: all)
        return rows.isEmpty
            ? ["No versions of \(url.nativePath) are kept."] : Self.table(of: rows)
    }

    /// The same for all orphans of the store, with the path of each one's item.
    static var tableLinesOfOrphans: [String] {
        let orphans = allOrphans
        guard !orphans.isEmpty else { return ["There are no orphans."] }
        // The number is one of the store's list, and means nothing beside a path.
        return table(
            of: zip(rows(of: orphans), orphans).map { row, entry in
                ["-"] + row.dropFirst() + ["\(entry.version.itemURL.nativePath)"]
            })
    }

    /// How to bring back what is listed as an orphan; nil if nothing is.
    var advice: String? {
        guard all.contains(where: \.isOrphan) else { return nil }
        return "an \"orphan\" is a version of a file that was here and is gone; \"filecoord "
            + "versions restore\" with its number or identifier brings the file back"
    }

    private static func rows(of entries: [Entry]) -> [[String]] {
        entries.enumerated().map { index, entry in
            let version = entry.version
            return [
                "\(index + 1)",
                version.modificationDate.map { WallClock.dateAndTime(of: $0.moment) } ?? "-",
                PeopleText.line(name(of: version) ?? "-"),
                PeopleText.line(version.localizedNameOfSavingComputer ?? "-"),
                mark(entry), version.persistentText,
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
                // Numbers end, and words begin, below each other.
                return column == 0 ? space + cell.0 : cell.0 + space
            }
            return cells.joined(separator: "  ")
        }
    }

    private static func mark(_ entry: Entry) -> String {
        if entry.isOrphan { return "orphan" }
        let version = entry.version
        guard version.isConflict else { return "-" }
        return version.isResolved ? "resolved" : "conflict"
    }
}

extension Date {
    /// The same as the kernel has it.
    fileprivate var moment: timespec {
        let microseconds = Int((timeIntervalSince1970 * 1_000_000).rounded())
        let seconds = Int((Double(microseconds) / 1_000_000).rounded(.down))
        return timespec(
            tv_sec: seconds, tv_nsec: (microseconds - seconds * 1_000_000) * 1000)
    }
}
