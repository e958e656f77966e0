// SPDX-License-Identifier: Apache-2.0
//
// Holds access until all processes that COMMAND started have ended, even after filecoord itself
// (Rule 18.13). For that, the program forks into two processes. The child, called the holder,
// obtains access, runs COMMAND, and lets it inherit the writing end of a pipe; it holds the access
// until the last process with that end has closed it. The parent forwards signals to the holder,
// and ends with COMMAND's exit status as soon as COMMAND has ended. If the parent is killed before
// COMMAND runs, the kernel kills the holder, so that nothing runs. After that, COMMAND and the
// holder go on without the parent.

import FileCoordinationSystem
import Glibc

/// The process that holds access.
final class Holder: Sendable {
    /// The holder, if this process is one.
    private static let own = Lock<Holder?>(nil)
    static var current: Holder? { own.withLock { $0 } }

    /// The pipe through which the parent gets COMMAND's exit status.
    private let starter: Descriptor
    /// The process ID of the parent.
    private let parent: Int32
    /// Reaches its end when no process has the writing end any more.
    private let end: Descriptor
    /// The writing end, which COMMAND inherits.
    ///
    /// This process closes it once COMMAND runs.
    private let inherited: Lock<Descriptor?>

    private init(starter: Descriptor, parent: Int32) throws(SystemError) {
        (self.starter, self.parent) = (starter, parent)
        let pipe = try ForkedProcess.pipe()
        end = pipe.reading
        inherited = Lock(pipe.writing)
    }

    /// Calls `body`, which runs COMMAND under a claim: in a holder if the user wishes that.
    ///
    /// With a holder, this does not return: each of both processes ends with its exit status. Call
    /// it before there is a second thread.
    static func run(
        isWanted: Bool, _ body: @escaping @Sendable () throws(Failure) -> Void
    ) throws(Failure) {
        guard isWanted else { return try body() }
        do {
            let pipe = try ForkedProcess.pipe()
            let parent = CurrentProcess.id
            // A signal must not end the parent before the parent can forward it.
            let former = StarterOfHolder.blockSignals()
            if let holder = try ForkedProcess.fork() {
                // Only the holder may have this end, so that its death is noticed.
                close(pipe.writing.number)
                StarterOfHolder(holder, status: pipe.reading).wait()
            }
            try leaveForkingThread { () throws(Failure) in
                try Holder.become(starter: pipe.writing, parent: parent)
                var mask = former
                unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
                try body()
            }
        } catch {
            throw Failure(.unavailable, "cannot start a process that holds access: \(error)")
        }
    }

    /// Calls `body` on a thread of its own, and ends the process when `body` has returned.
    ///
    /// The Swift runtime remembers each thread's number for the locks around its own
    /// initializations. In the thread that called fork(), the child still remembers the parent's.
    /// If that thread has such a lock and another one needs it, the lock seems to belong to the
    /// parent: the other one waits, and this one tries to unlock it, for ever.
    private static func leaveForkingThread(
        for body: @escaping @Sendable () throws(Failure) -> Void
    ) throws(SystemError) -> Never {
        // As much as the first thread of a program usually has.
        try DetachedThread.start(name: "holder", stackSize: 8 << 20) {
            do throws(Failure) {
                try body()
                exit(0)
            } catch {
                error.endProgram()
            }
        }
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        while true { pause() }
    }

    private static func become(starter: Descriptor, parent: Int32) throws(Failure) {
        do throws(SystemError) {
            try ForkedProcess.setDiesWithParent(true)
            // The parent may have been killed before the call above took effect.
            guard ForkedProcess.parent == parent else { _exit(ExitStatus.signal(SIGKILL)) }
            let holder = try Holder(starter: starter, parent: parent)
            own.withLock { $0 = holder }
        } catch {
            throw Failure(.unavailable, "cannot hold access in a process of its own: \(error)")
        }
    }

    /// The descriptor that COMMAND inherits.
    var descriptor: Int32 { inherited.withLock { $0?.number ?? -1 } }

    /// Lets this process outlive its parent, because COMMAND is about to run.
    ///
    /// Call it on the thread that became the holder, to which the kernel's setting belongs.
    /// Fails if the parent is gone already: then COMMAND must not run.
    func prepareForCommand() throws(Failure) {
        do throws(SystemError) {
            try ForkedProcess.setDiesWithParent(false)
        } catch {
            throw Failure(.unavailable, "cannot hold access for COMMAND: \(error)")
        }
        guard ForkedProcess.parent == parent else { throw Failure.interrupted(by: SIGKILL) }
    }

    /// Closes this process's writing end, because COMMAND runs: now only COMMAND and its children
    /// have it.
    func commandRuns() { inherited.withLock { $0 = nil } }

    /// Whether COMMAND was started, so that it may have left processes that the access is held for.
    var hasRunCommand: Bool { inherited.withLock { $0 == nil } }

    /// Waits for the end of the last process that COMMAND started, after COMMAND itself has ended.
    ///
    /// Before that, it closes the terminal and pipes that are its standard streams, and sends
    /// COMMAND's exit status to the parent, which ends with it.
    func outlast(_ status: Int32) {
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        if null >= 0 { for stream in 0...2 { dup2(null, Int32(stream)) } }
        var byte = UInt8(truncatingIfNeeded: status)
        // If the parent was killed, no process reads the status, and the access is held on.
        signal(SIGPIPE, SIG_IGN)
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

    /// The signals that are forwarded to the holder.
    private static func forwardedSignals() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        let signals = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH,
        ]
        for signal in signals {
            unsafe sigaddset(&set, signal)
        }
        return set
    }

    /// Makes the forwarded signals wait until ``wait()`` forwards them.
    ///
    /// Returns the former signal mask, with which the holder must go on.
    static func blockSignals() -> sigset_t {
        var forwarded = forwardedSignals()
        var former = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &forwarded, &former)
        return former
    }

    /// Forwards signals to the holder, and ends this process when COMMAND or the holder has ended.
    ///
    /// The signals must be blocked.
    func wait() -> Never {
        var taken = Self.forwardedSignals()
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
