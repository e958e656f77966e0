// SPDX-License-Identifier: Apache-2.0
//
// Where a presenter's async methods run. Not on the cooperative pool: that has one thread per core
// and never grows, so callers who wait in synchronous coordinated accesses inside tasks can occupy
// all of it, while the presenter that they wait for has no thread left to answer on.

#if !canImport(Darwin)
import Dispatch

/// A thread for one call of an async method, and for whatever that method calls.
///
/// Each call gets one of its own: a method may well block its thread, in a coordinated access on
/// the presenter's behalf (Rule 2.16), and must not hold up another presenter's answer by that. The
/// parts of the method that are isolated to an actor with an executor of its own, such as the main
/// actor, run there.
final class PresenterExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "FileCoordination.presenter")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
