// SPDX-License-Identifier: Apache-2.0
//
// What ends an access that is held for no command: the end of standard input, or a signal.

import FileCoordinationSystem
import Glibc

/// Waits until access is to be released.
final class EndOfHold: Sendable {
    private let hasCome = Monitor(false)

    /// Ends the wait, from any thread.
    func come() {
        hasCome.withLock { $0 = true }
        hasCome.notifyAll()
    }

    /// Blocks the thread until standard input has ended, or ``come()`` was called.
    func wait() throws(Failure) {
        do {
            try DetachedThread.start(name: "end of input") { [self] in
                Self.readToEnd()
                come()
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
        _ = hasCome.wait { $0 }
    }

    private static func readToEnd() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            guard count < 0, errno == EAGAIN else { return }
            var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            _ = poll(&wanted, 1, -1)
        }
    }
}
