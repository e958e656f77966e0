// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for themselves through other claims (Rule 18.4).

import FileCoordinationArbiter
import Testing

@Suite struct CycleTests {
    /// Files a call made inside the accessors of `outer`, which waits for it unless `isLater`.
    private func nest(
        _ items: [AccessItem], in outer: ClaimID, isLater: Bool = false,
        _ fixture: inout ArbiterFixture
    ) -> ClaimID {
        var claim = fixture.filed(
            items, client: fixture.arbiter.claim(outer)?.client, inside: [outer])
        claim.blocksCaller = !isLater
        fixture.handle(.claimFiled(claim))
        return claim.id
    }

    /// The claims that failed in the last event, each with its cycle.
    private func failed(_ fixture: ArbiterFixture) -> [ClaimID: [ClaimID]] {
        fixture.last.reduce(into: [:]) { result, effect in
            if case .failInCycle(let claim, let steps) = effect {
                result[claim] = steps.map(\.claim.id)
            }
        }
    }

    @Test func `Rules 3.3, 18.4: a nested call through another coordinator waits for itself`() {
        var fixture = ArbiterFixture()
        let outer = fixture.file(.write("/f"))
        let inner = nest(.read("/f"), in: outer, &fixture)
        #expect(failed(fixture) == [inner: [inner, outer]])
        // The accessor goes on, and others get their turn.
        let other = fixture.file(.read("/f"))
        fixture.handle(.claimEnded(outer, outcomes: [.unchanged]))
        #expect(fixture.stage(other) == .granted)
    }

    @Test func `Rules 3.4, 18.4: two that nest in opposite order; the younger call fails`() {
        var fixture = ArbiterFixture()
        let (a, b) = (fixture.file(.write("/a")), fixture.file(.write("/b")))
        let first = nest(.write("/b"), in: a, &fixture)
        #expect(failed(fixture) == [:])
        let second = nest(.write("/a"), in: b, &fixture)
        #expect(failed(fixture) == [second: [second, a, first, b]])
        fixture.handle(.claimEnded(b, outcomes: [.unchanged]))
        #expect(fixture.stage(first) == .granted)
    }

    @Test func `Rule 18.4: a ring of ten`() {
        var fixture = ArbiterFixture()
        let outer = (0..<10).map { fixture.file(.write("/\($0)")) }
        var inner: [ClaimID] = []
        for number in 0..<10 {
            #expect(failed(fixture) == [:])
            inner.append(nest(.read("/\((number + 1) % 10)"), in: outer[number], &fixture))
        }
        let cycle = failed(fixture)
        #expect(cycle.keys.first == inner[9])
        #expect(cycle.values.first?.count == 20)
    }

    @Test func `Rule 18.4: through a claim in the queue that is in no accessor`() {
        var fixture = ArbiterFixture()
        let holder = fixture.file(.read("/f"))
        let waiter = fixture.file(.write("/f"))
        // The nested claim has another purpose, so Rule 2.17 does not let it pass.
        let inner = nest(.read("/f"), in: holder, &fixture)
        #expect(failed(fixture) == [inner: [inner, waiter, holder]])
    }

    @Test func `Rule 18.4: no alarm where a claim can go on`() {
        var fixture = ArbiterFixture()
        // A claim that runs, and has made no call inside, waits for nothing.
        let (a, b) = (fixture.file(.write("/a")), fixture.file(.write("/b")))
        _ = nest(.write("/b"), in: a, &fixture)
        // An asynchronous call holds up no accessor.
        _ = nest(.write("/a"), in: b, isLater: true, &fixture)
        #expect(failed(fixture) == [:])
        // Nor does a call that another thread makes.
        _ = fixture.file(.write("/a"), client: fixture.arbiter.claim(b)?.client)
        #expect(failed(fixture) == [:])
        fixture.handle(.claimEnded(b, outcomes: [.unchanged]))
        #expect(failed(fixture) == [:])
    }

    @Test func `Rule 18.4: a cycle that a move closes is found, too`() {
        var fixture = ArbiterFixture()
        let (a, b) = (fixture.file(.move("/a")), fixture.file(.write("/b")))
        let waits = nest(.write("/c"), in: b, &fixture)
        #expect(fixture.stage(waits) == .granted)
        fixture.handle(.claimEnded(waits, outcomes: [.unchanged]))
        let first = nest(.write("/b"), in: a, &fixture)
        #expect(failed(fixture) == [:])
        let second = nest(.write("/d"), in: b, &fixture)
        #expect(fixture.stage(second) == .granted)
        fixture.handle(.claimEnded(second, outcomes: [.unchanged]))
        let third = nest(.read("/a"), in: b, &fixture)
        #expect(failed(fixture)[third] != nil)
        #expect(fixture.stage(first) == .waiting)
    }

    // MARK: By way of presenters

    @Test func `Rule 18.4: a call that occupies the queue of the presenter it asks`() {
        var fixture = ArbiterFixture()
        let viewer = fixture.client()
        let presenter = fixture.present("/f", client: viewer)
        // The claim is of another purpose, and its call occupies the presenter's own queue.
        let claim = fixture.file(.read("/f"), client: viewer)
        #expect(fixture.stage(claim) == .asking)
        fixture.handle(.presenterBlocked(presenter, for: claim, by: claim))
        #expect(failed(fixture) == [claim: [claim]])
        #expect(fixture.stage(claim) == nil)
    }

    @Test func `Rule 18.4: a callback that waits for the claim which it makes way for`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let reader = fixture.file(.read("/f"))
        // With the presenter's purpose, Rule 2.16 would let the claim pass.
        let inner = fixture.file(.write("/f"), client: editor)
        #expect(failed(fixture) == [:])
        fixture.handle(.presenterBlocked(presenter, for: reader, by: inner))
        #expect(failed(fixture) == [inner: [inner, reader]])
        fixture.answer(presenter, reader)
        #expect(fixture.stage(reader) == .granted)
    }

    @Test func `Rule 18.4: three processes and a presenter, each step said how`() {
        var fixture = ArbiterFixture()
        let (one, two, three) = (fixture.client(), fixture.client(), fixture.client())
        let presenter = fixture.present("/p", client: three)
        let holder = fixture.file(.write("/a"), client: one)
        var nested = fixture.filed(.read("/p"), client: one, inside: [holder])
        nested.blocksCaller = true
        fixture.handle(.claimFiled(nested))
        let second = fixture.file(.read("/a") + .write("/b"), client: two)
        let third = fixture.file(.write("/b"), client: three)
        #expect(failed(fixture) == [:])
        fixture.handle(.presenterBlocked(presenter, for: nested.id, by: third))
        #expect(failed(fixture) == [third: [third, second, holder, nested.id]])
        guard case .failInCycle(_, let steps)? = fixture.last.first else { return }
        #expect(steps.map(\.presenter) == [nil, nil, nil, presenter])
    }

    @Test func `Rule 18.4: no alarm when the presenter is free, or its process's call runs`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let other = fixture.file(.write("/g"))
        let waits = fixture.file(.write("/g"), client: editor)
        let reader = fixture.file(.read("/f"))
        fixture.handle(.presenterBlocked(presenter, for: reader, by: waits))
        #expect(fixture.stage(reader) == .asking)
        // The blocking claim waits for a claim that waits for no other.
        #expect(failed(fixture) == [:])
        fixture.end(other, .unchanged)
        #expect(fixture.stage(waits) == .granted)
        // A claim of another process, or one that is over, blocks no presenter.
        fixture.handle(.presenterBlocked(presenter, for: reader, by: reader))
        #expect(failed(fixture) == [:])
        fixture.end(waits, .unchanged)
        fixture.handle(.presenterBlocked(presenter, for: reader, by: waits))
        fixture.handle(.presenterBlocked(presenter, for: reader, by: nil))
        fixture.answer(presenter, reader)
        #expect(fixture.stage(reader) == .granted)
    }

    @Test func `Rule 18.4: the presenter of a question that is put later`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let blocker = fixture.file(.write("/g"))
        let inner = fixture.file(.write("/g"), client: editor)
        let reader = fixture.file(.read("/f"))
        fixture.handle(.presenterBlocked(presenter, for: reader, by: inner))
        fixture.cancel(blocker)
        #expect(fixture.stage(inner) == .granted)
        // The first call returns when it is granted. The next call occupies the queue, and has the
        // presenter asked for itself.
        var own = fixture.filed(.read("/f"), client: editor, inside: [inner])
        own.blocksCaller = true
        fixture.handle(.claimFiled(own))
        // The presenter is asked for it when it has answered the reader.
        fixture.handle(.presenterBlocked(presenter, for: reader, by: own.id))
        #expect(failed(fixture) == [own.id: [own.id]])
    }

    @Test func `Rules 2.16, 18.4: through a claim that was let past`() {
        var fixture = ArbiterFixture()
        _ = fixture.present("/f", purpose: "editor")
        let reader = fixture.file(.read("/f") + .read("/g"))
        let saveBack = fixture.file(.write("/f"), purpose: "editor")
        #expect(fixture.stage(saveBack) == .granted)
        // The reader waits for the end of the save-back, not only for the presenter's answer.
        let inner = nest(.write("/g"), in: saveBack, &fixture)
        #expect(failed(fixture) == [inner: [inner, reader, saveBack]])
    }

    @Test func `Rule 18.4: who waits behind the call that fails goes on`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let reader = fixture.file(.read("/f"))
        let inner = fixture.file(.write("/f") + .write("/g"), client: editor)
        let behind = fixture.file(.write("/g"))
        #expect(fixture.stage(behind) == .waiting)
        fixture.handle(.presenterBlocked(presenter, for: reader, by: inner))
        #expect(failed(fixture).keys.first == inner)
        #expect(fixture.stage(behind) == .granted)
    }

    @Test func `Rule 18.4: only the question that cannot be answered is an edge`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f") + .read("/h"))
        // The presenter relinquishes once: it is asked for the second claim after its first answer.
        fixture.answer(presenter, first)
        #expect(fixture.stage(second) == .asking)
        let inner = fixture.file(.write("/h"), client: editor)
        #expect(fixture.stage(inner) == .waiting)
        // The call waits for the second claim, and blocks the answer to another question only.
        fixture.handle(.presenterBlocked(presenter, for: first, by: inner))
        #expect(failed(fixture) == [:])
        fixture.handle(.presenterBlocked(presenter, for: second, by: inner))
        #expect(failed(fixture) == [inner: [inner, second]])
    }

    @Test func `Rule 18.4: a question that must wait for a blocked one`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/f", client: editor)
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f") + .read("/h"))
        let inner = fixture.file(.write("/h"), client: editor)
        // The presenter is asked for the second claim when it has answered for the first. The call
        // prevents that answer, and waits for the second claim.
        fixture.handle(.presenterBlocked(presenter, for: first, by: inner))
        #expect(failed(fixture) == [inner: [inner, second]])
    }

    @Test func `Rule 18.4: a claim whose own question can be answered is on no cycle`() {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        // It only saves, so it is asked for both claims at once.
        let presenter = fixture.present("/f", [.save], client: editor)
        let first = fixture.file(.read("/f"))
        let second = fixture.file(.read("/f") + .read("/h"))
        let inner = fixture.file(.write("/h"), client: editor)
        fixture.handle(.presenterBlocked(presenter, for: first, by: inner))
        #expect(failed(fixture) == [:])
        fixture.answer(presenter, second)
        #expect(fixture.stage(second) == .granted)
        fixture.handle(.presenterBlocked(presenter, for: first, by: nil))
        fixture.answer(presenter, first)
        #expect(fixture.stage(first) == .granted)
    }
}
