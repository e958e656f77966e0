// SPDX-License-Identifier: Apache-2.0
//
// Receives SIGTERM, SIGINT, SIGHUP and similar signals. Their effect depends on what filecoord is
// doing: they end the program or its wait, are delayed while a file is put in place, or are
// forwarded to COMMAND. One thread receives them all with `sigwaitinfo`, so there is no signal
// handler. SIGCONT and SIGWINCH are only forwarded.

import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// Receives the signals that ask the program to end.
final class SignalReceiver: Sendable {
    private enum Phase {
        /// A signal ends the program, after the file `leftover` has been removed.
        case ending(leftover: NativePath?)
        /// A signal ends the wait.
        case waiting(CoordinatedAccess)
        /// A signal is noted, and takes effect when the next phase begins.
        case busy
        /// A signal is noted, and this function is called.
        case alerting(@Sendable () -> Void)
        /// A signal is forwarded to COMMAND.
        case forwarding(to: pid_t)
    }

    private struct State {
        var phase: Phase
        /// The first signal that was noted.
        var noted: Int32?
    }

    private let state = Lock(State(phase: .ending(leftover: nil), noted: nil))
    /// The signal mask with which COMMAND must start.
    let originalMask: sigset_t

    /// Takes over the signals.
    ///
    /// It must be made before there is another thread that lets these signals through.
    init() throws(Failure) {
        var taken = Self.takenSignals()
        var original = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &taken, &original)
        originalMask = original
        do {
            try DetachedThread.start(name: "signals") { [self, taken] in
                var awaited = taken
                while true {
                    var information = unsafe siginfo_t()
                    guard unsafe sigwaitinfo(&awaited, &information) > 0 else { continue }
                    unsafe take(information)
                }
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    /// The signals to receive.
    ///
    /// A signal that was ignored when the program started, as under `nohup`, stays ignored.
    private static func takenSignals() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in ending + passing {
            var action = sigaction()
            unsafe sigaction(signal, nil, &action)
            let isIgnored =
                unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
            if !isIgnored { unsafe sigaddset(&set, signal) }
        }
        return set
    }

    /// The signals that end filecoord, and that end most programs by default.
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM]
    /// The signals that do not end filecoord.
    private static let passing = [SIGCONT, SIGWINCH]
    /// The signals that the terminal sends to its whole foreground process group.
    private static let terminal = [SIGINT, SIGQUIT, SIGHUP, SIGWINCH, SIGCONT]

    private func take(_ information: siginfo_t) {
        let signal = unsafe information.si_signo
        let isPassing = Self.passing.contains(signal)
        let (abandoned, alert) = state.withLock { state -> (CoordinatedAccess?, (() -> Void)?) in
            switch state.phase {
            case .ending where isPassing, .waiting where isPassing, .busy where isPassing,
                .alerting where isPassing:
                return (nil, nil)
            case .ending(let leftover):
                if let leftover { _ = unsafe leftover.withCString { unsafe unlink($0) } }
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
                // The terminal signals the whole foreground process group, which may include
                // COMMAND.
                let isFromKernel = unsafe information.si_code > 0 && Self.terminal.contains(signal)
                if !(isFromKernel && getpgid(child) == getpgrp()) { kill(child, signal) }
                return (nil, nil)
            }
        }
        abandoned?.giveUp(.cancelled)
        alert?()
    }

    // MARK: Phases

    /// From now on, a signal removes the file at `leftover` and ends the program.
    func end(removing leftover: NativePath?) throws(Failure) {
        try enter(.ending(leftover: leftover))
    }

    /// From now on, a signal ends the program; one that was noted before came too late.
    func finish() { state.withLock { $0.phase = .ending(leftover: nil) } }

    /// From now on, a signal ends the wait for `access`.
    func wait(for access: CoordinatedAccess) throws(Failure) { try enter(.waiting(access)) }

    /// From now on, a signal is delayed until the next phase begins.
    func hold() throws(Failure) { try enter(.busy) }

    /// From now on, a signal is noted, and the thread that receives signals calls `alert`.
    func alert(_ alert: @escaping @Sendable () -> Void) throws(Failure) {
        try enter(.alerting(alert))
    }

    /// Starts a child with `start`, and forwards signals to it from now on.
    ///
    /// No signal can arrive between the start and this.
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

    /// Stops forwarding.
    ///
    /// Call it before the child is reaped, because its process ID may be used again then.
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
