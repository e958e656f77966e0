// SPDX-License-Identifier: Apache-2.0
//
// What the next arbiter knows of moves that the former one acted on (Rules 11.4, 11.7 and 18.7).

import FileCoordinationArbiter
import Testing

@Suite struct MoveRecoveryTests {
    /// A mover that runs, and has moved /d/f to /e/f under a former arbiter.
    private func recovered() -> (fixture: ArbiterFixture, mover: ClaimID) {
        var fixture = ArbiterFixture(recovering: true)
        let mover = fixture.filed(.move("/d/f"))
        fixture.handle(.claimRecovered(mover))
        let move = ItemMove(from: path("/d/f"), to: path("/e/f"))
        fixture.handle(.claimReminded(mover.id, .moved([move])))
        return (fixture, mover.id)
    }

    @Test func `Rule 2.8a: a mover holds where its items are, also under the next arbiter`() {
        var (fixture, mover) = recovered()
        let waiter = fixture.filed(.read("/e/f"))
        fixture.handle(.claimFiled(waiter))
        fixture.handle(.recoveryFinished)
        #expect(fixture.stage(waiter.id) == .waiting)
        fixture.handle(.claimEnded(mover, outcomes: [.unchanged]))
        #expect(fixture.stage(waiter.id) == .granted)
    }

    @Test func `Rule 2.20: what an inner claim moved the outer one holds, also then`() {
        var former = ArbiterFixture()
        let client = former.client()
        let outer = former.filed(.write("/d/f"), purpose: "p", client: client)
        former.handle(.claimFiled(outer))
        let inner = former.file(
            .move("/d/f"), purpose: "p", client: client, inside: [outer.id])
        #expect(former.arbiter.movedItems(around: inner).isEmpty)
        former.announce(inner, move("/d/f", to: "/e/f"))
        let moved = former.arbiter.movedItems(around: inner)
        #expect(moved.map(\.claim) == [outer.id])

        var fixture = ArbiterFixture(recovering: true)
        var recovered = outer
        recovered.movedItems = moved.first?.items ?? MovedItems()
        fixture.handle(.claimRecovered(recovered))
        var waiting = former.filed(.read("/e/f"))
        waiting.client = ClientID(rawValue: 99)
        fixture.handle(.claimFiled(waiting))
        fixture.handle(.recoveryFinished)
        #expect(fixture.stage(waiting.id) == .waiting)
        fixture.end(outer.id, .changed)
        #expect(fixture.stage(waiting.id) == .granted)
    }

    @Test func `Rule 7.3: what it changed is told where it is`() {
        var (fixture, mover) = recovered()
        let there = fixture.present("/e/f")
        let before = fixture.present("/d/f")
        fixture.handle(.recoveryFinished)
        fixture.handle(.claimEnded(mover, outcomes: [.changed]))
        #expect(fixture.last(to: there) == [.notify(there, .itemDidChange)])
        #expect(fixture.last(to: before) == [])
    }

    @Test func `Rule 8.2: what has relinquished and moved gets its item back after the mover`() {
        var (fixture, mover) = recovered()
        let moved = fixture.present("/e/f", relinquished: [.writer])
        // The former arbiter may not have known of the move.
        let behind = fixture.present("/d/f", relinquished: [.writer])
        fixture.handle(.recoveryFinished)
        #expect(fixture.all(to: moved) == [])
        #expect(fixture.all(to: behind) == [])
        fixture.handle(.claimEnded(mover, outcomes: [.unchanged]))
        #expect(fixture.all(to: moved) == [.reacquire(moved, .writer)])
        #expect(fixture.all(to: behind) == [.reacquire(behind, .writer)])
    }

    @Test func `Rule 11.4: no presenter is told of the move again`() {
        var (fixture, _) = recovered()
        let presenter = fixture.present("/e/f")
        let folder = fixture.present("/d")
        fixture.handle(.recoveryFinished)
        #expect(fixture.all(to: presenter) == [])
        #expect(fixture.all(to: folder) == [])
    }

    @Test func `Rule 11.7: only a place where the presenter has been is left behind`() {
        var fixture = ArbiterFixture()
        let presenter = fixture.present("/a", purpose: "editor")
        // The client knows of a move of which the arbiter
        // does not know: the claim's own path counts.
        let ahead = fixture.file(
            .replace("/b"), purpose: "editor", standpoint: Standpoint(presenter, at: path("/b")))
        #expect(fixture.arbiter.claim(ahead)?.items.map(\.path) == [path("/b")])
    }
}
