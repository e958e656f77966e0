// SPDX-License-Identifier: Apache-2.0
//
// Jobs of tasks are run, whatever happens to threads (Rule 18.11).

import FileCoordinationSystem
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct BlockingWorkPoolTests {
    /// A first caller fails to start a thread while a second one tries; so does the second one.
    @Test func `Two callers that can start no thread run both jobs themselves`() {
        let (done, attempts) = (Lock<[Int]>([]), Lock(0))
        let made = Lock<BlockingWorkPool?>(nil)
        let pool = BlockingWorkPool { (_) throws(SystemError) in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 {
                made.withLock { $0 }?.add { done.withLock { $0.append(2) } }
            }
            throw SystemError(code: ErrorNumber.timedOut, operation: "start a thread")
        }
        made.withLock { $0 = pool }
        pool.add { done.withLock { $0.append(1) } }
        #expect(done.withLock { $0 } == [1, 2])
        made.withLock { $0 = nil }
    }

    @Test func `A job is run however many others wait for a mount that does not answer`() {
        let pool = BlockingWorkPool { (serve) throws(SystemError) in
            try DetachedThread.start(name: "pool", serve)
        }
        let answers = Monitor(false)
        let done = Monitor(false)
        for _ in 0..<BlockingWorkPool.many {
            pool.add { _ = answers.wait { $0 } }
        }
        pool.add {
            done.withLock { $0 = true }
            done.notifyAll()
        }
        #expect(done.wait(until: MonotonicClock.after(.seconds(test_patience(20)))) { $0 })
        answers.withLock { $0 = true }
        answers.notifyAll()
    }

    @Test func `Threads that were started for a mount that did not answer end when they are idle`()
    {
        let threads = Monitor((begun: 0, over: 0))
        let pool = BlockingWorkPool(surplusTime: .milliseconds(1)) { (serve) throws(SystemError) in
            threads.withLock { $0.begun += 1 }
            try DetachedThread.start(name: "pool") {
                serve()
                threads.withLock { $0.over += 1 }
                threads.notifyAll()
            }
        }
        let deadline = MonotonicClock.after(.seconds(test_patience(30)))
        let mount = Monitor((asked: 0, answered: 0))
        let jobs = BlockingWorkPool.kept + 8
        // Twice: a pool that has shrunk starts threads again.
        for round in 1...2 {
            for _ in 0..<jobs {
                pool.add {
                    mount.withLock { $0.asked += 1 }
                    mount.notifyAll()
                    _ = mount.wait { $0.answered >= round }
                }
            }
            #expect(mount.wait(until: deadline) { $0.asked == round * jobs }, "round \(round)")
            mount.withLock { $0.answered = round }
            mount.notifyAll()
            let isShrunk = threads.wait(until: deadline) {
                $0.begun - $0.over == BlockingWorkPool.kept
            }
            #expect(isShrunk, "round \(round): \(threads.withLock { $0 })")
        }
    }
}
