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
        var desk = Desk()
        let done = desk.present("/f")
        let failing = desk.present("/f")
        let slow = desk.present("/f")
        let reader = desk.file(.read("/f"))
        desk.answer(done, reader)
        desk.answer(failing, reader, failure: .disk)
        #expect(
            desk.last == [
                .fail(reader, .disk), .reacquire(done, .reader), .reacquire(failing, .reader),
                .reacquire(slow, .reader),
            ])
        #expect(desk.stage(reader) == nil)
        desk.answer(slow, reader, failure: .disk)
        #expect(desk.last.isEmpty)
    }

    @Test func `Rule 9.5: after an error there is nothing to hear of`() {
        var desk = Desk()
        let above = desk.present("/d")
        let editor = desk.present("/d/f")
        let writer = desk.file(.write("/d/f", .merging))
        desk.answer(editor, writer, failure: .disk)
        #expect(desk.all(to: above).isEmpty)
    }

    @Test func `A reader that shared the question asks anew when the other's fails`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.read("/f"))
        let second = desk.file(.read("/f"))
        desk.answer(editor, first, failure: .disk)
        #expect(
            desk.last == [
                .fail(first, .disk), .reacquire(editor, .reader),
                .askToYield(editor, for: second, .toReaderAndSave),
            ])
    }

    // MARK: Section 12

    @Test func `Rule 12.2: a claim can be given up in line, and while it asks`() {
        expectTimeline(
            .presenter("editor", at: "/f", methods: .relinquishToReader, " ???     "),
            .claim("reader", .read("/f"), " ...x    "),
            .claim("writer", .write("/f"), "  .x     "),
            .claim("later ", .write("/f"), "   .===  "))
    }

    @Test func `Rules 8.4, 12.5: what a cancelled claim asked for is undone`() {
        var desk = Desk()
        let answered = desk.present("/f")
        let asked = desk.present("/f")
        let writer = desk.file(.write("/f"))
        desk.answer(answered, writer)
        desk.cancel(writer)
        #expect(desk.last == [.reacquire(answered, .writer), .reacquire(asked, .writer)])
        desk.answer(asked, writer)
        #expect(desk.last.isEmpty)
    }

    @Test func `A cancel that crossed the grant takes the grant back`() {
        var desk = Desk()
        let writer = desk.file(.write("/f"))
        let reader = desk.file(.read("/f"))
        desk.cancel(writer)
        #expect(desk.last == [.grant(reader)])
    }

    @Test func `A save-back that is cancelled frees its asker`() {
        expectTimeline(
            .presenter(
                "editor   ", at: "/f", methods: .relinquishToReader, purpose: "e", " ??rrr  "),
            .claim("reader   ", .read("/f"), " ...==  "),
            .claim("save-back", .write("/f"), purpose: "e", "  ==    "))
        var desk = Desk()
        let editor = desk.present("/f", purpose: "e")
        let other = desk.present("/f", [.relinquishToWriter])
        let reader = desk.file(.read("/f"))
        let back = desk.file(.write("/f"), purpose: "e")
        desk.answer(editor, reader)
        #expect(desk.stage(back) == .asking)
        desk.cancel(back)
        #expect(desk.last == [.reacquire(other, .writer), .grant(reader)])
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
        var desk = Desk()
        let editor = desk.present("/f")
        let client = desk.client()
        _ = desk.file(.write("/f"), client: client)
        desk.handle(.clientDied(client))
        #expect(desk.last == [.reacquire(editor, .writer)])
    }

    @Test func `Rules 7.8, 15.8: what a writer had done when it died cannot be told`() {
        var desk = Desk()
        let editor = desk.present("/f", [.itemDidChange, .relinquishToWriter])
        let client = desk.client()
        let writer = desk.file(.write("/f"), client: client)
        desk.answer(editor, writer)
        desk.handle(.clientDied(client))
        #expect(desk.last == [.notify(editor, .itemDidChange), .reacquire(editor, .writer)])
    }

    @Test func `Rule 15.8: a process that dies is gone before anybody is let in`() {
        var desk = Desk()
        let client = desk.client()
        let editor = desk.present("/f", client: client)
        let reader = desk.file(.read("/f"))
        _ = desk.file(.write("/f"), client: client)
        let alsoDying = desk.file(.write("/g"), client: client)
        let writer = desk.file(.write("/f") + .write("/g"))
        desk.handle(.clientDied(client))
        #expect(desk.last == [.grant(reader)])
        #expect(desk.stage(alsoDying) == nil)
        #expect(desk.all(to: editor).count == 1)
        desk.end(reader)
        #expect(desk.last == [.grant(writer)])
    }

    @Test func `Rule 2.8a: a mover goes first also when a process leaves several places`() {
        var desk = Desk()
        let client = desk.client()
        _ = desk.file(.write("/d/f"), client: client)
        _ = desk.file(.write("/d/g"), client: client)
        let queued = desk.file(.write("/d/f"))
        let mover = desk.file(.move("/d/"))
        desk.handle(.clientDied(client))
        #expect(desk.last == [.grant(mover)])
        #expect(desk.arbiter.impediments(of: queued) == [.claim(mover)])
    }

    @Test func `Rule 5.7: a removed presenter is given nothing back`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let writer = desk.file(.write("/f"))
        desk.answer(editor, writer)
        desk.handle(.presenterRemoved(editor))
        desk.end(writer, .changed)
        #expect(desk.last.isEmpty)
        #expect(desk.arbiter.isIdle)
    }

    // MARK: Races

    @Test func `Events about what is gone or was never there are ignored`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let writer = desk.file(.write("/f"))
        let unknownClaim = ClaimID(rawValue: 99)
        let unknownPresenter = PresenterID(rawValue: 99)
        let before = desk.arbiter
        desk.end(unknownClaim, .changed)
        desk.cancel(unknownClaim)
        desk.answer(editor, unknownClaim)
        desk.answer(unknownPresenter, writer)
        desk.handle(.presenterRemoved(unknownPresenter))
        desk.handle(.presenterPlaced(unknownPresenter, path("/f")))
        desk.handle(.clientDied(ClientID(rawValue: 99)))
        desk.handle(.recoveryFinished)
        #expect(desk.arbiter == before)
        #expect(desk.all.count == 1)
    }

    @Test func `Nothing happens twice`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let writer = desk.file(.write("/f"))
        guard let registered = desk.arbiter.presenters.first?.presenter,
            let filed = desk.arbiter.claims.first?.claim
        else {
            Issue.record("a claim is missing")
            return
        }
        desk.handle(.presenterAdded(registered))
        desk.handle(.claimFiled(filed))
        desk.handle(.claimRecovered(filed))
        #expect(desk.stage(writer) == .asking)
        desk.answer(editor, writer)
        desk.answer(editor, writer, failure: .disk)
        #expect(desk.stage(writer) == .granted)
        desk.end(writer, .changed)
        desk.end(writer, .changed)
        #expect(desk.last.isEmpty)
        desk.handle(.presenterRemoved(editor))
        desk.handle(.presenterRemoved(editor))
        #expect(desk.arbiter.isIdle)
    }

    @Test func `An answer to a question that was not put yet is ignored`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let first = desk.file(.read("/f"))
        let second = desk.file(.read("/f"))
        desk.answer(editor, second)
        #expect(desk.last.isEmpty)
        desk.answer(editor, first)
        #expect(desk.last == [.grant(first), .grant(second)])
    }

    @Test func `A claim that says it ended before it was granted is over`() {
        var desk = Desk()
        let first = desk.file(.write("/f"))
        let second = desk.file(.write("/f"))
        let third = desk.file(.write("/f"))
        desk.end(second, .changed)
        #expect(desk.stage(second) == nil)
        desk.end(first, .changed)
        #expect(desk.last == [.grant(third)])
    }
}
