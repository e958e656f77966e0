// SPDX-License-Identifier: Apache-2.0
//
// The temporary directory of one proof. It is locked as long as the proof lives, so that the next
// proof can tell which directories belong to proofs that were killed, and clear those.

import FileCoordination
import Glibc

/// Makes the directory of a proof, and clears what killed proofs have left.
enum FieldDirectory {
    /// Makes and locks a new directory; the lock lasts as long as this process.
    static func make() throws -> String {
        let chosen = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        // A socket's address has room for 108 bytes.
        let parent = chosen.hasPrefix("/") && chosen.utf8.count <= 60 ? chosen : "/tmp"
        clearStale(in: parent)
        while true {
            var template = Array((parent + "/fcs-XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else {
                throw SoakError("no directory can be made in \(parent): error \(errno)")
            }
            let path = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            var status = stat()
            // Another proof may have taken it for stale before it was locked.
            if lock >= 0, flock(lock, LOCK_EX) == 0, fstat(lock, &status) == 0, status.st_nlink > 0
            {
                return path
            }
            if lock >= 0 { close(lock) }
        }
    }

    /// Ends the processes of proofs that were killed, and removes their directories.
    private static func clearStale(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix("fcs-") {
            let path = parent + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_uid == geteuid() else { continue }
            let lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
            for process in leftProcesses(of: path + "/run") { kill(process, SIGKILL) }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// The processes that were started with a runtime directory.
    static func leftProcesses(of runtime: String) -> [pid_t] {
        let wanted = Array("FILECOORDINATION_RUNTIME_DIR=\(runtime)".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard process != getpid(),
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            return environment.split(separator: 0).contains { Array($0) == wanted }
        }
    }
}
