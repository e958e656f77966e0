// SPDX-License-Identifier: Apache-2.0
//
// Errors, cancels, deaths and races (sections 9 and 12, Rules 5.7, 15.8).

import FileCoordinationArbiter
import Testing

@Suite struct EndingTests {
    // MARK: Section 9

    @Test func `Rule 9.1: a presenter's error ends the claim, and the line goes on`() {
        expectTimeline(
            .presenter("editor", at: "/f", methods: [.relinquishToReader, .save], " ??!      "),
            .claim("reader", .read("/f"), " ..       "),
            .claim("writer", .write("/f"), "  .===    "))
    }

    @Test func `Rules 9.2, 9.3: the first error is passed on, and all relinquished reacquire`() {
        var fixture = ArbiterFixture()
        let done = fixture.present("/f")
        let failing = fixture.present("/f")
        let slow = fixture.present("/f")
        let reader = fixture.file(.read("/f"))
        fixture.answer(done, reader)
        fixture.answer(failing, reader, failure: .disk)
        #expect(
            fixture.last == [
                .fail(reader, .disk), .reacquire(done, .reader), .reacquire(failing, .reader),
                .reacquire(slow, .reader),
            ])
        #expect(fixture.stage(reader) == nil)
        fixture.answer(slow, reader, failure: .disk)
        #expect(fixture.last.isEmpty)
    }

    @Test func `Rule 9.5: after an error there is nothing to hear of`() {
        var fixture = ArbiterFixture()
        let above = fixture.present("/d")
        let editor = fixture.present("/d/f")
        let writer = fixture.file(.write("/d/f", .merging))
        fixture.answer(editor, writer, failure: .disk)
        #expect(fixture.all(to: above).isEmpty)
    }

    @Test func `A reader that shared the question asks anew when the other's fails`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f"))
        fixture.answer(editor, first, failure: .disk)
        #expect(
            fixture.last == [
                .fail(first, .disk), .reacquire(editor, .reader),
                .askToYield(editor, for: second, .toReaderAndSave),
            ])
    }

    // MARK: Section 12

    @Test func `Rule 12.2: a claim can be given up in the queue, and while it asks`() {
        expectTimeline(
            .presenter("editor", at: "/f", methods: .relinquishToReader, " ???     "),
            .claim("reader", .read("/f"), " ...x    "),
            .claim("writer", .write("/f"), "  .x     "),
            .claim("later ", .write("/f"), "   .===  "))
    }

    @Test func `Rules 8.4, 12.5: what a cancelled claim asked for is undone`() {
        var fixture = ArbiterFixture()
        let answered = fixture.present("/f")
        let asked = fixture.present("/f")
        let writer = fixture.file(.write("/f"))
        fixture.answer(answered, writer)
        fixture.cancel(writer)
        #expect(fixture.last == [.reacquire(answered, .writer), .reacquire(asked, .writer)])
        fixture.answer(asked, writer)
        #expect(fixture.last.isEmpty)
    }

    @Test func `A cancel that crossed the grant takes the grant back`() {
        var fixture = ArbiterFixture()
        let writer = fixture.file(.write("/f"))
        let reader = fixture.file(.read("/f"))
        fixture.cancel(writer)
        #expect(fixture.last == [.grant(reader)])
    }

    @Test func `A save-back that is cancelled frees its asker`() {
        expectTimeline(
            .presenter(
                "editor   ", at: "/f", methods: .relinquishToReader, purpose: "e", " ??rrr  "),
            .claim("reader   ", .read("/f"), " ...==  "),
            .claim("save-back", .write("/f"), purpose: "e", "  ==    "))
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", purpose: "e")
        let other = fixture.present("/f", [.relinquishToWriter])
        let reader = fixture.file(.read("/f"))
        let back = fixture.file(.write("/f"), purpose: "e")
        fixture.answer(editor, reader)
        #expect(fixture.stage(back) == .asking)
        fixture.cancel(back)
        #expect(fixture.last == [.reacquire(other, .writer), .grant(reader)])
    }

    // MARK: 15.8, 5.7

    @Test func `Rule 15.8: a claimant's death ends its claims, granted or not`() {
        expectTimeline(
            .presenter("editor", at: "/f", methods: .relinquishToWriter, " ?www   "),
            .claim("writer", .write("/f"), " .===†  "),
            .claim("queued", .write("/f"), "  ..†   "),
            .claim("reader", .read("/f"), "   ..== "))
    }

    @Test func `Rule 15.8: a claimant's death while it asks gives items back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let client = fixture.client()
        _ = fixture.file(.write("/f"), client: client)
        fixture.handle(.clientDied(client))
        #expect(fixture.last == [.reacquire(editor, .writer)])
    }

    @Test func `Rules 7.8, 15.8: what a writer had done when it died cannot be told`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.itemDidChange, .relinquishToWriter])
        let client = fixture.client()
        let writer = fixture.file(.write("/f"), client: client)
        fixture.answer(editor, writer)
        fixture.handle(.clientDied(client))
        #expect(fixture.last == [.notify(editor, .itemDidChange), .reacquire(editor, .writer)])
    }

    @Test func `Rule 15.8: a process that dies is gone before another is let in`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let editor = fixture.present("/f", client: client)
        let reader = fixture.file(.read("/f"))
        _ = fixture.file(.write("/f"), client: client)
        let alsoDying = fixture.file(.write("/g"), client: client)
        let writer = fixture.file(.write("/f") + .write("/g"))
        fixture.handle(.clientDied(client))
        #expect(fixture.last == [.grant(reader)])
        #expect(fixture.stage(alsoDying) == nil)
        #expect(fixture.all(to: editor).count == 1)
        fixture.end(reader)
        #expect(fixture.last == [.grant(writer)])
    }

    @Test func `Rule 2.8a: a mover goes first also when a process leaves several places`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        _ = fixture.file(.write("/d/f"), client: client)
        _ = fixture.file(.write("/d/g"), client: client)
        let queued = fixture.file(.write("/d/f"))
        let mover = fixture.file(.move("/d/"))
        fixture.handle(.clientDied(client))
        #expect(fixture.last == [.grant(mover)])
        #expect(fixture.arbiter.impediments(of: queued) == [.claim(mover)])
    }

    @Test func `Rule 5.7: a removed presenter is given nothing back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let writer = fixture.file(.write("/f"))
        fixture.answer(editor, writer)
        fixture.handle(.presenterRemoved(editor))
        fixture.end(writer, .changed)
        #expect(fixture.last.isEmpty)
        #expect(fixture.arbiter.isIdle)
    }

    // MARK: Races

    @Test func `Events about what is gone or was never there are ignored`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let writer = fixture.file(.write("/f"))
        let unknownClaim = ClaimID(rawValue: 99)
        let unknownPresenter = PresenterID(rawValue: 99)
        let before = fixture.arbiter
        fixture.end(unknownClaim, .changed)
        fixture.cancel(unknownClaim)
        fixture.answer(editor, unknownClaim)
        fixture.answer(unknownPresenter, writer)
        fixture.handle(.presenterRemoved(unknownPresenter))
        fixture.handle(.presenterRelocated(unknownPresenter, path("/f")))
        fixture.handle(.clientDied(ClientID(rawValue: 99)))
        fixture.handle(.recoveryFinished)
        #expect(fixture.arbiter == before)
        #expect(fixture.all.count == 1)
    }

    @Test func `Nothing happens twice`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let writer = fixture.file(.write("/f"))
        guard let registered = fixture.arbiter.presenters.first?.presenter,
            let filed = fixture.arbiter.claims.first?.claim
        else {
            Issue.record("a claim is missing")
            return
        }
        fixture.handle(.presenterAdded(registered))
        fixture.handle(.claimFiled(filed))
        fixture.handle(.claimRecovered(filed))
        #expect(fixture.stage(writer) == .asking)
        fixture.answer(editor, writer)
        fixture.answer(editor, writer, failure: .disk)
        #expect(fixture.stage(writer) == .granted)
        fixture.end(writer, .changed)
        fixture.end(writer, .changed)
        #expect(fixture.last.isEmpty)
        fixture.handle(.presenterRemoved(editor))
        fixture.handle(.presenterRemoved(editor))
        #expect(fixture.arbiter.isIdle)
    }

    @Test func `An answer to a question that was not put yet is ignored`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f"))
        fixture.answer(editor, second)
        #expect(fixture.last.isEmpty)
        fixture.answer(editor, first)
        #expect(fixture.last == [.grant(first), .grant(second)])
    }

    @Test func `A claim that says it ended before it was granted is over`() {
        var fixture = ArbiterFixture()
        let first = fixture.file(.write("/f"))
        let second = fixture.file(.write("/f"))
        let third = fixture.file(.write("/f"))
        fixture.end(second, .changed)
        #expect(fixture.stage(second) == nil)
        fixture.end(first, .changed)
        #expect(fixture.last == [.grant(third)])
    }
}
