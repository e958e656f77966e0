// SPDX-License-Identifier: Apache-2.0
//
// Seeds whose worlds have failed once, in the file `Tests/failing-seeds`: they are run first.

import Glibc

/// The file of seeds that have failed once.
package enum FailingSeeds {
    /// What is in the file, for a source file of the project.
    ///
    /// A line is a seed, and behind it what it has shown; others begin with `#`.
    package static func read(around source: String) throws -> [UInt64] {
        var directory = source.split(separator: "/").dropLast()
        while let last = directory.last, last != "Tests" { directory = directory.dropLast() }
        let path = "/" + directory.joined(separator: "/") + "/failing-seeds"
        guard let text = text(of: path) else { throw SimulationFault("cannot read \(path)") }
        return text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.flatMap { UInt64($0) }
        }
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
