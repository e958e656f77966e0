// SPDX-License-Identifier: Apache-2.0
//
// Forks a second process of the same program, and creates a pipe between both, for programs that
// have not started a thread yet.

internal import CFileCoordinationSystem
import Glibc

/// Forks this process.
package enum ForkedProcess {
    /// Forks.
    ///
    /// Returns nil in the child, and the child's process ID in the parent.
    ///
    /// Only for programs without other threads: these do not exist in the child, and what they were
    /// doing would never be finished there.
    package static func fork() throws(SystemError) -> Int32? {
        let child = fcs_process_fork()
        try check(child, "fork")
        return child == 0 ? nil : child
    }

    /// Makes the kernel kill this process when the thread that forked it ends, or not any more.
    ///
    /// The setting belongs to the calling thread, so call this on the same thread again to undo it.
    /// The parent may have ended before; compare ``parent`` afterwards.
    package static func setDiesWithParent(_ dies: Bool) throws(SystemError) {
        try check(
            fcs_process_set_death_signal(dies ? SIGKILL : 0), "set the signal of the parent's end")
    }

    /// The process ID of the parent; another one after the parent has ended.
    package static var parent: Int32 { getppid() }

    /// Creates a pipe; no other program inherits an end.
    package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        try unsafe check(fcs_pipe(&ends), "make a pipe")
        return (Descriptor(adopting: ends[0]), Descriptor(adopting: ends[1]))
    }
}
