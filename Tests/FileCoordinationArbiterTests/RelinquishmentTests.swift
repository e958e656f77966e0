// SPDX-License-Identifier: Apache-2.0
//
// How a presenter gives its item up and has it back (Rules 6.10, 6.11, 8.2 to 8.6).

import FileCoordinationArbiter
import InstantLiterals
import Testing

@Suite struct RelinquishmentTests {
    @Test func `Rule 8.3: the item is given back when the access ends`() {
        expectTimeline(
            .presenter("editor", at: "/f", " ??rrr  "),
            .claim("reader", .read("/f"), " ..===  "))
        expectTimeline(
            .presenter("editor", at: "/f", " ??www  "),
            .claim("writer", .write("/f"), " ..===  "))
    }

    @Test func `Rule 6.11: overlapping readers share one relinquishment`() {
        expectTimeline(
            .presenter("editor", at: "/f", methods: .relinquishToReader, " ?rrrrrr "),
            .claim("first ", .read("/f"), " .===    "),
            .claim("second", .read("/f"), "   ===   "),
            .claim("third ", .read("/f"), "     === "))
    }

    @Test func `Rules 3.6, 6.11: save is asked for with each read`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.read("/f"))
        fixture.answer(editor, first)
        let second = fixture.file(.read("/f"))
        #expect(fixture.last == [.askToYield(editor, for: second, .saveOnly)])
        fixture.answer(editor, second)
        fixture.end(first)
        #expect(fixture.last.isEmpty)
        fixture.end(second)
        #expect(fixture.last == [.reacquire(editor, .reader)])
    }

    @Test func `Rule 6.11: nested writers share one, too`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let client = fixture.client()
        let outer = fixture.file(.delete("/f"), purpose: "app", client: client)
        fixture.answer(editor, outer)
        let inner = fixture.file(.delete("/f"), purpose: "app", client: client, inside: [outer])
        #expect(
            fixture.last == [.askToYield(editor, for: inner, YieldSteps(accommodateDeletion: true))]
        )
        fixture.answer(editor, inner)
        fixture.end(inner, .unchanged)
        #expect(fixture.last.isEmpty)
        fixture.end(outer, .unchanged)
        #expect(fixture.last == [.reacquire(editor, .writer)])
    }

    @Test func `A second reader does not run before the presenter has answered the first`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f"))
        #expect(fixture.last.isEmpty)
        #expect(fixture.arbiter.impediments(of: second) == [.presenter(editor, .toReader)])
        fixture.answer(editor, first)
        #expect(fixture.last == [.grant(first), .grant(second)])
        fixture.end(first)
        fixture.end(second)
        #expect(fixture.last == [.reacquire(editor, .reader)])
    }

    @Test func `If the first reader gives up before the answer, the second asks anew`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f"))
        fixture.cancel(first)
        #expect(
            fixture.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: second, .toReaderAndSave),
            ])
        fixture.answer(editor, first)
        #expect(fixture.last.isEmpty)
        fixture.answer(editor, second)
        #expect(fixture.last == [.grant(second)])
    }

    @Test func `If the presenter goes, those who had not asked yet go on as well`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f"))
        fixture.handle(.presenterRemoved(editor))
        #expect(fixture.last == [.grant(first), .grant(second)])
    }

    @Test func `Rule 6.10: relinquished to a reader and to a writer are separate states`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/p.rtfd", [.relinquishToReader, .relinquishToWriter])
        let client = fixture.client()
        let reader = fixture.file(.read("/p.rtfd/a"), purpose: "app", client: client)
        fixture.answer(editor, reader)
        let writer = fixture.file(
            .write("/p.rtfd/b"), purpose: "app", client: client, inside: [reader])
        #expect(fixture.last == [.askToYield(editor, for: writer, .toWriter)])
        fixture.answer(editor, writer)
        fixture.end(writer, .unchanged)
        #expect(fixture.last == [.reacquire(editor, .writer)])
        fixture.end(reader)
        #expect(fixture.last == [.reacquire(editor, .reader)])
        let both = fixture.file(.read("/p.rtfd/a") + .write("/p.rtfd/b"))
        fixture.answer(editor, both)
        fixture.end(both, .unchanged, .unchanged)
        #expect(fixture.last == [.reacquire(editor, .reader), .reacquire(editor, .writer)])
    }

    @Test func `Rule 8.5: the next writer asks only after the item was given back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.write("/f"))
        fixture.answer(editor, first)
        let second = fixture.file(.write("/f"))
        fixture.end(first, .unchanged)
        #expect(
            fixture.last == [
                .reacquire(editor, .writer), .askToYield(editor, for: second, .toWriter),
            ])
    }

    @Test func `A presenter that does not implement relinquish is given nothing back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", .save)
        let reader = fixture.file(.read("/f"))
        fixture.answer(editor, reader)
        fixture.end(reader)
        #expect(fixture.last.isEmpty)
    }

    // MARK: The bound of 6.11

    @Test func `Rule 6.11: after 30 s of readers the presenter has its item back first`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let first = fixture.file(.read("/f"))
        fixture.answer(editor, first)
        fixture.handle(.clockAdvanced(to: .seconds(30) - .nanoseconds(1)))
        let second = fixture.file(.read("/f"))
        #expect(fixture.last == [.askToYield(editor, for: second, .saveOnly)])
        fixture.answer(editor, second)
        fixture.handle(.clockAdvanced(to: .seconds(30)))
        let third = fixture.file(.read("/f"))
        #expect(fixture.last.isEmpty)
        #expect(fixture.stage(third) == .asking)
        #expect(fixture.arbiter.impediments(of: third) == [.claim(first), .claim(second)])
        fixture.end(first)
        #expect(fixture.last.isEmpty)
        fixture.end(second)
        #expect(
            fixture.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: third, .toReaderAndSave),
            ])
        fixture.answer(editor, third)
        #expect(fixture.last == [.grant(third)])
        // A new chain begins.
        let fourth = fixture.file(.read("/f"))
        #expect(fixture.last == [.askToYield(editor, for: fourth, .saveOnly)])
    }

    @Test func `Rule 6.11: the time before the answer does not count`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let first = fixture.file(.read("/f"))
        fixture.handle(.clockAdvanced(to: .seconds(29)))
        fixture.handle(.clockAdvanced(to: .seconds(3)))
        fixture.answer(editor, first)
        fixture.handle(.clockAdvanced(to: .seconds(58)))
        let second = fixture.file(.read("/f"))
        #expect(fixture.last == [.grant(second)])
    }

    @Test func `Rule 6.11: a read inside one of those readers does not wait for it`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let client = fixture.client()
        let outer = fixture.file(.read("/f"), purpose: "app", client: client)
        fixture.answer(editor, outer)
        fixture.handle(.clockAdvanced(to: .seconds(40)))
        let inner = fixture.file(.read("/f"), purpose: "app", client: client, inside: [outer])
        #expect(fixture.last == [.grant(inner)])
    }

    @Test func `Rules 2.10, 6.11: nor for one of its purpose that came before the time was over`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let first = fixture.file(.read("/f"), purpose: "app")
        fixture.answer(editor, first)
        fixture.handle(.clockAdvanced(to: .seconds(30)))
        let second = fixture.file(.read("/f"), purpose: "app")
        #expect(fixture.last == [.grant(second)])
        let other = fixture.file(.read("/f"))
        #expect(fixture.arbiter.impediments(of: other) == [.claim(first), .claim(second)])
        fixture.end(first)
        // But overlapping reads of one purpose do not lock it out for ever.
        let third = fixture.file(.read("/f"), purpose: "app")
        #expect(fixture.arbiter.impediments(of: third) == [.claim(second)])
        fixture.end(second)
        #expect(
            fixture.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: other, .toReader),
            ])
        fixture.answer(editor, other)
        #expect(fixture.last == [.grant(other), .grant(third)])
    }

    @Test func `Rules 2.17, 6.11: nor does a write for a reader that must wait for it`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToReader])
        let client = fixture.client()
        let outer = fixture.file(.read("/f"), purpose: "app", client: client)
        fixture.answer(editor, outer)
        fixture.handle(.clockAdvanced(to: .seconds(40)))
        let other = fixture.file(.read("/f"))
        let queued = fixture.file(.write("/f"))
        let inner = fixture.file(.write("/f"), purpose: "app", client: client, inside: [outer])
        #expect(fixture.last == [.grant(inner)])
        #expect(fixture.arbiter.impediments(of: other) == [.claim(outer), .claim(inner)])
        fixture.end(inner, .changed)
        fixture.end(outer)
        #expect(
            fixture.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: other, .toReader),
            ])
        fixture.answer(editor, other)
        fixture.end(other)
        #expect(fixture.last == [.reacquire(editor, .reader), .grant(queued)])
    }

    @Test func `Rule 6.11: writers have no such bound`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.relinquishToWriter])
        let outer = fixture.file(.write("/f"), purpose: "app")
        fixture.answer(editor, outer)
        fixture.handle(.clockAdvanced(to: .seconds(40)))
        let other = fixture.file(.write("/f"), purpose: "app")
        #expect(fixture.last == [.grant(other)])
    }
}
