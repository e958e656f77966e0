// SPDX-License-Identifier: Apache-2.0
//
// Notices that no program reads the output any more. A command that writes only when something
// changes would go on for long, as in `filecoord status --watch | head -n 1`.

import FileCoordinationSystem
import Glibc

/// Waits for the end of the readers of standard output.
enum ClosedOutput {
    /// Ends the program, as a write would, when standard output is a pipe or a socket whose last
    /// reader has closed it.
    ///
    /// Costs a thread, which sleeps. If there is none, the next write ends the program.
    static func endProgram() {
        // Without it, the program ends with its next write.
        try? DetachedThread.start(name: "output") {
            // Errors and the end of a connection are reported without being asked for.
            var wanted = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&wanted, 1, -1) < 0, errno == EINTR {}
            // Of an output that was never open, the next write reports the error.
            guard wanted.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
            var set = sigset_t()
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, SIGPIPE)
            raise(SIGPIPE)
            unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
            // The signal is ignored, as a program that started this one wanted.
            _exit(ExitStatus.inputOutput.rawValue)
        }
    }
}
