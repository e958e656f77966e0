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

    private var all: [NSFileVersion] { NSFileVersion.otherVersionsOfItem(at: url) ?? [] }

    // MARK: Finding

    /// Fails if there is no item.
    func requireItem() throws(Failure) {
        guard NSFileVersion.currentVersionOfItem(at: url) == nil else { return }
        throw Failure(errorNumber: ENOENT, doing: "use", path: url.systemPath)
    }

    /// The identifier of the version that `text`, a number or an identifier, means now.
    static func identifier(of text: String, ofItemAt path: String) throws(Failure) -> String {
        let versions = KeptVersions(of: try UserPath.url(path))
        try versions.requireItem()
        let all = versions.all
        // A number that is no index is looked for as an identifier, and not found.
        if let number = Int(text), all.indices.contains(number - 1) {
            return all[number - 1].persistentText
        }
        return try versions.version(text).persistentText
    }

    /// The version with this identifier.
    func version(_ identifier: String) throws(Failure) -> NSFileVersion {
        guard let version = all.first(where: { $0.persistentText == identifier }) else {
            throw Failure(
                .badPath,
                "there is no version \(identifier) of \(url.systemPath): see \"filecoord versions "
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
                .badPath, "version \(identifier) of \(url.systemPath) is no conflict to resolve")
        }
        return [version]
    }

    // MARK: Listing

    /// One object a line.
    var jsonLines: [String] {
        all.enumerated().map { index, version in
            JSONText.object([
                ("number", .number(index + 1)),
                ("date", text(version.modificationDate.map { WallClock.timestamp(of: $0.moment) })),
                ("name", text(version.localizedName)),
                ("computer", text(version.localizedNameOfSavingComputer)),
                ("conflict", .truth(version.isConflict)), ("resolved", .truth(version.isResolved)),
                ("identifier", .text(version.persistentText)),
                ("contents", .text(version.url.systemPath)),
            ]).description
        }
    }

    private func text(_ text: String?) -> JSONText { text.map { .text($0) } ?? .null }

    /// A table, or a sentence if it would be empty.
    var tableLines: [String] {
        let rows = all.enumerated().map { index, version in
            [
                "\(index + 1)",
                version.modificationDate.map { WallClock.dateAndTime(of: $0.moment) } ?? "-",
                version.localizedName ?? "-", version.localizedNameOfSavingComputer ?? "-",
                mark(version), version.persistentText,
            ]
        }
        guard !rows.isEmpty else { return ["No versions of \(url.systemPath) are kept."] }
        let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                // Numbers end, and words begin, below each other.
                return column == 0 ? space + cell.0 : cell.0 + space
            }
            return cells.joined(separator: "  ")
        }
    }

    private func mark(_ version: NSFileVersion) -> String {
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
