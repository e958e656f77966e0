// SPDX-License-Identifier: Apache-2.0
//
// A new arbiter takes over from what the ledgers say (Rule 18.7), and what it can be asked.

import FileCoordinationArbiter
import Testing

@Suite struct RecoveryTests {
    @Test func `Nothing is decided before everything has been told`() {
        var desk = Desk(recovering: true)
        let waiting = desk.file(.write("/f"))
        #expect(desk.last.isEmpty)
        #expect(desk.stage(waiting) == .waiting)
        #expect(!desk.arbiter.isIdle)
        desk.handle(.recoveryFinished)
        #expect(desk.last == [.grant(waiting)])
    }

    @Test func `Running claims keep excluding others, whatever their number`() {
        var desk = Desk(recovering: true)
        let early = desk.file(.write("/f"))
        let running = desk.filed(.write("/f"))
        desk.handle(.claimRecovered(running))
        desk.handle(.recoveryFinished)
        #expect(desk.arbiter.impediments(of: early) == [.claim(running.id)])
        desk.end(running.id, .changed)
        #expect(desk.last == [.grant(early)])
    }

    @Test func `Waiting claims keep their order`() {
        var desk = Desk(recovering: true)
        let running = desk.filed(.read("/f"))
        let first = desk.filed(.write("/f"))
        let second = desk.filed(.read("/f"))
        desk.handle(.claimFiled(second))
        desk.handle(.claimRecovered(running))
        desk.handle(.claimFiled(first))
        desk.handle(.recoveryFinished)
        #expect(desk.last.isEmpty)
        desk.end(running.id)
        #expect(desk.last == [.grant(first.id)])
    }

    @Test func `A relinquishment is taken over by the claims that run`() {
        for presenterFirst in [true, false] {
            var desk = Desk(recovering: true)
            let running = desk.filed(.write("/f"))
            if !presenterFirst { desk.handle(.claimRecovered(running)) }
            let editor = desk.present("/f", relinquished: [.writer])
            if presenterFirst { desk.handle(.claimRecovered(running)) }
            desk.handle(.recoveryFinished)
            #expect(desk.last.isEmpty)
            desk.end(running.id, .unchanged)
            #expect(desk.last == [.reacquire(editor, .writer)])
        }
    }

    @Test func `A relinquishment that no claim holds is returned, and asked for again`() {
        var desk = Desk(recovering: true)
        let editor = desk.present("/f", relinquished: [.reader, .writer])
        let reader = desk.file(.read("/f"))
        desk.handle(.recoveryFinished)
        #expect(
            desk.last == [
                .reacquire(editor, .reader), .reacquire(editor, .writer),
                .askToYield(editor, for: reader, .toReaderAndSave),
            ])
    }

    @Test func `Claims can end, and processes die, while an arbiter recovers`() {
        var desk = Desk(recovering: true)
        let client = desk.client()
        let running = desk.filed(.write("/f"), client: client)
        let other = desk.filed(.write("/g"))
        desk.handle(.claimRecovered(running))
        desk.handle(.claimRecovered(other))
        let waiting = desk.file(.write("/f") + .write("/g"))
        let cancelled = desk.file(.write("/f"))
        desk.handle(.clientDied(client))
        desk.end(other.id, .changed)
        desk.cancel(cancelled)
        #expect(desk.all.isEmpty)
        desk.handle(.recoveryFinished)
        #expect(desk.last == [.grant(waiting)])
    }

    @Test func `A running claim that turns up late still counts`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let asking = desk.file(.write("/f"))
        let late = desk.filed(.write("/f"))
        desk.handle(.claimRecovered(late))
        desk.answer(editor, asking)
        #expect(desk.arbiter.impediments(of: asking) == [.claim(late.id)])
        desk.end(late.id, .unchanged)
        #expect(desk.last == [.grant(asking)])
    }

    @Test func `A presenter that turns up late is given back what no claim holds`() {
        var desk = Desk()
        let running = desk.file(.write("/f"))
        let held = desk.present("/f", relinquished: [.reader, .writer])
        #expect(desk.last == [.reacquire(held, .reader)])
        desk.end(running, .unchanged)
        #expect(desk.last == [.reacquire(held, .writer)])
    }

    @Test func `Status shows claims in filing order, with their ages`() {
        var desk = Desk()
        desk.handle(.clockAdvanced(to: 1_000))
        let first = desk.file(.write("/f"))
        desk.handle(.clockAdvanced(to: 3_000))
        let second = desk.file(.read("/f"))
        desk.handle(.clockAdvanced(to: 4_000))
        let status = desk.arbiter.claims
        #expect(status.map(\.claim.id) == [first, second])
        #expect(status.map(\.stage) == [.granted, .waiting])
        #expect(status.map(\.sinceFiled) == [.nanoseconds(3_000), .nanoseconds(1_000)])
        #expect(status.map(\.sinceGranted) == [.nanoseconds(3_000), nil])
        #expect(desk.arbiter.impediments(of: first).isEmpty)
    }

    @Test func `Status shows presenters in order, where they are and who waits for them`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let other = desk.present(nil)
        let reader = desk.file(.read("/f"))
        #expect(desk.arbiter.presenters.map(\.presenter.id) == [editor, other])
        #expect(desk.arbiter.presenters.map(\.awaitedBy) == [[reader], []])
        desk.answer(editor, reader)
        #expect(desk.arbiter.presenters.map(\.presenter.relinquished) == [[.reader], []])
    }
}
