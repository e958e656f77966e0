// SPDX-License-Identifier: Apache-2.0
//
// The life of one access, fact by fact.

import Testing

@testable import FileCoordinationClient

@Suite struct AccessLifecycleTests {
    private var life = AccessLifecycle()

    @Test mutating func `An access waits until its items are settled`() {
        #expect(life.isWaiting)
        #expect(life.ending == nil)
        let finished = life.finishWait(failure: nil)
        #expect(finished.ending.isGranted)
        #expect(!finished.releases)
        #expect(life.ending?.isGranted == true)
        #expect(!life.isWaiting)
    }

    @Test mutating func `Its end releases the claim, once`() {
        _ = life.finishWait(failure: nil)
        #expect(!life.isOver)
        let first = life.end()
        #expect(first)
        #expect(life.isOver)
        let second = life.end()
        #expect(!second)
    }

    @Test mutating func `Rule 12.3: what was granted cannot be given up`() {
        _ = life.finishWait(failure: nil)
        let isGivenUp = life.giveUp(.cancelled)
        #expect(!isGivenUp)
        #expect(life.ending?.isGranted == true)
    }

    @Test mutating func `Given up while it is being granted, it is not granted`() {
        let isGivenUp = life.giveUp(.timedOut)
        #expect(isGivenUp)
        #expect(!life.isWaiting)
        let later = life.giveUp(.cancelled)
        #expect(later)
        let finished = life.finishWait(failure: nil)
        #expect(finished.releases)
        // The first reason counts.
        #expect(finished.ending.isTimeOut)
        let mustRelease = life.end()
        #expect(!mustRelease)
    }

    @Test mutating func `Given up before its queue runs, it is over at once`() {
        let isGivenUpBefore = life.queued()
        #expect(!isGivenUpBefore)
        _ = life.giveUp(.cancelled)
        let mustRelease = life.endIfQueued()
        #expect(mustRelease)
        let again = life.endIfQueued()
        #expect(!again)
        let ending = life.beginFinishing()
        #expect(ending != nil && ending?.isGranted == false)
        let mustReleaseAtItsEnd = life.end()
        #expect(!mustReleaseAtItsEnd)
    }

    @Test mutating func `Given up before the grant is known, it is over when it is known`() {
        _ = life.giveUp(.timedOut)
        let early = life.endIfQueued()
        #expect(!early)
        let mustRelease = life.queued()
        #expect(mustRelease)
        #expect(life.ending?.isTimeOut == true)
    }

    @Test mutating func `Given up while its items are examined, it keeps the claim till then`() {
        _ = life.queued()
        let ending = life.beginFinishing()
        #expect(ending == nil)
        _ = life.giveUp(.cancelled)
        let mustRelease = life.endIfQueued()
        #expect(!mustRelease)
        let finished = life.finishWait(failure: nil)
        #expect(finished.releases)
    }

    @Test mutating func `A failure after the grant releases the claim`() {
        let finished = life.finishWait(failure: .place(.linkLoop, item: 0))
        #expect(finished.releases)
        #expect(!finished.ending.isGranted)
        let isGivenUp = life.giveUp(.cancelled)
        #expect(!isGivenUp)
    }

    @Test mutating func `A failure between two claims has none to release`() {
        life.claimEnded()
        let finished = life.finishWait(failure: .system(.limitReached("full")))
        #expect(!finished.releases)
        #expect(!finished.ending.isGranted)
    }

    @Test mutating func `Rule 1.5: a link leads on to another claim, which is waited for`() {
        let hops = life.follow()
        #expect(hops == 1)
        life.claimEnded()
        #expect(life.isWaiting)
        let reason = life.filedNext()
        #expect(reason == nil)
        let finished = life.finishWait(failure: nil)
        #expect(finished.ending.isGranted)
        let mustRelease = life.end()
        #expect(mustRelease)
    }

    @Test mutating func `Given up between two claims, the next one is given up at once`() {
        life.claimEnded()
        let isGivenUp = life.giveUp(.cancelled)
        #expect(isGivenUp)
        let reason = life.filedNext()
        #expect(reason?.isGranted == false)
        // The claim was granted first, but the thread that
        // ends the wait sees the cancellation as well.
        let finished = life.finishWait(failure: nil)
        #expect(finished.releases)
        #expect(!finished.ending.isGranted)
    }

    @Test mutating func `Rule 15.1: an access for copies alone needs no claim any more`() {
        life.claimEnded()
        let finished = life.finishWait(failure: nil)
        #expect(finished.ending.isGranted)
        #expect(life.isReleased)
        let mustRelease = life.end()
        #expect(!mustRelease)
    }

    @Test func `One that runs already is granted`() {
        var life = AccessLifecycle.running
        #expect(life.ending?.isGranted == true)
        let mustRelease = life.end()
        #expect(mustRelease)
    }
}

@Suite struct AwaitedStateTests {
    private var wait = AwaitedState<Int>()

    @Test mutating func `A claim that is filed first is gone on with when it is decided`() {
        let early = wait.filed(1)
        #expect(early == nil)
        let access = wait.decided(.granted)
        #expect(access == 1)
    }

    @Test mutating func `A claim that is decided first is gone on with when it is filed`() {
        let threadToWake = wait.decided(.cancelled)
        #expect(threadToWake == nil)
        let ending = wait.filed(1)
        #expect(ending?.isGranted == false)
    }

    @Test mutating func `So is the next one, to which a link leads on`() {
        _ = wait.filed(1)
        _ = wait.decided(.granted)
        // The next claim is decided while the first is still being finished.
        let threadToWake = wait.decided(.granted)
        #expect(threadToWake == nil)
        let ending = wait.filed(1)
        #expect(ending?.isGranted == true)
    }

    @Test mutating func `A wait ends once, and hears of nothing afterwards`() {
        _ = wait.filed(1)
        let first = wait.end()
        let second = wait.end()
        #expect(first && !second)
        let access = wait.decided(.granted)
        #expect(access == nil)
        let ending = wait.filed(1)
        #expect(ending == nil)
    }
}

extension AccessEnding {
    fileprivate var isTimeOut: Bool {
        if case .timedOut = self { true } else { false }
    }
}
