// SPDX-License-Identifier: Apache-2.0
//
// Ends what was started, however the run ends. Daemons are no children of this process, so they are
// looked for among all processes of this user, by their environment.

import CPeers
import FileCoordination
import Synchronization

/// Processes that belong to a run.
enum Leftovers {
    /// The environment variable that names a run's directory.
    static let mark = "FC_BENCH_SCRATCH"

    /// The processes with a setting in their environment, except this one.
    static func processes(known setting: String) -> [Int32] {
        let wanted = Data("\(setting)\0".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            guard process != getpid(),
                let file = FileHandle(forReadingAtPath: "/proc/\(process)/environ"),
                let environment = try? file.readToEnd()
            else { return false }
            return environment.range(of: wanted) != nil
        }
    }

    /// The first fifteen bytes of a program's name.
    static func name(of process: Int32) -> String? {
        (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))?
            .trimmingCharacters(in: .newlines)
    }

    /// Kills the processes with a setting, also those that they start meanwhile.
    static func end(known setting: String) {
        for _ in 0..<20 {
            let found = processes(known: setting)
            guard !found.isEmpty else { return }
            for process in found { kill(process, SIGKILL) }
            // A child of ours stays in the list until it is reaped.
            while waitpid(-1, nil, WNOHANG) > 0 {}
        }
    }

    /// Where a run has its runtime directories: on a tmpfs, as logins have theirs; without one, or
    /// where it is small, in the run's directory.
    ///
    /// To make a file elsewhere can take longer than all the rest of a first access: ext4 goes
    /// through what has been removed in the last seconds, and a run removes much.
    static func runtimes(of scratch: String) -> String {
        let memory = "/dev/shm"
        guard is_roomy_tmpfs(memory) == 1, access(memory, W_OK) == 0 else {
            return scratch + "/runtimes"
        }
        return memory + "/" + (scratch.split(separator: "/").last ?? "fc-bench")
    }

    /// Ends a run's processes, and empties or removes its directory.
    static func clear(_ scratch: String, removingIt: Bool) {
        end(known: "\(mark)=\(scratch)")
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: scratch)) ?? [] {
            try? files.removeItem(atPath: "\(scratch)/\(name)")
        }
        try? files.removeItem(atPath: runtimes(of: scratch))
        if removingIt { try? files.removeItem(atPath: scratch) }
    }
}

/// What happens when the run is interrupted.
enum Interruption {
    private static let hasBegun = Atomic<Bool>(false)

    /// Ends everything on a signal, and then this process.
    static func clearOnSignal(scratch: String) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let awaited = signals
        Thread.detachNewThread {
            var awaited = awaited
            var number: Int32 = 0
            sigwait(&awaited, &number)
            hasBegun.store(true, ordering: .sequentiallyConsistent)
            Leftovers.clear(scratch, removingIt: true)
            // The measuring thread may just have made something there.
            Leftovers.clear(scratch, removingIt: true)
            _exit(128 + number)
        }
    }

    /// For a worker that finds the other workers gone: if that is why, there is nothing more to
    /// say.
    static func standBack() {
        while hasBegun.load(ordering: .sequentiallyConsistent) { pause() }
    }
}
