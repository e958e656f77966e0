// SPDX-License-Identifier: Apache-2.0
//
// A place for the files of a target: a new directory in TMPDIR, which goes when the process does.

import FileCoordinationServer
import FileCoordinationSystem
import Glibc

enum FuzzDirectory {
    /// Makes and opens a runtime directory that no other process knows of.
    static func make() throws -> RuntimeDirectory {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FuzzFault("no directory can be made in \(parent)")
        }
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        made.withLock { $0.append(path) }
        if made.withLock({ $0.count }) == 1 { atexit { FuzzDirectory.removeAll() } }
        let runtime = try RuntimeDirectory.open(path: path)
        runtime.settle()
        return runtime
    }

    private static let made = Lock<[String]>([])

    private static func removeAll() {
        for path in made.withLock({ $0 }) { remove(path) }
    }

    /// Removes a directory and the directories in it; none of ours is deeper.
    private static func remove(_ path: String) {
        guard let directory = try? Directory.open(path) else { return }
        for name in (try? directory.names()) ?? [] {
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
