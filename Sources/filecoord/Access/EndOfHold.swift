// SPDX-License-Identifier: Apache-2.0
//
// Waits for the end of an access that is held without a COMMAND: the end of standard input, or a
// signal.

import FileCoordinationSystem
import Glibc

/// Waits until the access is to be released.
final class EndOfHold: Sendable {
    private let hasCome = Monitor(false)

    /// Ends the wait.
    ///
    /// May be called on any thread.
    func come() {
        hasCome.withLock { $0 = true }
        hasCome.notifyAll()
    }

    /// Blocks the calling thread until standard input has ended or ``come()`` was called.
    func wait() throws(Failure) {
        do {
            try DetachedThread.start(name: "end of input") { [self] in
                Self.readToEnd(of: STDIN_FILENO)
                come()
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
        _ = hasCome.wait { $0 }
    }

    /// The time between two attempts to read from a terminal whose foreground another process has.
    private static let backgroundPause: Duration = .milliseconds(500)

    /// Whether a descriptor is that of a terminal which another process may read now, as after
    /// "bg".
    ///
    /// Without a terminal any more, as after a hang-up, it has ended.
    private static func isInBackground(_ descriptor: Int32) -> Bool {
        let foreground = tcgetpgrp(descriptor)
        return foreground > 0 && foreground != getpgrp()
    }

    /// Blocks the calling thread until all processes have closed the other end of a descriptor.
    ///
    /// - Returns: whether anything was read.
    @discardableResult
    static func readToEnd(of descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var hasRead = false
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count > 0 { hasRead = true }
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            let error = errno
            if count < 0, error == EIO, isInBackground(descriptor) {
                Pause.sleep(backgroundPause)
                continue
            }
            guard count < 0, error == EAGAIN else { return hasRead }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&wanted, 1, -1)
        }
    }
}
