// SPDX-License-Identifier: Apache-2.0
//
// The environment of a soak run: a temporary directory with its own runtime directory, and the
// copies of this program that run in it.

import FileCoordination
import Glibc

/// Something that stops a proof.
struct SoakError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The directory and the processes of one proof.
final class Field {
    let directory: String
    let runtime: String
    let options: Options
    let isEmbedded: Bool
    private(set) var children: Set<pid_t> = []
    private let program: String

    init(_ options: Options) throws {
        self.options = options
        isEmbedded = options.text("serving") != "daemon"
        directory = try FieldDirectory.make()
        runtime = directory + "/run"
        program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for name in ["files", "locks", "journals", "progress", "probes"] {
            mkdir(directory + "/" + name, 0o700)
        }
        // This process coordinates in some proofs.
        for (name, value) in environment { setenv(name, value, 1) }
        unsetenv("FILECOORDINATION_VERSIONS_DIR")
    }

    private var daemon: String {
        URL(fileURLWithPath: program).deletingLastPathComponent()
            .appendingPathComponent("filecoordinationd").path
    }

    /// What every process of this field gets to see.
    private var environment: [String: String] {
        [
            "FILECOORDINATION_RUNTIME_DIR": runtime,
            "FILECOORDINATIOND": isEmbedded ? "" : daemon, "PATH": "/usr/bin:/bin",
            "HOME": directory, "XDG_DATA_HOME": directory + "/data",
            "XDG_CONFIG_HOME": directory + "/config", "XDG_CACHE_HOME": directory + "/cache",
            "TMPDIR": directory,
        ]
    }

    // MARK: Processes

    /// Starts a copy of this program.
    func start(_ role: String, _ settings: [String: String]) throws -> pid_t {
        let words = [program, role] + settings.flatMap { ["--" + $0.key, $0.value] }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, program, nil, nil, &arguments, &variables)
        guard status == 0 else { throw SoakError("could not start \(role): \(status)") }
        children.insert(process)
        return process
    }

    /// Waits until a child has ended; its status, or nil if it does not end in time.
    func reap(_ process: pid_t, seconds: Double = 30) -> Int32? {
        var status: Int32 = 0
        let isDone = Kernel.until(seconds: seconds) { waitpid(process, &status, WNOHANG) != 0 }
        guard isDone else { return nil }
        children.remove(process)
        return status
    }

    /// Kills a child and waits for its end; returns just before when.
    func kill(_ process: pid_t) -> Instant {
        let time = Kernel.now
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        children.remove(process)
        return time
    }

    /// The process that arbitrates; nil if there is none just now.
    var arbiter: pid_t? { Kernel.listener(at: runtime + "/socket") }

    /// When the runtime directory was emptied.
    private(set) var emptyings: [UInt64] = []

    /// Removes everything in the runtime directory, as a logout does, and the directory.
    ///
    /// Programs may put things there meanwhile, which then stay.
    func emptyRuntime() {
        emptyings.append(Kernel.now)
        for folder in [runtime + "/ledgers", runtime] {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                unlink(folder + "/" + name)
            }
            rmdir(folder)
        }
    }

    /// Ends whatever runs here, and removes everything.
    func clear(keeping isKept: Bool = false) {
        for child in children { _ = kill(child) }
        // Daemons and forked children are no children of this process; they are known by their
        // environment.
        _ = Kernel.until(seconds: 20) {
            let left = FieldDirectory.leftProcesses(of: runtime)
            for process in left { Glibc.kill(process, SIGKILL) }
            return left.isEmpty
        }
        if isKept {
            // Under a name that the next proof does not take for one that a killed proof has left.
            let name = directory.replacingOccurrences(of: "/fcs-", with: "/kept-fcs-")
            rename(directory, name)
            return say("kept \(name)")
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Has SIGINT and SIGTERM end the proof without leaving anything behind.
    func clearOnSignal() {
        Kernel.block([SIGINT, SIGTERM])
        Thread.detachNewThread { [directory, runtime] in
            _ = Kernel.take([SIGINT, SIGTERM])
            _ = Kernel.until(seconds: 20) {
                let left = FieldDirectory.leftProcesses(of: runtime)
                for process in left { Glibc.kill(process, SIGKILL) }
                return left.isEmpty
            }
            try? FileManager.default.removeItem(atPath: directory)
            say("FAILED: interrupted")
            exit(3)
        }
    }

    // MARK: Files

    func file(_ number: Int) -> String { directory + "/files/\(number)" }

    /// Makes the files that are fought over.
    func makeFiles(_ count: Int) throws {
        for number in 0..<count {
            try Data("0".utf8).write(to: URL(fileURLWithPath: file(number)))
        }
    }
}
