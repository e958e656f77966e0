// SPDX-License-Identifier: Apache-2.0
//
// A second process of the same program, and a pipe between the two, for programs that have not
// started a thread yet.

internal import CFileCoordinationSystem

/// Two processes out of one.
package enum ForkedProcess {
    /// Forks; returns nil in the child, and the child's number in the parent.
    ///
    /// Only for a program that has no other threads: what they were doing would never be finished
    /// in the child.
    package static func fork() throws(SystemError) -> Int32? {
        let child = fcs_process_fork()
        try check(child, "fork")
        return child == 0 ? nil : child
    }

    /// A pipe; no other program inherits an end.
    package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        try check(fcs_pipe(&ends), "make a pipe")
        return (Descriptor(adopting: ends[0]), Descriptor(adopting: ends[1]))
    }
}
