// SPDX-License-Identifier: Apache-2.0
//
// What a failed test leaves to read: what each program said, where its threads sleep, and what the
// arbiter knows. A failure that comes once in a thousand runs has to tell all of it at once.

import Foundation

extension Stage {
    /// Everything that is known of the programs of this stage, indented.
    ///
    /// `check` repeats these lines below the failure.
    var account: String {
        let processes = processesOfThisStage()
        let others = processes.filter { process in !programs.contains { $0.pid == process } }
        let said = programs.map { program in
            "\(program.name), process \(program.pid), said: \(program.lines)"
        }
        let report = report().map { "\($0)" } ?? "none"
        let lines =
            said + others.map { "process \($0) was started by a program" }
            + processes.flatMap(threads) + ["the arbiter's report: \(report)"]
        return lines.map { "    " + $0.prefix(4000) + "\n" }.joined()
    }

    /// Where the threads of a process are, as the kernel tells it.
    private func threads(of process: pid_t) -> [String] {
        let directory = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return threads.sorted().prefix(20).map { thread in
            let state = kernelLine("\(directory)/\(thread)/stat").split(separator: ")").last ?? ""
            let place = kernelLine("\(directory)/\(thread)/wchan")
            let call = kernelLine("\(directory)/\(thread)/syscall")
            return "process \(process), thread \(thread): \(state.prefix(2)), \(place), \(call)"
        }
    }

    private func kernelLine(_ path: String) -> String {
        text(path)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }
}
