// SPDX-License-Identifier: Apache-2.0
//
// Where tasks have things done that may block: filing (it looks at files), finishing, comparing.
// The cooperative pool has a thread per core, and one mount that does not answer must not take any
// of them (Rule 18.11).
//
// Most of that work does not block, and ten thousand tasks that begin at once must not get the
// machine's time by way of as many threads as there can be: the pool has but one for each core. So
// a few threads work, and one more looks on; if for a moment none of them has taken up anything,
// they are blocked, and it goes to work as well.
//
// And where a burst waits already while more still come, the pool is busy with bringing them. Its
// threads go first, for a moment: other tasks stand in the same line, and what is begun here would
// take the processors from them, while no thread of the burst could have its turn much sooner.

import FileCoordinationSystem

/// Threads for short work on files, on behalf of tasks.
enum BlockingWorkPool {
    private static let ofProcess = PerProcess { Monitor(Work()) }
    /// A forked child has none of its parent's threads, and none of its work.
    private static var work: Monitor<Work> { ofProcess.value }
    /// Beyond this many, work waits for work.
    private static let limit = 32
    /// How many work if none of them is blocked.
    private static let usual = max(1, CurrentProcess.processorCount / 2)
    /// Who has taken up nothing for so long is blocked, in nanoseconds.
    private static let patience: UInt64 = 2_000_000

    /// Where so many wait, those who bring more go first.
    private static let burst = 64
    /// For how long, in nanoseconds, before it is looked whether still more have come.
    private static let pause: UInt64 = 1_000_000
    /// How often until the burst has been worked off.
    private static let pauses = 100

    private typealias Job = @Sendable () -> Void

    private struct Work {
        /// Jobs that no thread has taken up, from `first` on.
        var jobs: [Job?] = []
        var first = 0
        var busy = 0
        var idle = 0
        /// Whether an idle one was woken, and has not looked yet.
        var isSummoned = false
        var threads = 0
        /// Whether an idle thread wakes up by itself when the others are blocked.
        var isWatched = false
        var lastTaken: UInt64 = 0
        /// How many waited when it was last looked whether more come.
        var waitingSeen = 0
        /// How often those who bring more went first.
        var pauses = 0
        /// Whether they do just now: one thread waits for that, on behalf of all.
        var isGivingWay = false

        var isEmpty: Bool { first == jobs.count }

        /// Takes the oldest job.
        mutating func take() -> Job? {
            guard !isEmpty else { return nil }
            let job = jobs[first]
            jobs[first] = nil
            first += 1
            if isEmpty {
                (waitingSeen, pauses) = (0, 0)
                jobs.removeAll(keepingCapacity: jobs.count <= 64)
                first = 0
            }
            busy += 1
            return job
        }

        /// Whether to let those go first who still bring more.
        mutating func giveWay() -> Bool {
            let waiting = jobs.count - first
            guard waiting >= BlockingWorkPool.burst, pauses < BlockingWorkPool.pauses else {
                return false
            }
            defer { waitingSeen = waiting }
            guard waiting > waitingSeen else { return false }
            pauses += 1
            isGivingWay = true
            return true
        }
    }

    /// Runs `job` on one of the threads, and suspends the task until it is done.
    static func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ job: @escaping @Sendable () -> Result
    ) async -> Result {
        // Resumed once, right here: ten thousand of them need not be checked.
        await withUnsafeContinuation(isolation: isolation) { continuation in
            start { continuation.resume(returning: job()) }
        }
    }

    /// Runs `job` on one of the threads, some time.
    static func start(_ job: @escaping @Sendable () -> Void) {
        let need = work.withLock { work in
            work.jobs.append(job)
            return claimThread(&work)
        }
        meet(need)
    }

    /// What the work that no thread has taken up needs.
    private enum Need { case nothing, wakingOne, anotherThread }

    /// Returns what is to be done, after the lock is given back, so that a thread works or looks
    /// on.
    private static func claimThread(_ work: inout Work) -> Need {
        guard !work.isEmpty, work.busy < usual || !work.isWatched else { return .nothing }
        if work.isSummoned || work.isGivingWay { return .nothing }
        if work.idle > 0 {
            work.isSummoned = true
            return .wakingOne
        }
        guard work.threads < limit else { return .nothing }
        work.threads += 1
        return .anotherThread
    }

    private static func meet(_ need: Need) {
        switch need {
        case .nothing: break
        case .wakingOne: work.notifyOne()
        case .anotherThread:
            do {
                try DetachedThread.start(name: "file-access") { serve() }
            } catch {
                // The existing threads do it; if there is none, the calling thread does.
                let orphan = work.withLock { work -> Job? in
                    work.threads -= 1
                    return work.threads == 0 ? work.take() : nil
                }
                guard let orphan else { return }
                orphan()
                work.withLock { $0.busy -= 1 }
            }
        }
    }

    private static func serve() -> Never {
        var isBusy = false
        while true {
            let (job, need) = nextJob(isBusy: isBusy)
            isBusy = true
            meet(need)
            job()
        }
    }

    /// Waits for a job; returns what those that are left need.
    private static func nextJob(isBusy: Bool) -> (Job, Need) {
        var isWatching = false
        var isBusy = isBusy
        while true {
            if work.withLock({ !$0.isGivingWay && $0.giveWay() }) {
                Pause.sleep(nanoseconds: pause)
                work.withLock { work in
                    work.isGivingWay = false
                    work.lastTaken = MonotonicClock.now
                }
                continue
            }
            let now = MonotonicClock.now
            let (job, need, deadline) = work.withLock { work in
                if isBusy { work.busy -= 1 }
                isBusy = false
                if isWatching { work.isWatched = false }
                isWatching = false
                work.isSummoned = false
                if !work.isGivingWay, work.busy < usual || now >= work.lastTaken + patience,
                    let job = work.take()
                {
                    work.lastTaken = now
                    return (Job?.some(job), claimThread(&work), UInt64?.none)
                }
                work.idle += 1
                guard !work.isEmpty, !work.isWatched else { return (nil, .nothing, nil) }
                work.isWatched = true
                isWatching = true
                return (nil, .nothing, max(now, work.lastTaken) + patience)
            }
            if let job { return (job, need) }
            // A watcher, until those who work may be blocked; others, until they are needed.
            _ = work.wait(until: deadline) { work in
                work.isSummoned = false
                return !work.isEmpty && !work.isGivingWay
                    && (work.busy < usual || deadline == nil && !work.isWatched)
            }
            work.withLock { $0.idle -= 1 }
        }
    }
}
