// SPDX-License-Identifier: Apache-2.0
//
// Threads for work of tasks that may block: filing and finishing claims and comparing items, all of
// which examine files. Swift's cooperative pool has one thread for each core; a mount that does not
// answer must not block any of them (Rule 18.11).
//
// Most of this work does not block, and ten thousand tasks that begin at once must not start a
// thread each. So half as many threads as processors work. One more thread watches: if for a moment
// no working thread has taken a job, they are blocked, and the watcher starts to work, too. When
// many are blocked, a second must pass each time: a mount that never answers must not keep the jobs
// of other file systems waiting, and some of those end claims.
//
// When a burst of jobs is waiting and more are being added, the tasks that add them are keeping the
// processors busy. The pool's threads then pause briefly, because work that starts now would slow
// down those tasks and not finish any sooner.
//
// Threads that were started because others were blocked end when they are idle, after a time in
// which no thread had to be started.

import FileCoordinationSystem

/// Threads for short file work on behalf of tasks.
package final class BlockingWorkPool: Sendable {
    /// A forked child has none of its parent's threads, and none of its work.
    static let ofProcess = PerProcess {
        BlockingWorkPool { (serve) throws(SystemError) in
            try DetachedThread.start(name: "file-access", serve)
        }
    }
    /// Starts a thread.
    typealias ThreadStart =
        @Sendable (_ serve: @escaping @Sendable () -> Void) throws(SystemError) -> Void

    private let work = Monitor(Work())
    private let startThread: ThreadStart
    /// How long after the last start of a thread surplus threads may end.
    private let surplusTime: Duration

    /// The most threads; beyond that, jobs wait.
    private static let limit = 512
    /// The number of working threads if none of them is blocked.
    private static let usual = max(1, CurrentProcess.processorCount / 2)
    /// The number of threads that never end: the usual ones, and one that watches.
    static let kept = usual + 1
    /// If no job was taken for this long, the working threads count as blocked.
    private static let patience: Duration = .milliseconds(2)
    /// With this many busy threads, the pool is patient for longer: either they all wait for a file
    /// system that may never answer, or more threads would not help.
    static let many = 32
    /// As ``patience``, with ``many`` busy threads.
    private static let patienceWithMany: Duration = .seconds(1)

    /// With this many waiting jobs, the pool pauses while more are added.
    private static let burst = 64
    /// The length of a pause.
    ///
    /// Then the number of waiting jobs is checked again.
    private static let pause: Duration = .milliseconds(1)
    /// The most pauses until the burst is worked off.
    private static let pauses = 100

    private typealias Job = @Sendable () -> Void

    private struct Work {
        /// Jobs that no thread has taken, from index `first` on.
        var jobs: [Job?] = []
        var first = 0
        var busy = 0
        var idle = 0
        /// Whether an idle thread was woken and has not looked for a job yet.
        var isSummoned = false
        var threads = 0
        /// When a thread was last started.
        var lastStarted = Instant.distantPast
        /// When an idle thread will wake up by itself, to work if the others are blocked.
        var watchedUntil: Instant?
        var lastTaken = Instant.distantPast
        /// The number of waiting jobs at the last check for a burst.
        var waitingSeen = 0
        /// The number of pauses in this burst.
        var pauses = 0
        /// Whether the pool pauses now; one thread waits for the end of the pause.
        var isGivingWay = false

        var isEmpty: Bool { first == jobs.count }
        var isWatched: Bool { watchedUntil != nil }
        var patience: Duration {
            busy < BlockingWorkPool.many
                ? BlockingWorkPool.patience : BlockingWorkPool.patienceWithMany
        }

        /// Removes and returns the oldest job.
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

        /// Returns whether the pool should pause, because more jobs are being added.
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

    init(surplusTime: Duration = .seconds(10), startThread: @escaping ThreadStart) {
        self.surplusTime = surplusTime
        self.startThread = startThread
    }

    /// Runs `job` on one of the threads, and suspends the task until it is done.
    package static func run<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ job: @escaping @Sendable () -> Result
    ) async -> Result {
        // Unsafe, which skips the check for repeated resumption: it is resumed once, here.
        unsafe await withUnsafeContinuation(isolation: isolation) { continuation in
            start { unsafe continuation.resume(returning: job()) }
        }
    }

    /// Runs `job` on one of the threads at some time.
    package static func start(_ job: @escaping @Sendable () -> Void) { ofProcess.value.add(job) }

    /// Runs `job` on one of this pool's threads at some time.
    func add(_ job: @escaping @Sendable () -> Void) {
        let need = work.withLock { work in
            work.jobs.append(job)
            return claimThread(&work)
        }
        meet(need)
    }

    /// What the pool needs for jobs that no thread has taken.
    private enum Need { case nothing, wakingOne, anotherThread }

    /// Returns what the caller must do, after it has released the lock, so that a thread works or
    /// watches.
    private func claimThread(_ work: inout Work) -> Need {
        guard !work.isEmpty, work.busy < Self.usual || !work.isWatched else { return .nothing }
        if work.isSummoned || work.isGivingWay { return .nothing }
        if work.idle > 0 {
            work.isSummoned = true
            return .wakingOne
        }
        guard work.threads < Self.limit else { return .nothing }
        work.threads += 1
        work.lastStarted = MonotonicClock.now
        return .anotherThread
    }

    private func meet(_ need: Need) {
        switch need {
        case .nothing: break
        case .wakingOne: work.notifyOne()
        case .anotherThread:
            do {
                try startThread { self.serve() }
            } catch {
                // The existing threads do the work; if there is none, the calling thread does.
                var orphan = work.withLock { work -> Job? in
                    work.threads -= 1
                    return work.threads == 0 ? work.take() : nil
                }
                // Other callers may have failed at the same time, and left their jobs to this one.
                while let job = orphan {
                    job()
                    orphan = work.withLock { work -> Job? in
                        work.busy -= 1
                        return work.threads == 0 ? work.take() : nil
                    }
                }
            }
        }
    }

    private func serve() {
        var isBusy = false
        while let (job, need) = nextJob(isBusy: isBusy) {
            isBusy = true
            meet(need)
            job()
        }
    }

    /// What a thread does next.
    private enum Step {
        /// Runs a job, after it has met the need.
        case run(Job, Need)
        /// Waits until it is needed, but at most until then.
        case wait(until: Instant?)
        /// As ``wait(until:)``; at that time the others may be blocked.
        case watch(until: Instant)
        case end
    }

    /// Decides what a thread does that finds no job to take, and counts it as idle or removes it.
    private func rest(_ work: inout Work, _ now: Instant) -> Step {
        let isSurplus = work.threads > Self.kept
        if isSurplus, work.isEmpty, now >= work.lastStarted + surplusTime {
            work.threads -= 1
            return .end
        }
        work.idle += 1
        let deadline = max(now, work.lastTaken) + work.patience
        // Another thread may watch for longer, from when more threads were busy.
        guard !work.isEmpty, deadline < work.watchedUntil ?? .distantFuture else {
            return .wait(until: isSurplus ? max(now, work.lastStarted) + surplusTime : nil)
        }
        work.watchedUntil = deadline
        return .watch(until: deadline)
    }

    /// Waits for a job.
    ///
    /// Returns it, and what the pool needs for the remaining jobs; nil if the thread must end.
    private func nextJob(isBusy: Bool) -> (Job, Need)? {
        var isWatching = false
        var isBusy = isBusy
        while true {
            if work.withLock({ !$0.isGivingWay && $0.giveWay() }) {
                Pause.sleep(Self.pause)
                work.withLock { work in
                    work.isGivingWay = false
                    work.lastTaken = MonotonicClock.now
                }
                continue
            }
            let now = MonotonicClock.now
            let step = work.withLock { work -> Step in
                if isBusy { work.busy -= 1 }
                isBusy = false
                if isWatching { work.watchedUntil = nil }
                isWatching = false
                work.isSummoned = false
                if !work.isGivingWay,
                    work.busy < Self.usual || now >= work.lastTaken + work.patience,
                    let job = work.take()
                {
                    work.lastTaken = now
                    return .run(job, claimThread(&work))
                }
                return rest(&work, now)
            }
            switch step {
            case .run(let job, let need): return (job, need)
            case .end: return nil
            case .watch(let deadline):
                isWatching = true
                wait(until: deadline) { $0.busy < Self.usual }
            case .wait(let deadline):
                wait(until: deadline) { $0.busy < Self.usual || !$0.isWatched }
            }
        }
    }

    /// Waits, as an idle thread, until there are jobs and this thread is needed for them.
    private func wait(until deadline: Instant?, _ isNeeded: (Work) -> Bool) {
        // Whether the deadline has passed is of no interest: everything is examined again.
        _ = work.wait(until: deadline) { work in
            work.isSummoned = false
            return !work.isEmpty && !work.isGivingWay && isNeeded(work)
        }
        work.withLock { $0.idle -= 1 }
    }
}
