// SPDX-License-Identifier: Apache-2.0
//
// Starts a child process that does not outlive the claim under which it runs: the kernel kills it
// when filecoord dies (`PR_SET_PDEATHSIG`). The kernel does so when the *thread* ends that started
// the child. So it is to be called on a thread that lives until the program ends: the main thread,
// or that of a holder.
//
// Everything that the child needs is prepared before it starts, in the form that the system calls
// take.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// The standard streams of a child.
///
/// For nil, the child inherits filecoord's stream.
struct ChildStreams {
    var input: Descriptor?
    var output: Descriptor?

    init(input: Descriptor? = nil, output: Descriptor? = nil) {
        self.input = input
        self.output = output
    }
}

/// A program to run and its arguments.
struct ChildProcess {
    private let program: String
    private let candidates: CStringList
    private let words: CStringList
    private let environment: CStringList
    /// For a script without "#!": the words with which a shell runs it.
    private let shellWords: CStringList

    /// Prepares a program and its arguments, with these variables added to this process's
    /// environment.
    init(words: [String], environment: [String: String]) throws(Failure) {
        guard let program = words.first, !program.isEmpty else {
            throw Failure(.notFound, "COMMAND is empty: name a program after \"--\"")
        }
        self.program = program
        candidates = CStringList(Self.candidates(for: program))
        self.words = CStringList(words)
        shellWords = CStringList(["/bin/sh", nil] + Array(words.dropFirst()))
        var environment = environment
        if let claims = Surroundings.forCommand.withLock({ $0 }) {
            environment[SurroundingClaims.variable] = claims
        }
        self.environment = CStringList(environmentWith: environment)
    }

    /// The files to try for a program, in order.
    private static func candidates(for program: String) -> [String] {
        guard !program.contains("/") else { return [program] }
        let path =
            unsafe getenv("PATH").map { unsafe ArgumentText.encode(ArgumentText.bytes(at: $0)) }
            ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "./\(program)" : "\($0)/\(program)"
        }
    }

    /// Whether `program` is the name of an executable in PATH.
    static func isFound(_ program: String) -> Bool {
        !program.contains("/")
            && candidates(for: program).contains { candidate in
                unsafe NativePath(ArgumentText.decode(candidate)).withCString {
                    unsafe access($0, X_OK) == 0
                }
            }
    }

    /// Runs the program until it ends.
    ///
    /// Returns its exit status as shells give it.
    func run(
        signals: SignalReceiver, streams: ChildStreams = ChildStreams()
    ) throws(Failure) -> Int32 {
        var failure: Int32?
        let child = try signals.forward { () throws(Failure) in
            try Holder.current?.prepareForCommand()
            let start = unsafe DependentProcess.start(
                candidates: candidates.pointer, words: words.pointer,
                shellWords: shellWords.pointer, environment: environment.pointer,
                mask: signals.originalMask, input: streams.input, output: streams.output,
                inherited: Holder.current?.descriptor ?? -1)
            failure = start.error
            Holder.current?.commandRuns()
            guard let child = start.processID else {
                throw Failure(
                    .cannotRun,
                    "cannot run \(program): \(ErrorNumber.reason(start.error ?? 0))")
            }
            return child
        }
        let status = Self.waitForEnd(of: child, signals)
        if let failure { throw cannotRun(failure) }
        return status
    }

    private func cannotRun(_ error: Int32) -> Failure {
        let reason = ErrorNumber.reason(error)
        guard error == ENOENT || error == ENOTDIR else {
            return Failure(.cannotRun, "cannot run \(program): \(reason)")
        }
        return Failure(.notFound, "cannot run \(program): it was not found; check its name")
    }

    /// Waits for the end and reaps the child afterwards.
    ///
    /// Until it is reaped, its process ID cannot be given to another process, which could otherwise
    /// get a forwarded signal.
    private static func waitForEnd(of child: pid_t, _ signals: SignalReceiver) -> Int32 {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(child), &information, WEXITED | ChildStatus.leavingIt) != 0,
            errno == EINTR
        {}
        signals.stopForwarding()
        return ChildStatus.reap(child)
    }
}
