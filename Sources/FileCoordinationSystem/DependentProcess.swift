// SPDX-License-Identifier: Apache-2.0
//
// Starts a child process that must not outlive the process that waits for it.

internal import CFileCoordinationSystem
package import Glibc

/// Processes that the kernel kills when the thread that started them ends.
package enum DependentProcess {
    /// The result of starting a child.
    package struct Start {
        /// The child, for which the caller must wait; nil if there is none.
        package var processID: Int32?
        /// The error number, if the child could not run the program.
        package var error: Int32?
    }

    /// Starts the first of `candidates` that can be executed.
    ///
    /// Returns when it runs, or when none can.
    ///
    /// The kernel kills the child when the calling thread ends. All lists end with nil and are
    /// prepared by the caller, because this function must not allocate memory. The second of
    /// `shellWords` is nil and is replaced by the path of a script without an interpreter line. The
    /// child starts with the signal mask `mask`; signal handlers are reset. `input` and `output`
    /// become its standard streams and must be greater than 2; nil keeps those of this process. The
    /// child and its children inherit the descriptor `inherited`, if that is not negative.
    package static func start(
        candidates: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        shellWords: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        mask: sigset_t, input: Descriptor? = nil, output: Descriptor? = nil, inherited: Int32 = -1
    ) -> Start {
        var mask = mask
        var child: Int32 = 0
        let result = unsafe withUnsafePointer(to: &mask) {
            unsafe fcs_process_start_child(
                candidates, words, shellWords, environment, $0, input?.number ?? -1,
                output?.number ?? -1, inherited, &child)
        }
        return Start(
            processID: child == 0 ? nil : child, error: result == 0 ? nil : -result)
    }
}

extension CurrentProcess {
    /// Makes all threads allocate from one heap, which is cheaper for a short-lived program.
    ///
    /// Call it before other threads exist.
    package static func keepOneHeap() { fcs_process_keep_one_heap() }
}
