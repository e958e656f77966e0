// SPDX-License-Identifier: Apache-2.0
//
// Checks exclusion without our library: inside each accessor this asks the kernel for a lock on a
// side file, without waiting. The lock must be free. A process that was killed while it had the
// lock has lost it by then, or is about to, as its state shows.
//
// The locks belong to processes: the kernel says which process has one, a forked child does not
// inherit it, and it is gone when the process closes the file. So only one accessor at a time may
// use a side file in a process.

import FileCoordination
import Glibc

/// The side file of one file.
struct SideLock: ~Copyable {
    private let file: Int32

    init(directory: String, item: Int) {
        file = open("\(directory)/locks/\(item)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit { close(file) }

    /// Takes it at once; the living process that has it, if there is one.
    func take(isWrite: Bool) -> pid_t? {
        // A dying process may take a moment to close its files.
        for _ in 0..<2000 {
            var wish = request(isWrite ? F_WRLCK : F_RDLCK)
            if fcntl(file, F_SETLK, &wish) == 0 { return nil }
            var owner = request(isWrite ? F_WRLCK : F_RDLCK)
            guard fcntl(file, F_GETLK, &owner) == 0, owner.l_type != Int16(F_UNLCK) else {
                continue
            }
            guard Kernel.isLeaving(owner.l_pid) else { return owner.l_pid }
            Kernel.pause(milliseconds: 1)
        }
        return -1
    }

    private func request(_ kind: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(kind)
        request.l_whence = Int16(SEEK_SET)
        return request
    }
}
