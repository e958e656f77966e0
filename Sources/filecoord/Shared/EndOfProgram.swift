// SPDX-License-Identifier: Apache-2.0
//
// Waits for the end of a program that runs until it is stopped: a signal, or the end of the pipe
// that is its standard input.

import FileCoordinationSystem
import Glibc

/// Waits until the program is to end.
///
/// A second signal ends the process at once: what comes after the first one may take long. SIGHUP
/// does not count as a second one, because some senders let it follow SIGTERM.
final class EndOfProgram: Sendable {
    private let hasCome = Monitor(false)
    private let alert: @Sendable () -> Void
    /// The signal mask with which children must start.
    let originalMask: sigset_t

    /// Takes over the signals that end the program.
    ///
    /// It must be made on the main thread, before there is another thread.
    ///
    /// - Parameters:
    ///   - signals: the signals that end the program.
    ///   - ignored: signals that do nothing.
    ///   - alert: called when the program is to end, on another thread.
    /// - Throws: ``Failure`` if no thread can be started.
    init(
        by signals: [Int32] = [SIGINT, SIGTERM, SIGHUP], ignoring ignored: [Int32] = [],
        alert: @escaping @Sendable () -> Void = {}
    ) throws(Failure) {
        self.alert = alert
        let taken = Self.set(of: signals)
        var blocked = Self.set(of: signals + ignored)
        var original = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &original)
        originalMask = original
        try start("signals") { [self, taken] in
            var awaited = taken
            var number: Int32 = 0
            unsafe sigwait(&awaited, &number)
            come()
            unsafe sigdelset(&awaited, SIGHUP)
            unsafe sigwait(&awaited, &number)
            _exit(ExitStatus.signal(number))
        }
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }

    /// Blocks the calling thread until the program is to end, also by the end of a pipe that is its
    /// standard input.
    func wait() throws(Failure) {
        var status = stat()
        if unsafe fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            try start("end of input") { [self] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
                    guard count > 0 || (count < 0 && errno == EINTR) else { break }
                }
                come()
            }
        }
        waitForOthers()
    }

    /// Blocks the calling thread until a signal or ``come()`` ends the program.
    func waitForOthers() { _ = hasCome.wait { $0 } }

    /// Ends the program as a signal does.
    ///
    /// May be called on any thread.
    func come() {
        alert()
        hasCome.withLock { $0 = true }
        hasCome.notifyAll()
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Failure) {
        do {
            try DetachedThread.start(name: name, body)
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }
}
