// SPDX-License-Identifier: Apache-2.0
//
// A child that does not outlive the claim under which it runs: the kernel kills it when filecoord
// dies. That binds to the *thread* that starts it, so this must be called on the main one.
//
// Everything the child needs is made before, in the form in which the kernel takes it.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// What a child gets as its standard streams; nil is what filecoord has itself.
struct ChildStreams {
    var input: Descriptor?
    var output: Descriptor?

    init(input: Descriptor? = nil, output: Descriptor? = nil) {
        self.input = input
        self.output = output
    }
}

/// A program that is about to be run.
struct ChildProcess {
    private let program: String
    private let candidates: CStringList
    private let words: CStringList
    private let environment: CStringList
    /// For a script without "#!": the shell, the script, its arguments.
    private let shellWords: CStringList

    /// A program and its arguments, with these variables besides the ones of this process.
    init(words: [String], environment: [String: String]) throws(Failure) {
        guard let program = words.first, !program.isEmpty else {
            throw Failure(.notFound, "COMMAND is empty: name a program after \"--\"")
        }
        self.program = program
        candidates = CStringList(Self.candidates(for: program))
        self.words = CStringList(words)
        shellWords = CStringList(["/bin/sh", nil] + Array(words.dropFirst()))
        let claims = [SurroundingClaims.variable: Surroundings.forCommand.withLock { $0 }]
        self.environment = CStringList(environmentWith: environment.merging(claims) { $1 })
    }

    /// Where to look for a program, in order.
    private static func candidates(for program: String) -> [String] {
        guard !program.contains("/") else { return [program] }
        let path =
            getenv("PATH").map { ArgumentText.encode(ArgumentText.bytes(at: $0)) }
            ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "./\(program)" : "\($0)/\(program)"
        }
    }

    /// Runs the program to its end; returns the status that stands for it.
    func run(
        signals: SignalReceiver, streams: ChildStreams = ChildStreams()
    ) throws(Failure) -> Int32 {
        var failure: Int32?
        let child = try signals.forward { () throws(Failure) in
            let start = DependentProcess.start(
                candidates: candidates.pointer, words: words.pointer,
                shellWords: shellWords.pointer, environment: environment.pointer,
                mask: signals.originalMask, input: streams.input, output: streams.output,
                inherited: Holder.current?.descriptor ?? -1)
            failure = start.error
            Holder.current?.commandRuns()
            guard let child = start.processID else {
                throw Failure(
                    .cannotRun,
                    "cannot run \(program): \(String(cString: strerror(start.error ?? 0)))")
            }
            return child
        }
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
    private static func waitForEnd(of child: pid_t, _ signals: SignalReceiver) -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | ChildStatus.leavingIt) != 0,
            errno == EINTR
        {}
        signals.stopForwarding()
        return ChildStatus.reap(child)
    }
}
