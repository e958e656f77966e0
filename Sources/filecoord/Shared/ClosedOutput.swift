// SPDX-License-Identifier: Apache-2.0
//
// Detects that no program reads the output any more. Otherwise a command that writes only when
// something changes would run on for long, as in `filecoord status --watch | head -n 1`.

import FileCoordinationSystem
import Glibc

/// Waits for the end of the readers of standard output.
enum ClosedOutput {
    /// Ends the program, as a write would, when standard output is a pipe or a socket whose last
    /// reader has closed it.
    ///
    /// Costs a thread, which waits. If the thread cannot be started, the next write ends the
    /// program.
    static func endProgram() {
        watch {
            var set = sigset_t()
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, SIGPIPE)
            raise(SIGPIPE)
            unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
            // This line is reached if the program that started this one had SIGPIPE ignored.
            _exit(ExitStatus.inputOutput.rawValue)
        }
    }

    /// Calls `body`, on a thread of its own, when the last reader has closed standard output.
    static func watch(_ body: @escaping @Sendable () -> Void) {
        // Without the thread, the next write notices it.
        try? DetachedThread.start(name: "output end") {
            // With no requested events, poll still reports errors and the end of the connection.
            var wanted = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&wanted, 1, -1) < 0, errno == EINTR {}
            // If the output was never open, the next write reports the error.
            if wanted.revents & Int16(POLLERR | POLLHUP) != 0 { body() }
        }
    }
}
