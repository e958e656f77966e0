// SPDX-License-Identifier: Apache-2.0
//
// The settings of a process, in children that are forked while other threads use them.

import FileCoordinationSystem
import Glibc
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct ForkedSettingsTests {
    @Test func `A child never waits for a thread of its parent, and has the parent's settings`()
        throws
    {
        let former = (ProcessLabel.text, PresenterAnswerTimeout.duration)
        defer { (ProcessLabel.text, PresenterAnswerTimeout.duration) = former }
        let isOver = Lock(false)
        let running = Monitor(0)
        for number in 0..<2 {
            running.withLock { $0 += 1 }
            try DetachedThread.start(name: "setter-\(number)") {
                while !isOver.withLock({ $0 }) {
                    ProcessLabel.text = "label"
                    PresenterAnswerTimeout.duration = .seconds(7)
                    Suspension.cancelsWaits = false
                }
                running.withLock { $0 -= 1 }
                running.notifyAll()
            }
        }
        ProcessLabel.text = "label"
        PresenterAnswerTimeout.duration = .seconds(7)
        for _ in 0..<300 {
            let child = fork()
            if child == 0 {
                // Ends a child that waits.
                alarm(UInt32(test_patience(5)))
                let isRight =
                    ProcessLabel.text == "label" && PresenterAnswerTimeout.duration == .seconds(7)
                    && !Suspension.cancelsWaits
                _exit(isRight ? 0 : 1)
            }
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            #expect(status == 0, "a child ended with \(status)")
            if status != 0 { break }
        }
        isOver.withLock { $0 = true }
        let limit = MonotonicClock.after(.seconds(test_patience(20)))
        #expect(running.wait(until: limit) { $0 == 0 })
    }
}
