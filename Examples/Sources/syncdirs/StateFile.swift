// SPDX-License-Identifier: Apache-2.0
//
// What both directories had after the last run: `.sync/state` in the second one. A line of JSON for
// each path; later lines replace earlier ones. A line is appended after each step, so that a run
// that is killed has remembered what it did.

import FileCoordination

/// The fingerprints of the files that both directories had in common.
struct StateFile {
    private struct Line: Codable {
        var path: String
        /// Nil when the file was deleted.
        var fingerprint: Fingerprint?
    }

    private(set) var fingerprints: [String: Fingerprint] = [:]
    private let file: FileHandle

    /// Reads the file at `url`, and opens it for more lines.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - pair: names the two directories. The state of another pair is not used: without a state,
    ///     files that differ are conflicts, and no file is deleted.
    /// - Throws: if the file cannot be read or written.
    init(at url: URL, pair: String) throws {
        var lines: [Data] = []
        if FileManager.default.fileExists(atPath: url.path) {
            lines = try Data(contentsOf: url).split(separator: UInt8(ascii: "\n"))
        }
        if lines.first == Data(pair.utf8) {
            for line in lines.dropFirst() {
                // A killed run may have left half a line. It had not said so, and is repeated.
                guard let line = try? JSONDecoder().decode(Line.self, from: line) else { continue }
                fingerprints[line.path] = line.fingerprint
            }
        }
        // Written anew, with one line for each path.
        var text = Data("\(pair)\n".utf8)
        for (path, fingerprint) in fingerprints {
            text += try Self.encoded(Line(path: path, fingerprint: fingerprint))
        }
        try text.write(to: url, options: .atomic)
        file = try FileHandle(forUpdating: url)
        try file.seekToEnd()
    }

    /// Remembers what both directories have now.
    mutating func remember(_ fingerprint: Fingerprint?, at path: String) throws {
        guard fingerprints[path] != fingerprint else { return }
        try file.write(contentsOf: Self.encoded(Line(path: path, fingerprint: fingerprint)))
        fingerprints[path] = fingerprint
    }

    private static func encoded(_ line: Line) throws -> Data {
        try JSONEncoder().encode(line) + Data("\n".utf8)
    }
}
