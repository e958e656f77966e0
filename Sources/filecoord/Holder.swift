// SPDX-License-Identifier: Apache-2.0
//
// Holds access until all processes that COMMAND started have ended, even after filecoord itself
// (Rule 18.13). For that, the program forks into two processes. The child, called the holder,
// obtains access, runs COMMAND, and lets it inherit the writing end of a pipe; it holds the access
// until the last process with that end has closed it. The parent forwards signals to the holder,
// and ends with COMMAND's exit status as soon as COMMAND has ended.

import FileCoordinationSystem
import Glibc

/// The process that holds access.
final class Holder: Sendable {
    /// The holder, if this process is one.
    private static let own = Lock<Holder?>(nil)
    static var current: Holder? { own.withLock { $0 } }

    /// The pipe through which the parent gets COMMAND's exit status.
    private let starter: Descriptor
    /// Reaches its end when no process has the writing end any more.
    private let end: Descriptor
    /// The writing end, which COMMAND inherits.
    ///
    /// This process closes it once COMMAND runs.
    private let inherited: Lock<Descriptor?>

    private init(starter: Descriptor) throws(SystemError) {
        self.starter = starter
        let pipe = try ForkedProcess.pipe()
        end = pipe.reading
        inherited = Lock(pipe.writing)
    }

    /// Forks the program, and returns only in the child, which is to hold access.
    ///
    /// Call it before there is a second thread.
    static func separate() throws(Failure) {
        do {
            let pipe = try ForkedProcess.pipe()
            if let holder = try ForkedProcess.fork() {
                // Only the holder may have this end, so that its death is noticed.
                close(pipe.writing.number)
                StarterOfHolder(holder, status: pipe.reading).wait()
            }
            let holder = try Holder(starter: pipe.writing)
            own.withLock { $0 = holder }
        } catch {
            throw Failure(.unavailable, "cannot start a process that holds access: \(error)")
        }
    }

    /// The descriptor that COMMAND inherits.
    var descriptor: Int32 { inherited.withLock { $0?.number ?? -1 } }

    /// Closes this process's writing end, because COMMAND runs: now only COMMAND and its children
    /// have it.
    func commandRuns() { inherited.withLock { $0 = nil } }

    /// Waits for the end of the last process that COMMAND started, after COMMAND itself has ended.
    ///
    /// Before that, it closes the terminal and pipes that are its standard streams, and sends
    /// COMMAND's exit status to the parent, which ends with it.
    func outlast(_ status: Int32) {
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        if null >= 0 { for stream in 0...2 { dup2(null, Int32(stream)) } }
        var byte = UInt8(truncatingIfNeeded: status)
        while unsafe write(starter.number, &byte, 1) < 0, errno == EINTR {}
        var nothing: UInt8 = 0
        while case let count = unsafe read(end.number, &nothing, 1),
            count > 0 || (count < 0 && errno == EINTR)
        {}
    }
}

/// The parent process: the one that the user started and whose end the user's shell waits for.
private struct StarterOfHolder {
    private let holder: pid_t
    private let status: Descriptor

    init(_ holder: pid_t, status: Descriptor) {
        self.holder = holder
        self.status = status
    }

    /// Forwards signals to the holder, and ends this process when COMMAND or the holder has ended.
    func wait() -> Never {
        var taken = sigset_t()
        unsafe sigemptyset(&taken)
        let signals = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH,
        ]
        for signal in signals {
            unsafe sigaddset(&taken, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &taken, nil)
        let (holder, status) = (holder, status)
        let isStarted =
            // Without a thread, it ends at once.
            (try? DetachedThread.start(name: "status") { Self.end(with: status, of: holder) })
            != nil
        guard isStarted else { Self.end(with: status, of: holder) }
        while true {
            var information = unsafe siginfo_t()
            guard unsafe sigwaitinfo(&taken, &information) > 0 else { continue }
            // The terminal signals the whole foreground process group, which includes the holder.
            if unsafe information.si_code <= 0 { unsafe kill(holder, information.si_signo) }
        }
    }

    private static func end(with status: Descriptor, of holder: pid_t) -> Never {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(status.number, &byte, 1)
            if count == 1 { _exit(Int32(byte)) }
            if count < 0, errno == EINTR { continue }
            // The holder ended before COMMAND ran, or it was killed and COMMAND with it.
            _exit(ChildStatus.reap(holder))
        }
    }
}
