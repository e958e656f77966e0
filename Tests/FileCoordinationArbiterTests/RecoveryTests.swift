// SPDX-License-Identifier: Apache-2.0
//
// A new arbiter takes over from what the ledgers say (Rule 18.7), and what it can be asked.

import FileCoordinationArbiter
import Testing

@Suite struct RecoveryTests {
    @Test func `Nothing is decided before everything has been told`() {
        var fixture = ArbiterFixture(recovering: true)
        let waiting = fixture.file(.write("/f"))
        #expect(fixture.last.isEmpty)
        #expect(fixture.stage(waiting) == .waiting)
        #expect(!fixture.arbiter.isIdle)
        fixture.handle(.recoveryFinished)
        #expect(fixture.last == [.grant(waiting)])
    }

    @Test func `Running claims keep excluding others, whatever their number`() {
        var fixture = ArbiterFixture(recovering: true)
        let early = fixture.file(.write("/f"))
        let running = fixture.filed(.write("/f"))
        fixture.handle(.claimRecovered(running))
        fixture.handle(.recoveryFinished)
        #expect(fixture.arbiter.impediments(of: early) == [.claim(running.id)])
        fixture.end(running.id, .changed)
        #expect(fixture.last == [.grant(early)])
    }

    @Test func `Waiting claims keep their order`() {
        var fixture = ArbiterFixture(recovering: true)
        let running = fixture.filed(.read("/f"))
        let first = fixture.filed(.write("/f"))
        let second = fixture.filed(.read("/f"))
        fixture.handle(.claimFiled(second))
        fixture.handle(.claimRecovered(running))
        fixture.handle(.claimFiled(first))
        fixture.handle(.recoveryFinished)
        #expect(fixture.last.isEmpty)
        fixture.end(running.id)
        #expect(fixture.last == [.grant(first.id)])
    }

    @Test func `A relinquishment is taken over by the claims that run`() {
        for presenterFirst in [true, false] {
            var fixture = ArbiterFixture(recovering: true)
            let running = fixture.filed(.write("/f"))
            if !presenterFirst { fixture.handle(.claimRecovered(running)) }
            let editor = fixture.present("/f", relinquished: [.writer])
            if presenterFirst { fixture.handle(.claimRecovered(running)) }
            fixture.handle(.recoveryFinished)
            #expect(fixture.last.isEmpty)
            fixture.end(running.id, .unchanged)
            #expect(fixture.last == [.reacquire(editor, .writer)])
        }
    }

    @Test func `A relinquishment that no claim holds is returned, and asked for again`() {
        var fixture = ArbiterFixture(recovering: true)
        let editor = fixture.present("/f", relinquished: [.reader, .writer])
        let reader = fixture.file(.read("/f"))
        fixture.handle(.recoveryFinished)
        #expect(
            fixture.last == [
                .reacquire(editor, .reader), .reacquire(editor, .writer),
                .askToYield(editor, for: reader, .toReaderAndSave),
            ])
    }

    @Test func `Claims can end, and processes die, while an arbiter recovers`() {
        var fixture = ArbiterFixture(recovering: true)
        let client = fixture.client()
        let running = fixture.filed(.write("/f"), client: client)
        let other = fixture.filed(.write("/g"))
        fixture.handle(.claimRecovered(running))
        fixture.handle(.claimRecovered(other))
        let waiting = fixture.file(.write("/f") + .write("/g"))
        let cancelled = fixture.file(.write("/f"))
        fixture.handle(.clientDied(client))
        fixture.end(other.id, .changed)
        fixture.cancel(cancelled)
        #expect(fixture.all.isEmpty)
        fixture.handle(.recoveryFinished)
        #expect(fixture.last == [.grant(waiting)])
    }

    @Test func `A running claim that turns up late still counts`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let asking = fixture.file(.write("/f"))
        let late = fixture.filed(.write("/f"))
        fixture.handle(.claimRecovered(late))
        fixture.answer(editor, asking)
        #expect(fixture.arbiter.impediments(of: asking) == [.claim(late.id)])
        fixture.end(late.id, .unchanged)
        #expect(fixture.last == [.grant(asking)])
    }

    @Test func `A presenter that turns up late is given back what no claim holds`() {
        var fixture = ArbiterFixture()
        let running = fixture.file(.write("/f"))
        let held = fixture.present("/f", relinquished: [.reader, .writer])
        #expect(fixture.last == [.reacquire(held, .reader)])
        fixture.end(running, .unchanged)
        #expect(fixture.last == [.reacquire(held, .writer)])
    }

    @Test func `Status shows claims in filing order`() {
        var fixture = ArbiterFixture()
        let first = fixture.file(.write("/f"))
        let second = fixture.file(.read("/f"))
        let status = fixture.arbiter.claims
        #expect(status.map(\.claim.id) == [first, second])
        #expect(status.map(\.stage) == [.granted, .waiting])
        #expect(fixture.arbiter.impediments(of: first).isEmpty)
    }

    @Test func `Status shows presenters in order, where they are and who waits for them`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let other = fixture.present(nil)
        let reader = fixture.file(.read("/f"))
        #expect(fixture.arbiter.presenters.map(\.presenter.id) == [editor, other])
        #expect(fixture.arbiter.presenters.map(\.awaitedBy) == [[reader], []])
        fixture.answer(editor, reader)
        #expect(fixture.arbiter.presenters.map(\.presenter.relinquished) == [[.reader], []])
    }
}
