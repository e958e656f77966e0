// SPDX-License-Identifier: Apache-2.0
//
// Copies a tree that other programs use, in one consistent state.
//
//     backup TREE SHELF        makes SHELF/2026-11-24T220105.123Z, a copy of TREE
//
// What is special in it:
//
// - One read claim with `.includingContents` covers the whole tree. Editors of everything inside
//   save first, and no coordinating program changes anything until the copy is made.
// - The same claim writes the shelf, so that two backups never use it at the same time.
// - A backup gets its name when it is whole. What a killed run has left has another name, and the
//   next run removes it.

import FileCoordination

@main
enum Backup {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map {
            URL(fileURLWithPath: $0, isDirectory: true).resolvingSymlinksInPath()
        }
        guard arguments.count == 2 else { fail("usage: backup TREE SHELF", status: 64) }
        do {
            let copy = try backUp(arguments[0], onto: arguments[1])
            print(copy.path)
        } catch {
            fail("backup: \(error.localizedDescription)", status: 1)
        }
    }

    /// Copies the tree, and returns the URL of the new backup.
    private static func backUp(_ tree: URL, onto shelf: URL) throws -> URL {
        if shelf.isInside(tree) { throw ShelfInside() }
        try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)

        let coordinator = NSFileCoordinator()
        // What `filecoord status` calls it, and the errors of programs that wait for it.
        coordinator.label = "backup of \(tree.lastPathComponent)"
        return try coordinator.coordinate(
            readingItemAt: tree, options: .includingContents,
            writingItemAt: shelf, options: [], timeout: .seconds(600)
        ) { tree, shelf in
            for name in try FileManager.default.contentsOfDirectory(atPath: shelf.path)
            where name.hasPrefix(unfinished) {
                try FileManager.default.removeItem(at: shelf.appendingPathComponent(name))
            }
            let draft = shelf.appendingPathComponent(unfinished + UUID().uuidString)
            let copy = TreeCopy(previous: try newestBackup(on: shelf))
            try copy.copyItem(at: tree, to: draft, relativePath: "")

            let whole = shelf.appendingPathComponent(name(of: .now))
            try FileManager.default.moveItem(at: draft, to: whole)
            return whole
        }
    }

    private static let unfinished = ".unfinished-"

    /// A name that sorts by date, also in other time zones.
    private static func name(of date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().timeSeparator(.omitted)
                .time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }

    private static func newestBackup(on shelf: URL) throws -> URL? {
        try FileManager.default.contentsOfDirectory(atPath: shelf.path)
            .filter { $0.first?.isNumber == true }.max()
            .map { shelf.appendingPathComponent($0, isDirectory: true) }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

/// A backup of a tree into itself would contain all earlier ones.
struct ShelfInside: LocalizedError {
    var errorDescription: String? { "The shelf for backups must not be inside the tree." }
}

extension URL {
    fileprivate func isInside(_ tree: URL) -> Bool {
        pathComponents.starts(with: tree.pathComponents)
    }
}
