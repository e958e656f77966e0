// SPDX-License-Identifier: Apache-2.0
//
// Starting a child that must not outlive the process that waits for it.

internal import CFileCoordinationSystem
package import Glibc

/// Processes that die with the thread that started them.
package enum DependentProcess {
    /// What came of starting one.
    package struct Start {
        /// The child, which is to be waited for; nil if there is none.
        package var processID: Int32?
        /// Why it does not run what it was to run.
        package var error: Int32?
    }

    /// Starts the first of `candidates` that can be run; returns once it runs, or cannot.
    ///
    /// The kernel kills it when the calling thread ends. All lists end with nil and are laid out
    /// before, since nothing is allocated here; the second of `shellWords` is nil, and the script
    /// for one that does not say what runs it. The child starts with `mask`, and with the other
    /// signals as they are here, but for handlers. `input` and `output` become its standard
    /// streams, and must have numbers above 2; nil leaves it those of this process. It keeps the
    /// descriptor `inherited`, if that is not negative, and so do its children.
    package static func start(
        candidates: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        shellWords: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        mask: sigset_t, input: Descriptor? = nil, output: Descriptor? = nil, inherited: Int32 = -1
    ) -> Start {
        var mask = mask
        var child: Int32 = 0
        let result = withUnsafePointer(to: &mask) {
            fcs_process_start_child(
                candidates, words, shellWords, environment, $0, input?.number ?? -1,
                output?.number ?? -1, inherited, &child)
        }
        return Start(
            processID: child == 0 ? nil : child, error: result == 0 ? nil : -result)
    }
}

extension CurrentProcess {
    /// Has all threads take memory from one heap, which is cheaper for a program that lives for a
    /// moment.
    ///
    /// To be called before there are others.
    package static func keepOneHeap() { fcs_process_keep_one_heap() }
}
