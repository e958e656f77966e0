// SPDX-License-Identifier: Apache-2.0
//
// Exclusion, seen without us: inside each accessor the kernel is asked for a lock on a side file,
// without waiting. It must be free; a process that was killed with it has lost it by then, or is
// about to, which shows in its process.
//
// Process-owned locks: they say who has them, a forked child does not inherit them, and they are
// gone as soon as the process closes its files. One accessor at a time may use one in a process.

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
        // A dying process is given the moment that its closing of files may take.
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
