// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for themselves, by way of others (Rule 18.4).

import FileCoordinationArbiter
import Testing

@Suite struct CycleTests {
    /// Files a call made inside the accessors of `outer`, which waits for it unless `isLater`.
    private func nest(
        _ items: [AccessItem], in outer: ClaimID, isLater: Bool = false, _ desk: inout Desk
    ) -> ClaimID {
        var claim = desk.filed(
            items, client: desk.arbiter.claim(outer)?.client, inside: [outer])
        claim.blocksCaller = !isLater
        desk.handle(.claimFiled(claim))
        return claim.id
    }

    /// The claims that failed in the last event, each with its cycle.
    private func failed(_ desk: Desk) -> [ClaimID: [ClaimID]] {
        desk.last.reduce(into: [:]) { result, effect in
            if case .failInCycle(let claim, let steps) = effect {
                result[claim] = steps.map(\.claim.id)
            }
        }
    }

    @Test func `Rules 3.3, 18.4: a nested call through another coordinator waits for itself`() {
        var desk = Desk()
        let outer = desk.file(.write("/f"))
        let inner = nest(.read("/f"), in: outer, &desk)
        #expect(failed(desk) == [inner: [inner, outer]])
        // The accessor goes on, and others get their turn.
        let other = desk.file(.read("/f"))
        desk.handle(.claimEnded(outer, outcomes: [.unchanged]))
        #expect(desk.stage(other) == .granted)
    }

    @Test func `Rules 3.4, 18.4: two that nest in opposite order; the younger call fails`() {
        var desk = Desk()
        let (a, b) = (desk.file(.write("/a")), desk.file(.write("/b")))
        let first = nest(.write("/b"), in: a, &desk)
        #expect(failed(desk) == [:])
        let second = nest(.write("/a"), in: b, &desk)
        #expect(failed(desk) == [second: [second, a, first, b]])
        desk.handle(.claimEnded(b, outcomes: [.unchanged]))
        #expect(desk.stage(first) == .granted)
    }

    @Test func `Rule 18.4: a ring of ten`() {
        var desk = Desk()
        let outer = (0..<10).map { desk.file(.write("/\($0)")) }
        var inner: [ClaimID] = []
        for number in 0..<10 {
            #expect(failed(desk) == [:])
            inner.append(nest(.read("/\((number + 1) % 10)"), in: outer[number], &desk))
        }
        let cycle = failed(desk)
        #expect(cycle.keys.first == inner[9])
        #expect(cycle.values.first?.count == 20)
    }

    @Test func `Rule 18.4: through a claim in line that is in no accessor`() {
        var desk = Desk()
        let holder = desk.file(.read("/f"))
        let waiter = desk.file(.write("/f"))
        // Without Rule 2.17 applying, which knows the purpose only.
        let inner = nest(.read("/f"), in: holder, &desk)
        #expect(failed(desk) == [inner: [inner, waiter, holder]])
    }

    @Test func `Rule 18.4: no alarm where a claim can go on`() {
        var desk = Desk()
        // One that runs waits for nothing.
        let (a, b) = (desk.file(.write("/a")), desk.file(.write("/b")))
        _ = nest(.write("/b"), in: a, &desk)
        // An asynchronous call holds up no accessor.
        _ = nest(.write("/a"), in: b, isLater: true, &desk)
        #expect(failed(desk) == [:])
        // Nor does a call that another thread makes.
        _ = desk.file(.write("/a"), client: desk.arbiter.claim(b)?.client)
        #expect(failed(desk) == [:])
        desk.handle(.claimEnded(b, outcomes: [.unchanged]))
        #expect(failed(desk) == [:])
    }

    @Test func `Rule 18.4: a cycle that a move closes is found, too`() {
        var desk = Desk()
        let (a, b) = (desk.file(.move("/a")), desk.file(.write("/b")))
        let waits = nest(.write("/c"), in: b, &desk)
        #expect(desk.stage(waits) == .granted)
        desk.handle(.claimEnded(waits, outcomes: [.unchanged]))
        let first = nest(.write("/b"), in: a, &desk)
        #expect(failed(desk) == [:])
        let second = nest(.write("/d"), in: b, &desk)
        #expect(desk.stage(second) == .granted)
        desk.handle(.claimEnded(second, outcomes: [.unchanged]))
        let third = nest(.read("/a"), in: b, &desk)
        #expect(failed(desk)[third] != nil)
        #expect(desk.stage(first) == .waiting)
    }

    // MARK: By way of presenters

    @Test func `Rule 18.4: a call that occupies the queue of the presenter it asks`() {
        var desk = Desk()
        let viewer = desk.client()
        let presenter = desk.present("/f", client: viewer)
        // Through a coordinator without the presenter, on the presenter's own queue.
        let claim = desk.file(.read("/f"), client: viewer)
        #expect(desk.stage(claim) == .asking)
        desk.handle(.presenterHindered(presenter, by: claim))
        #expect(failed(desk) == [claim: [claim]])
        #expect(desk.stage(claim) == nil)
    }

    @Test func `Rule 18.4: a callback that waits for the claim which it makes way for`() {
        var desk = Desk()
        let editor = desk.client()
        let presenter = desk.present("/f", client: editor)
        let reader = desk.file(.read("/f"))
        // Without the presenter's purpose, or Rule 2.16 would let it pass.
        let inner = desk.file(.write("/f"), client: editor)
        #expect(failed(desk) == [:])
        desk.handle(.presenterHindered(presenter, by: inner))
        #expect(failed(desk) == [inner: [inner, reader]])
        desk.answer(presenter, reader)
        #expect(desk.stage(reader) == .granted)
    }

    @Test func `Rule 18.4: three processes and a presenter, each step said how`() {
        var desk = Desk()
        let (one, two, three) = (desk.client(), desk.client(), desk.client())
        let presenter = desk.present("/p", client: three)
        let holder = desk.file(.write("/a"), client: one)
        var nested = desk.filed(.read("/p"), client: one, inside: [holder])
        nested.blocksCaller = true
        desk.handle(.claimFiled(nested))
        let second = desk.file(.read("/a") + .write("/b"), client: two)
        let third = desk.file(.write("/b"), client: three)
        #expect(failed(desk) == [:])
        desk.handle(.presenterHindered(presenter, by: third))
        #expect(failed(desk) == [third: [third, second, holder, nested.id]])
        guard case .failInCycle(_, let steps)? = desk.last.first else { return }
        #expect(steps.map(\.presenter) == [nil, nil, nil, presenter])
    }

    @Test func `Rule 18.4: no alarm when the presenter is free, or its process's call runs`() {
        var desk = Desk()
        let editor = desk.client()
        let presenter = desk.present("/f", client: editor)
        let other = desk.file(.write("/g"))
        let waits = desk.file(.write("/g"), client: editor)
        desk.handle(.presenterHindered(presenter, by: waits))
        let reader = desk.file(.read("/f"))
        #expect(desk.stage(reader) == .asking)
        // It waits for a claim that waits for no other.
        #expect(failed(desk) == [:])
        desk.end(other, .unchanged)
        #expect(desk.stage(waits) == .granted)
        // Another process's claim blocks no presenter, nor does one that is over.
        desk.handle(.presenterHindered(presenter, by: reader))
        #expect(failed(desk) == [:])
        desk.end(waits, .unchanged)
        desk.handle(.presenterHindered(presenter, by: waits))
        desk.handle(.presenterHindered(presenter, by: nil))
        desk.answer(presenter, reader)
        #expect(desk.stage(reader) == .granted)
    }

    @Test func `Rule 18.4: the presenter of a question that is put later`() {
        var desk = Desk()
        let editor = desk.client()
        let presenter = desk.present("/f", client: editor)
        let blocker = desk.file(.write("/g"))
        let inner = desk.file(.write("/g"), client: editor)
        desk.handle(.presenterHindered(presenter, by: inner))
        desk.cancel(blocker)
        #expect(desk.stage(inner) == .granted)
        // It is over when it is granted: now the next call occupies the queue, and asks for itself.
        var own = desk.filed(.read("/f"), client: editor, inside: [inner])
        own.blocksCaller = true
        desk.handle(.claimFiled(own))
        desk.handle(.presenterHindered(presenter, by: own.id))
        #expect(failed(desk) == [own.id: [own.id]])
    }

    @Test func `Rules 2.16, 18.4: through a claim that was let past`() {
        var desk = Desk()
        _ = desk.present("/f", purpose: "editor")
        let reader = desk.file(.read("/f") + .read("/g"))
        let saveBack = desk.file(.write("/f"), purpose: "editor")
        #expect(desk.stage(saveBack) == .granted)
        // The reader waits for the end of the save-back, not only for the presenter's answer.
        let inner = nest(.write("/g"), in: saveBack, &desk)
        #expect(failed(desk) == [inner: [inner, reader, saveBack]])
    }

    @Test func `Rule 18.4: who waits behind the call that fails goes on`() {
        var desk = Desk()
        let editor = desk.client()
        let presenter = desk.present("/f", client: editor)
        _ = desk.file(.read("/f"))
        let inner = desk.file(.write("/f") + .write("/g"), client: editor)
        let behind = desk.file(.write("/g"))
        #expect(desk.stage(behind) == .waiting)
        desk.handle(.presenterHindered(presenter, by: inner))
        #expect(failed(desk).keys.first == inner)
        #expect(desk.stage(behind) == .granted)
    }
}
