// SPDX-License-Identifier: Apache-2.0
//
// A child that does not outlive the claim under which it runs: the kernel kills it when filecoord
// dies. That rests on prctl(2), which binds to the *thread* that forks, so this must be called on
// the main one.
//
// Between fork and exec nothing is allocated and no lock is taken: everything the child needs is
// made before.

import FileCoordinationSystem
import Foundation

/// A program that is about to be run.
struct ChildProcess {
    private let program: String
    private let image: Image

    /// A program and its arguments, with these variables besides the ones of this process.
    init(words: [String], environment: [String: String]) throws(Failure) {
        guard let program = words.first, !program.isEmpty else {
            throw Failure(.notFound, "COMMAND is empty: name a program after \"--\"")
        }
        self.program = program
        image = Image(
            candidates: Self.candidates(for: program), words: words, environment: environment)
    }

    /// Where to look for a program, in order.
    private static func candidates(for program: String) -> [String] {
        guard !program.contains("/") else { return [program] }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "./\(program)" : "\($0)/\(program)"
        }
    }

    /// Runs the program to its end; returns the status that stands for it.
    func run(signals: SignalDesk) throws(Failure) -> Int32 {
        let report = try Pipe()
        let child = try signals.forward { () throws(Failure) in
            let parent = getpid()
            let child = fork()
            guard child != 0 else {
                image.become(parent: parent, mask: signals.originalMask, report: report.writer)
            }
            guard child > 0 else {
                throw Failure(
                    .cannotRun, "cannot run \(program): \(String(cString: strerror(errno)))")
            }
            return child
        }
        report.closeWriter()
        let failure = report.readNumber()
        let status = Self.waitForEnd(of: child, signals)
        if let failure { throw cannotRun(failure) }
        return status
    }

    private func cannotRun(_ error: Int32) -> Failure {
        let reason = String(cString: strerror(error))
        guard error == ENOENT || error == ENOTDIR else {
            return Failure(.cannotRun, "cannot run \(program): \(reason)")
        }
        return Failure(.notFound, "cannot run \(program): it was not found; check its name")
    }

    /// Waits first and reaps afterwards, so that no signal is sent to a number that is free.
    private static func waitForEnd(of child: pid_t, _ signals: SignalDesk) -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | ChildStatus.leavingIt) != 0,
            errno == EINTR
        {}
        signals.stopForwarding()
        return ChildStatus.reap(child)
    }
}

/// A pipe on which the child tells why it could not become the program; exec closes it.
private final class Pipe {
    private let reader: Int32
    private(set) var writer: Int32

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Failure(.cannotRun, "cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        reader = ends[0]
        writer = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reader)
        closeWriter()
    }

    func closeWriter() {
        guard writer >= 0 else { return }
        close(writer)
        writer = -1
    }

    /// The number that was written, or nil if the pipe was closed without one.
    func readNumber() -> Int32? {
        var number: Int32 = 0
        while true {
            let count = read(reader, &number, MemoryLayout<Int32>.size)
            if count < 0, errno == EINTR { continue }
            return count == MemoryLayout<Int32>.size ? number : nil
        }
    }
}

/// All that the child needs, in the form in which the kernel takes it.
private final class Image {
    private let candidates: CStringList
    private let words: CStringList
    private let environment: CStringList
    /// For a script without "#!": the shell, the script, its arguments.
    private let shellWords: CStringList
    private let setDeathSignal: DeathSignal?

    /// prctl(2) as it is called here; the C library's header cannot be imported.
    private typealias DeathSignal = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    private static let onDeathOfParent: Int32 = 1  // PR_SET_PDEATHSIG

    init(candidates: [String], words: [String], environment: [String: String]) {
        self.candidates = CStringList(candidates)
        self.words = CStringList(words)
        shellWords = CStringList(["/bin/sh", nil] + Array(words.dropFirst()))
        self.environment = CStringList(environmentWith: environment)
        setDeathSignal = dlsym(nil, "prctl").map { unsafeBitCast($0, to: DeathSignal.self) }
    }

    /// In the child: becomes the first candidate that can be run, or reports why none can.
    func become(parent: pid_t, mask: sigset_t, report: Int32) -> Never {
        _ = setDeathSignal?(Self.onDeathOfParent, UInt(SIGKILL), 0, 0, 0)
        // It may have died before it was asked for.
        if getppid() != parent { _exit(ExitStatus.signal(SIGKILL)) }
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)

        var failure = ENOENT
        var candidate = candidates.pointer
        while let path = candidate.pointee {
            execve(path, words.pointer, environment.pointer)
            if errno == ENOEXEC {
                shellWords.pointer[1] = path
                execve("/bin/sh", shellWords.pointer, environment.pointer)
            }
            // As execvp does: a file that may not be run is worth more mention than none.
            if errno != ENOENT, errno != ENOTDIR { failure = errno }
            candidate += 1
        }
        write(report, &failure, MemoryLayout<Int32>.size)
        _exit(ExitStatus.cannotRun.rawValue)
    }
}
