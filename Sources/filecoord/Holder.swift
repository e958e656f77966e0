// SPDX-License-Identifier: Apache-2.0
//
// Access that outlives COMMAND and filecoord (Rule 18.13). The program becomes two processes. One
// gets access, runs COMMAND and holds on, until the last process has gone that has inherited the
// writing end of a pipe from COMMAND. The other is what was started: it hands signals on, and ends
// with COMMAND's status as soon as COMMAND has ended.

import FileCoordinationSystem
import Glibc

/// The process that holds access, as itself.
final class Holder: Sendable {
    /// There if this process is one.
    private static let own = Lock<Holder?>(nil)
    static var current: Holder? { own.withLock { $0 } }

    /// Where the other process waits for COMMAND's status.
    private let starter: Descriptor
    /// Reads as ended when no process has the other end any more.
    private let end: Descriptor
    /// What COMMAND inherits; ours is closed once COMMAND runs.
    private let inherited: Lock<Descriptor?>

    private init(starter: Descriptor) throws(SystemError) {
        self.starter = starter
        let pipe = try ForkedProcess.pipe()
        end = pipe.reading
        inherited = Lock(pipe.writing)
    }

    /// Makes the program two processes, and returns in the one that is to hold access.
    ///
    /// To be called before there is a second thread.
    static func separate() throws(Failure) {
        do {
            let pipe = try ForkedProcess.pipe()
            if let holder = try ForkedProcess.fork() {
                // The holder's alone, so that its end is noticed.
                close(pipe.writing.number)
                StarterOfHolder(holder, status: pipe.reading).wait()
            }
            let holder = try Holder(starter: pipe.writing)
            own.withLock { $0 = holder }
        } catch {
            throw Failure(.unavailable, "cannot start a process that holds access: \(error)")
        }
    }

    /// The descriptor that COMMAND is to inherit.
    var descriptor: Int32 { inherited.withLock { $0?.number ?? -1 } }

    /// COMMAND runs: from now on only it and its children have the other end.
    func commandRuns() { inherited.withLock { $0 = nil } }

    /// COMMAND has ended: lets go of the terminal and of pipes, has the other process end with its
    /// status, and waits for the end of the last process that COMMAND has left.
    func outlast(_ status: Int32) {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        if null >= 0 { for stream in 0...2 { dup2(null, Int32(stream)) } }
        var byte = UInt8(truncatingIfNeeded: status)
        while write(starter.number, &byte, 1) < 0, errno == EINTR {}
        var nothing: UInt8 = 0
        while case let count = read(end.number, &nothing, 1),
            count > 0 || (count < 0 && errno == EINTR)
        {}
    }
}

/// The process that was started, and that its caller waits for.
private struct StarterOfHolder {
    private let holder: pid_t
    private let status: Descriptor

    init(_ holder: pid_t, status: Descriptor) {
        self.holder = holder
        self.status = status
    }

    /// Hands signals on, and ends the process when COMMAND has ended, or the holder has.
    func wait() -> Never {
        var taken = sigset_t()
        sigemptyset(&taken)
        let signals = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH,
        ]
        for signal in signals {
            sigaddset(&taken, signal)
        }
        pthread_sigmask(SIG_BLOCK, &taken, nil)
        let (holder, status) = (holder, status)
        let isStarted =
            (try? DetachedThread.start(name: "status") { Self.end(with: status, of: holder) })
            != nil
        guard isStarted else { Self.end(with: status, of: holder) }
        while true {
            var information = siginfo_t()
            guard sigwaitinfo(&taken, &information) > 0 else { continue }
            // The terminal tells the whole foreground group, and so the holder, too.
            if information.si_code <= 0 { kill(holder, information.si_signo) }
        }
    }

    private static func end(with status: Descriptor, of holder: pid_t) -> Never {
        var byte: UInt8 = 0
        while true {
            let count = read(status.number, &byte, 1)
            if count == 1 { _exit(Int32(byte)) }
            if count < 0, errno == EINTR { continue }
            // It ended before COMMAND ran, or was killed, and COMMAND with it.
            _exit(ChildStatus.reap(holder))
        }
    }
}
