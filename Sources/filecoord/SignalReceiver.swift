// SPDX-License-Identifier: Apache-2.0
//
// What TERM, INT, HUP and their like do depends on what filecoord is doing: they end it, end its
// wait, are held back for the moment of putting a file in place, or are COMMAND's. One thread takes
// them all, in ordinary code; no signal handler ever runs. CONT and WINCH only matter to COMMAND.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// Takes the signals that are meant to end the program.
final class SignalReceiver: Sendable {
    private enum Phase {
        /// A signal ends the program; the file of that name is removed first.
        case ending(leftover: NativePath?)
        /// A signal gives up the wait.
        case waiting(CoordinatedAccess)
        /// A signal is noted, and seen to as soon as this is over.
        case busy
        /// A signal is noted, and told.
        case alerting(@Sendable () -> Void)
        /// A signal is COMMAND's.
        case forwarding(to: pid_t)
    }

    private struct State {
        var phase: Phase
        /// The first signal that asked for the end and was noted.
        var noted: Int32?
    }

    private let state = Lock(State(phase: .ending(leftover: nil), noted: nil))
    /// The mask that COMMAND is to start with.
    let originalMask: sigset_t

    /// Takes over the signals; to be made before any other thread, and on the main one.
    init() throws(Failure) {
        var taken = Self.takenSignals()
        var original = sigset_t()
        pthread_sigmask(SIG_BLOCK, &taken, &original)
        originalMask = original
        do {
            try DetachedThread.start(name: "signals") { [self, taken] in
                var awaited = taken
                while true {
                    var information = siginfo_t()
                    guard sigwaitinfo(&awaited, &information) > 0 else { continue }
                    take(information)
                }
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    /// What was ignored when the program started, as by nohup, stays ignored.
    private static func takenSignals() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in ending + passing {
            var action = sigaction()
            sigaction(signal, nil, &action)
            let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
            if !isIgnored { sigaddset(&set, signal) }
        }
        return set
    }

    /// What would end a program that does nothing about it, and ends filecoord.
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM]
    /// What ends nothing.
    private static let passing = [SIGCONT, SIGWINCH]
    /// What the terminal sends to its whole foreground group.
    private static let terminal = [SIGINT, SIGQUIT, SIGHUP, SIGWINCH, SIGCONT]

    private func take(_ information: siginfo_t) {
        let signal = information.si_signo
        let isPassing = Self.passing.contains(signal)
        let (abandoned, alert) = state.withLock { state -> (CoordinatedAccess?, (() -> Void)?) in
            switch state.phase {
            case .ending where isPassing, .waiting where isPassing, .busy where isPassing,
                .alerting where isPassing:
                return (nil, nil)
            case .ending(let leftover):
                if let leftover { _ = leftover.withCString { unlink($0) } }
                _exit(ExitStatus.signal(signal))
            case .waiting(let access):
                state.noted = state.noted ?? signal
                return (access, nil)
            case .busy:
                state.noted = state.noted ?? signal
                return (nil, nil)
            case .alerting(let alert):
                state.noted = state.noted ?? signal
                return (nil, alert)
            case .forwarding(let child):
                // The terminal tells the whole foreground group, and so COMMAND, too.
                let isFromKernel = information.si_code > 0 && Self.terminal.contains(signal)
                if !(isFromKernel && getpgid(child) == getpgrp()) { kill(child, signal) }
                return (nil, nil)
            }
        }
        abandoned?.giveUp(.cancelled)
        alert?()
    }

    // MARK: Phases

    /// From now on a signal ends the program, and removes the file at `leftover` first.
    func end(removing leftover: NativePath?) throws(Failure) {
        try enter(.ending(leftover: leftover))
    }

    /// From now on a signal ends the wait for `access`.
    func wait(for access: CoordinatedAccess) throws(Failure) { try enter(.waiting(access)) }

    /// From now on a signal is put off until the next phase begins.
    func hold() throws(Failure) { try enter(.busy) }

    /// From now on a signal is noted, and `alert` is called, on the thread that takes signals.
    func alert(_ alert: @escaping @Sendable () -> Void) throws(Failure) {
        try enter(.alerting(alert))
    }

    /// From now on signals are those of the child that `start` starts.
    ///
    /// No signal can get between the start and this.
    func forward(
        toChildOf start: () throws(Failure) -> pid_t
    ) throws(Failure) -> pid_t {
        try state.withLock { state throws(Failure) in
            if let signal = state.noted { throw Failure.interrupted(by: signal) }
            let child = try start()
            state.phase = .forwarding(to: child)
            return child
        }
    }

    /// The child is over: its number may become another process's.
    func stopForwarding() { state.withLock { $0.phase = .busy } }

    /// The signal that was noted, if any.
    var noted: Int32? { state.withLock { $0.noted } }

    private func enter(_ phase: Phase) throws(Failure) {
        try state.withLock { state throws(Failure) in
            if let signal = state.noted { throw Failure.interrupted(by: signal) }
            state.phase = phase
        }
    }
}
