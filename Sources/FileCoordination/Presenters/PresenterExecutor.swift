// SPDX-License-Identifier: Apache-2.0
//
// Runs the async methods of presenters. They do not run on the cooperative pool, which has one
// thread for each core: synchronous coordinated accesses inside tasks can block all of these, and
// then the presenter for which they wait would have no thread to answer on.

#if !canImport(Darwin)
import Dispatch

/// A thread for one call of an async method and for what that method calls.
///
/// Each call gets its own executor. A method may block its thread, for example in a coordinated
/// access of the presenter (Rule 2.16), and must not delay another presenter's answer. Parts of the
/// method that are isolated to an actor with its own executor, such as the main actor, run there.
final class PresenterExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "FileCoordination.presenter")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
