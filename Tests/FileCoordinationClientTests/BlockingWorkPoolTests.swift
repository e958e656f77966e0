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
}
