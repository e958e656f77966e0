// SPDX-License-Identifier: Apache-2.0
//
// What a process was waiting for when a call of it took seconds: the states of its own threads and
// of the server's, how long each has waited for a processor, who listens, and who holds the roles.
// A report is one file; the proof prints the first of them at its end.

import FileCoordination
import Glibc

/// Looks at the calls of one worker twice a second, and reports a slow one.
struct SlowCalls: Sendable {
    private let directory: String
    private let name: String

    /// A call that waits longer is reported, in seconds.
    ///
    /// Longer than all accessors of a queue together.
    private static let bound = 3.0

    init(directory: String, name: String) {
        self.directory = directory
        self.name = name
        mkdir(directory + "/slow", 0o700)
    }

    /// Begins to look.
    ///
    /// - Parameter current: the number of the call that waits now; 0 if none does.
    func watch(_ current: @escaping @Sendable () -> Int) {
        Thread.detachNewThread { [self] in
            var (call, since, reports) = (0, Kernel.now, 0)
            while true {
                Kernel.pause(milliseconds: 500)
                let (next, now) = (current(), Kernel.now)
                if next != call { (call, since, reports) = (next, now, 0) }
                let waited = Double(now - since) / 1e9
                // At 3 s, 6 s, and so on.
                guard call != 0, waited > Self.bound * Double(reports + 1) else { continue }
                reports += 1
                report(call, waited, reports)
            }
        }
    }

    private func report(_ call: Int, _ waited: Double, _ number: Int) {
        let run = directory + "/run"
        let server = Kernel.listener(at: run + "/socket")
        var text = "call \(call) of \(name) has waited for \(waited) s; \(Kernel.load)\n"
        text += "serving: \(server.map { "\($0)" } ?? "none")\n"
        for lock in ["server.lock", "election.lock"] {
            let holder = FileManager.default.contents(atPath: run + "/" + lock).flatMap { bytes in
                bytes.count < 4
                    ? nil : bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
            }
            text += "\(lock): last taken by \(holder.map { "\($0)" } ?? "none")\n"
        }
        text += Self.threads(of: getpid())
        if let server, server != getpid() { text += Self.threads(of: server) }
        let path = "\(directory)/slow/\(name).\(call).\(number)"
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
    }

    /// One line for each thread: its name, its state, where it sleeps in the kernel, the system
    /// call, and "schedstat": nanoseconds that it ran, nanoseconds that it waited for a processor.
    private static func threads(of process: pid_t) -> String {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.map { thread in
            func read(_ file: String) -> String {
                let path = "\(tasks)/\(thread)/\(file)"
                let text = try? String(contentsOfFile: path, encoding: .utf8)
                return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"
            }
            let state = read("stat").split(separator: ")").last.map { $0.prefix(2) } ?? "?"
            return "  \(process)/\(thread) \(read("comm"))\(state) \(read("wchan")) "
                + "call \(read("syscall").prefix(60)) schedstat \(read("schedstat"))\n"
        }.joined()
    }

    /// The first reports of a proof, for people; empty if no call was slow.
    static func reports(in directory: String) -> [String] {
        let place = directory + "/slow"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let texts = names.sorted().prefix(8).compactMap {
            try? String(contentsOfFile: "\(place)/\($0)", encoding: .utf8)
        }
        return names.isEmpty ? [] : ["\(names.count) reports of slow calls; the first:"] + texts
    }
}
