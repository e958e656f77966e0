// SPDX-License-Identifier: Apache-2.0
//
// Appends the lines of standard input to a log that many processes write, and repeats each line on
// standard output when it is in the log, as `tee -a` does.
//
//     journal FILE [--limit BYTES] [--keep COUNT]
//
// What is special in it:
//
// - Lines are written under a write claim, whole. Programs that read the log under a claim see
//   whole lines only. What has come by now is written with one claim.
// - A writer that was killed may have left a part of a line, which it has not repeated on standard
//   output. The next writer removes it.
// - A log that has reached the limit is renamed to FILE.1, FILE.2 and so on: one rename, which
//   cannot be half done. It is not announced as a move, and a new log is there when the claim
//   ends: a program that shows the log continues with the new file at the same path.

import FileCoordination

@main
struct Journal {
    private var log = URL(fileURLWithPath: "/")
    /// The size from which on a log is renamed.
    private var limit: UInt64 = 1 << 20
    /// How many renamed logs are kept.
    private var keep = 10

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        var journal = Journal()
        guard let path = arguments.popFirst(), !path.hasPrefix("-") else { failUsage() }
        journal.log = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        while let option = arguments.popFirst() {
            guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
                failUsage()
            }
            switch option {
            case "--limit": journal.limit = UInt64(number)
            case "--keep": journal.keep = number
            default: failUsage()
            }
        }
        do {
            try journal.appendInput()
        } catch {
            fail("journal: \(error.localizedDescription)", status: 1)
        }
    }

    // MARK: Appending

    /// Appends the lines of standard input as they come.
    private func appendInput() throws {
        var pending = Data()
        while true {
            let bytes = FileHandle.standardInput.availableData
            pending += bytes
            // The last line of all may have no end.
            if bytes.isEmpty, !pending.isEmpty { pending += Data("\n".utf8) }
            if let end = pending.lastIndex(of: Self.newline) {
                let lines = pending[...end]
                try append(lines)
                try FileHandle.standardOutput.write(contentsOf: lines)
                pending = Data(pending[(end + 1)...])
            }
            if bytes.isEmpty { return }
        }
    }

    private static let newline = UInt8(ascii: "\n")

    /// Appends whole lines.
    private func append(_ lines: Data) throws {
        // Merging: they come behind what is there, and what editors have not saved yet.
        let size = try NSFileCoordinator().coordinate(
            writingItemAt: log, options: .forMerging, timeout: .seconds(30)
        ) { url in
            if !FileManager.default.fileExists(atPath: url.path) {
                try Data().write(to: url, options: .withoutOverwriting)
            }
            let file = try FileHandle(forUpdating: url)
            defer { try? file.close() }  // What was written is written.
            try removeTornLine(at: file)
            try file.write(contentsOf: lines)
            return try file.offset()
        }
        if size >= limit { try rotate() }
    }

    /// Goes to the end of the last whole line, and removes what is behind it.
    private func removeTornLine(at file: FileHandle) throws {
        let end = try file.seekToEnd()
        guard end > 0 else { return }
        try file.seek(toOffset: end - 1)
        guard try file.read(upToCount: 1)?.first != Self.newline else { return }
        try file.seek(toOffset: 0)
        let text = try file.readToEnd() ?? Data()
        let last = text.lastIndex(of: Self.newline) ?? text.startIndex - 1
        try file.truncate(atOffset: UInt64(last + 1 - text.startIndex))
    }

    // MARK: Renaming a full log

    /// Gives the log another name, unless another process has done that.
    private func rotate() throws {
        let number = (try numbers().max() ?? 0) + 1
        try NSFileCoordinator().coordinate(
            writingItemAt: log, options: [], writingItemAt: archive(number), options: [],
            timeout: .seconds(30)
        ) { log, archive in
            let manager = FileManager.default
            let size = try? manager.attributesOfItem(atPath: log.path)[.size] as? UInt64
            guard let size, size >= limit, !manager.fileExists(atPath: archive.path) else { return }
            try manager.moveItem(at: log, to: archive)
            // A new file in its place: else it looks like a move, which presenters would follow.
            try Data().write(to: log)
        }
        for old in try numbers().sorted().dropLast(keep) { try remove(archive(old)) }
    }

    private func archive(_ number: Int) -> URL { log.appendingPathExtension(String(number)) }

    /// The numbers of the logs that were renamed.
    private func numbers() throws -> [Int] {
        let folder = log.deletingLastPathComponent()
        let prefix = log.lastPathComponent + "."
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
    }

    /// Removes an old log when no program reads it any more.
    private func remove(_ archive: URL) throws {
        try NSFileCoordinator().coordinate(
            writingItemAt: archive, options: .forDeleting, timeout: .seconds(30)
        ) { archive in
            // Another process may have removed it.
            if FileManager.default.fileExists(atPath: archive.path) {
                try FileManager.default.removeItem(at: archive)
            }
        }
    }

    // MARK: Failing

    private static func failUsage() -> Never {
        fail("usage: journal FILE [--limit BYTES] [--keep COUNT]", status: 64)
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}
