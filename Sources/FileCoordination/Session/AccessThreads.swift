// SPDX-License-Identifier: Apache-2.0
//
// Where tasks have things done that may block: filing (it looks at files), settling, comparing. The
// cooperative pool has a thread per core, and one mount that does not answer must not take any of
// them (Rule 18.11).

#if !canImport(Darwin)
import FileCoordinationSystem

/// Threads for short work on files, on behalf of tasks.
///
/// There are as many as are at work at the same time, up to a bound; idle ones are kept.
enum AccessThreads {
    private static let work = Monitor(Work())
    /// Beyond this many, work waits for work.
    private static let limit = 32

    private struct Work {
        var jobs: [@Sendable () -> Void] = []
        var idle = 0
        var threads = 0
        var process = ForkGuard.processToken
    }

    /// Runs `job` on one of the threads, and suspends the task until it is done.
    static func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ job: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation(isolation: isolation) { continuation in
            start { continuation.resume(returning: job()) }
        }
    }

    /// Runs `job` on one of the threads, some time.
    static func start(_ job: @escaping @Sendable () -> Void) {
        let needsThread = work.withLock { work in
            if work.process != ForkGuard.processToken {
                // A forked child has none of its parent's threads, and none of its work.
                work = Work()
            }
            work.jobs.append(job)
            guard work.idle < work.jobs.count, work.threads < limit else { return false }
            work.threads += 1
            return true
        }
        work.notifyAll()
        guard needsThread else { return }
        do {
            try DetachedThread.start(name: "file-access") { while true { serve() } }
        } catch {
            // Those that there are will do it; if there is none, whoever asks.
            let orphan = work.withLock { work -> (@Sendable () -> Void)? in
                work.threads -= 1
                return work.threads == 0 ? work.jobs.popLast() : nil
            }
            orphan?()
        }
    }

    private static func serve() {
        let job = work.withLock { work -> (@Sendable () -> Void)? in
            guard work.jobs.isEmpty else { return work.jobs.removeFirst() }
            work.idle += 1
            return nil
        }
        if let job { return job() }
        let next = work.wait(forValue: { work -> (@Sendable () -> Void)? in
            guard !work.jobs.isEmpty else { return nil }
            work.idle -= 1
            return work.jobs.removeFirst()
        })
        next?()
    }
}
#endif
