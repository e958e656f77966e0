// SPDX-License-Identifier: Apache-2.0
//
// Shows pictures in the terminal's alternate screen, each in place of the former one, with the
// cursor hidden and long lines cut off. The terminal's former state is restored when the program
// ends, also by a signal or an error, and while the user has stopped the program.

import FileCoordinationSystem
import Glibc

/// A terminal's rows and columns.
struct TerminalSize: Hashable, Sendable {
    var rows: Int
    var columns: Int

    init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

    /// The present size of the terminal; the usual one if the terminal does not know it.
    init(of descriptor: Int32) {
        var size = winsize()
        let isKnown =
            unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
            && size.ws_col > 0
        self.init(
            rows: isKnown ? Int(size.ws_row) : 24, columns: isKnown ? Int(size.ws_col) : 80)
    }
}

/// A terminal whose alternate screen shows one picture at a time.
final class TerminalScreen: Sendable {
    private enum Phase {
        /// No picture was shown yet, or the terminal's former state is restored.
        case away
        /// The alternate screen is shown.
        case shown
        /// The terminal's former state is restored, because the user stops or ends the program.
        case held
    }

    private struct State {
        var phase = Phase.away
        /// Whether the alternate screen need not be entered by the next picture.
        var isEntered = false
        var isWriting = false
    }

    private let state = Monitor(State())
    private let descriptor: Int32
    /// Set when the last picture must be shown again.
    let redraw: WakeUp

    /// How long a terminal may accept no output, for example after Control-S, before the program
    /// ends without having restored it.
    private static let patience = Duration.milliseconds(200)
    private static let entering = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    private static let leaving = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Prepares a screen; the first picture changes the terminal.
    ///
    /// - Parameter descriptor: the terminal.
    /// - Throws: ``Failure`` if there are no descriptors left.
    init(_ descriptor: Int32) throws(Failure) {
        self.descriptor = descriptor
        do {
            redraw = try WakeUp()
        } catch {
            throw Failure(.unavailable, "cannot watch the terminal: \(error)")
        }
    }

    // MARK: Pictures

    /// Shows a picture by one system call, unless the program runs in the background.
    ///
    /// - Parameter lines: makes the lines for a terminal of this size.
    /// - Throws: what `lines` throws, and ``Failure`` if the terminal cannot be written to.
    func show(_ lines: (TerminalSize) throws -> [String]) throws {
        // A program in the foreground may be showing something, which must not be overwritten.
        guard isInForeground else { return }
        let size = TerminalSize(of: descriptor)
        let frame = Self.frame(try lines(size), rows: size.rows)
        let enters = state.withLock { state -> Bool? in
            guard state.phase != .held else { return nil }
            defer { (state.phase, state.isEntered, state.isWriting) = (.shown, true, true) }
            return !state.isEntered
        }
        guard let enters else { return }
        defer {
            state.withLock { $0.isWriting = false }
            state.notifyAll()
        }
        try Console.write(Array(((enters ? Self.entering : "") + frame).utf8), to: descriptor)
    }

    /// The bytes that put these lines in place of the last picture.
    static func frame(_ lines: [String], rows: Int) -> String {
        // Each line is erased before it is written: erasing behind one that reaches the last column
        // would erase its last character.
        let body = lines.map { "\u{1b}[K" + $0 }.joined(separator: "\r\n")
        return "\u{1b}[H" + body + (lines.count < rows ? "\r\n\u{1b}[J" : "")
    }

    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        // A terminal of another session has no foreground that this process could be in.
        return group < 0 || group == getpgrp()
    }

    /// Restores the terminal, and shows no more pictures.
    func restore() {
        let wasShown = state.withLock { state in
            defer { (state.phase, state.isEntered) = (.held, false) }
            return state.phase == .shown
        }
        guard wasShown else { return }
        let deadline = MonotonicClock.after(Self.patience)
        guard state.wait(until: deadline, { !$0.isWriting }) else { return }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&wanted, 1, 200) == 1, wanted.revents & Int16(POLLOUT) != 0 else {
            return
        }
        let bytes = Array(Self.leaving.utf8)
        // If that fails, there is no terminal any more.
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
    }

    // MARK: Signals

    /// Takes over the signals that concern the terminal.
    ///
    /// Call it on the main thread, before there is another thread.
    ///
    /// - Throws: ``Failure`` if no thread can be started.
    func takeSignals() throws(Failure) {
        var taken = sigset_t()
        unsafe sigemptyset(&taken)
        for signal in Self.ending + [SIGTSTP, SIGCONT, SIGWINCH] where !Self.isIgnored(signal) {
            unsafe sigaddset(&taken, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &taken, nil)
        do {
            try DetachedThread.start(name: "terminal") { [self, taken] in
                var awaited = taken
                var number: Int32 = 0
                while true {
                    guard unsafe sigwait(&awaited, &number) == 0 else { continue }
                    take(number)
                }
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether a signal was ignored when the program started, as under `nohup`: it stays so.
    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        unsafe sigaction(signal, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    private func take(_ signal: Int32) {
        switch signal {
        case SIGWINCH: redraw.signal()
        case SIGCONT:
            // The program may have been stopped by a signal that is not received. Meanwhile the
            // shell may have used the terminal.
            state.withLock { $0.isEntered = false }
            redraw.signal()
        case SIGTSTP:
            restore()
            Self.act(on: signal)
            // The program runs again, or no shell could have continued it, so it was not stopped.
            state.withLock { $0.phase = .away }
            redraw.signal()
        case _:
            restore()
            // On a terminal, Swift's runtime takes SIGQUIT for a crash, which this is not.
            Glibc.signal(signal, SIG_DFL)
            Self.act(on: signal)
            _exit(ExitStatus.signal(signal))
        }
    }

    /// Lets a blocked signal do what it does by default.
    private static func act(on signal: Int32) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, signal)
        raise(signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
