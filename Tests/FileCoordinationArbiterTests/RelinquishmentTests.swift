// SPDX-License-Identifier: Apache-2.0
//
// How a presenter gives its item up and has it back (Rules 6.10, 6.11, 8.2 to 8.6).

import FileCoordinationArbiter
import Testing

@Suite struct RelinquishmentTests {
    private static let second: UInt64 = 1_000_000_000

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
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.read("/f"))
        desk.answer(editor, first)
        let second = desk.file(.read("/f"))
        #expect(desk.last == [.askToYield(editor, for: second, .saveOnly)])
        desk.answer(editor, second)
        desk.end(first)
        #expect(desk.last.isEmpty)
        desk.end(second)
        #expect(desk.last == [.reacquire(editor, .reader)])
    }

    @Test func `Rule 6.11: nested writers share one, too`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let client = desk.client()
        let outer = desk.file(.delete("/f"), purpose: "app", client: client)
        desk.answer(editor, outer)
        let inner = desk.file(.delete("/f"), purpose: "app", client: client, inside: [outer])
        #expect(
            desk.last == [.askToYield(editor, for: inner, YieldSteps(accommodateDeletion: true))])
        desk.answer(editor, inner)
        desk.end(inner, .unchanged)
        #expect(desk.last.isEmpty)
        desk.end(outer, .unchanged)
        #expect(desk.last == [.reacquire(editor, .writer)])
    }

    @Test func `A second reader does not run before the presenter has answered the first`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let first = desk.file(.read("/f"))
        let second = desk.file(.read("/f"))
        #expect(desk.last.isEmpty)
        #expect(desk.arbiter.impediments(of: second) == [.presenter(editor, .toReader)])
        desk.answer(editor, first)
        #expect(desk.last == [.grant(first), .grant(second)])
        desk.end(first)
        desk.end(second)
        #expect(desk.last == [.reacquire(editor, .reader)])
    }

    @Test func `If the first reader gives up before the answer, the second asks anew`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.read("/f"))
        let second = desk.file(.read("/f"))
        desk.cancel(first)
        #expect(
            desk.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: second, .toReaderAndSave),
            ])
        desk.answer(editor, first)
        #expect(desk.last.isEmpty)
        desk.answer(editor, second)
        #expect(desk.last == [.grant(second)])
    }

    @Test func `If the presenter goes, those who had not asked yet go on as well`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.read("/f"))
        let second = desk.file(.read("/f"))
        desk.handle(.presenterRemoved(editor))
        #expect(desk.last == [.grant(first), .grant(second)])
    }

    @Test func `Rule 6.10: relinquished to a reader and to a writer are separate states`() {
        var desk = Desk()
        let editor = desk.present("/p.rtfd", [.relinquishToReader, .relinquishToWriter])
        let client = desk.client()
        let reader = desk.file(.read("/p.rtfd/a"), purpose: "app", client: client)
        desk.answer(editor, reader)
        let writer = desk.file(
            .write("/p.rtfd/b"), purpose: "app", client: client, inside: [reader])
        #expect(desk.last == [.askToYield(editor, for: writer, .toWriter)])
        desk.answer(editor, writer)
        desk.end(writer, .unchanged)
        #expect(desk.last == [.reacquire(editor, .writer)])
        desk.end(reader)
        #expect(desk.last == [.reacquire(editor, .reader)])
        let both = desk.file(.read("/p.rtfd/a") + .write("/p.rtfd/b"))
        desk.answer(editor, both)
        desk.end(both, .unchanged, .unchanged)
        #expect(desk.last == [.reacquire(editor, .reader), .reacquire(editor, .writer)])
    }

    @Test func `Rule 8.5: the next writer asks only after the item was given back`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.write("/f"))
        desk.answer(editor, first)
        let second = desk.file(.write("/f"))
        desk.end(first, .unchanged)
        #expect(
            desk.last == [
                .reacquire(editor, .writer), .askToYield(editor, for: second, .toWriter),
            ])
    }

    @Test func `A presenter that does not implement relinquish is given nothing back`() {
        var desk = Desk()
        let editor = desk.present("/f", .save)
        let reader = desk.file(.read("/f"))
        desk.answer(editor, reader)
        desk.end(reader)
        #expect(desk.last.isEmpty)
    }

    // MARK: The bound of 6.11

    @Test func `Rule 6.11: after 30 s of readers the presenter has its item back first`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let first = desk.file(.read("/f"))
        desk.answer(editor, first)
        desk.handle(.clockAdvanced(to: 30 * Self.second - 1))
        let second = desk.file(.read("/f"))
        #expect(desk.last == [.askToYield(editor, for: second, .saveOnly)])
        desk.answer(editor, second)
        desk.handle(.clockAdvanced(to: 30 * Self.second))
        let third = desk.file(.read("/f"))
        #expect(desk.last.isEmpty)
        #expect(desk.stage(third) == .asking)
        #expect(desk.arbiter.impediments(of: third) == [.claim(first), .claim(second)])
        desk.end(first)
        #expect(desk.last.isEmpty)
        desk.end(second)
        #expect(
            desk.last == [
                .reacquire(editor, .reader), .askToYield(editor, for: third, .toReaderAndSave),
            ])
        desk.answer(editor, third)
        #expect(desk.last == [.grant(third)])
        // A new chain begins.
        let fourth = desk.file(.read("/f"))
        #expect(desk.last == [.askToYield(editor, for: fourth, .saveOnly)])
    }

    @Test func `Rule 6.11: the time before the answer does not count`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let first = desk.file(.read("/f"))
        desk.handle(.clockAdvanced(to: 29 * Self.second))
        desk.handle(.clockAdvanced(to: 3 * Self.second))
        desk.answer(editor, first)
        desk.handle(.clockAdvanced(to: 58 * Self.second))
        let second = desk.file(.read("/f"))
        #expect(desk.last == [.grant(second)])
    }

    @Test func `Rule 6.11: a read inside one of those readers does not wait for it`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let client = desk.client()
        let outer = desk.file(.read("/f"), purpose: "app", client: client)
        desk.answer(editor, outer)
        desk.handle(.clockAdvanced(to: 40 * Self.second))
        let inner = desk.file(.read("/f"), purpose: "app", client: client, inside: [outer])
        #expect(desk.last == [.grant(inner)])
    }

    @Test func `Rules 2.10, 6.11: nor for one of its purpose that came before the time was over`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let first = desk.file(.read("/f"), purpose: "app")
        desk.answer(editor, first)
        desk.handle(.clockAdvanced(to: 30 * Self.second))
        let second = desk.file(.read("/f"), purpose: "app")
        #expect(desk.last == [.grant(second)])
        let other = desk.file(.read("/f"))
        #expect(desk.arbiter.impediments(of: other) == [.claim(first), .claim(second)])
        desk.end(first)
        // But overlapping reads of one purpose do not lock it out for ever.
        let third = desk.file(.read("/f"), purpose: "app")
        #expect(desk.arbiter.impediments(of: third) == [.claim(second)])
        desk.end(second)
        #expect(
            desk.last == [.reacquire(editor, .reader), .askToYield(editor, for: other, .toReader)])
        desk.answer(editor, other)
        #expect(desk.last == [.grant(other), .grant(third)])
    }

    @Test func `Rules 2.17, 6.11: nor does a write for a reader that must wait for it`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToReader])
        let client = desk.client()
        let outer = desk.file(.read("/f"), purpose: "app", client: client)
        desk.answer(editor, outer)
        desk.handle(.clockAdvanced(to: 40 * Self.second))
        let other = desk.file(.read("/f"))
        let queued = desk.file(.write("/f"))
        let inner = desk.file(.write("/f"), purpose: "app", client: client, inside: [outer])
        #expect(desk.last == [.grant(inner)])
        #expect(desk.arbiter.impediments(of: other) == [.claim(outer), .claim(inner)])
        desk.end(inner, .changed)
        desk.end(outer)
        #expect(
            desk.last == [.reacquire(editor, .reader), .askToYield(editor, for: other, .toReader)])
        desk.answer(editor, other)
        desk.end(other)
        #expect(desk.last == [.reacquire(editor, .reader), .grant(queued)])
    }

    @Test func `Rule 6.11: writers have no such bound`() {
        var desk = Desk()
        let editor = desk.present("/f", [.relinquishToWriter])
        let outer = desk.file(.write("/f"), purpose: "app")
        desk.answer(editor, outer)
        desk.handle(.clockAdvanced(to: 40 * Self.second))
        let other = desk.file(.write("/f"), purpose: "app")
        #expect(desk.last == [.grant(other)])
    }
}
