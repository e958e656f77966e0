// SPDX-License-Identifier: Apache-2.0
//
// What the next arbiter knows of moves that the former one acted on (Rules 11.4, 11.7 and 18.7).

import FileCoordinationArbiter
import Testing

@Suite struct MoveRecoveryTests {
    /// A mover that runs, and has moved /d/f to /e/f under a former arbiter.
    private func recovered() -> (desk: Desk, mover: ClaimID) {
        var desk = Desk(recovering: true)
        let mover = desk.filed(.move("/d/f"))
        desk.handle(.claimRecovered(mover))
        let move = ItemMove(from: path("/d/f"), to: path("/e/f"))
        desk.handle(.claimReminded(mover.id, .moved([move])))
        return (desk, mover.id)
    }

    @Test func `Rule 2.8a: a mover holds where its items are, also under the next arbiter`() {
        var (desk, mover) = recovered()
        let waiter = desk.filed(.read("/e/f"))
        desk.handle(.claimFiled(waiter))
        desk.handle(.recoveryFinished)
        #expect(desk.stage(waiter.id) == .waiting)
        desk.handle(.claimEnded(mover, outcomes: [.unchanged]))
        #expect(desk.stage(waiter.id) == .granted)
    }

    @Test func `Rule 7.3: what it changed is told where it is`() {
        var (desk, mover) = recovered()
        let there = desk.present("/e/f")
        let before = desk.present("/d/f")
        desk.handle(.recoveryFinished)
        desk.handle(.claimEnded(mover, outcomes: [.changed]))
        #expect(desk.last(to: there) == [.notify(there, .itemDidChange)])
        #expect(desk.last(to: before) == [])
    }

    @Test func `Rule 11.4: no presenter is told of the move again`() {
        var (desk, _) = recovered()
        let presenter = desk.present("/e/f")
        let folder = desk.present("/d")
        desk.handle(.recoveryFinished)
        #expect(desk.all(to: presenter) == [])
        #expect(desk.all(to: folder) == [])
    }

    @Test func `Rule 11.7: only a place where the presenter has been is left behind`() {
        var desk = Desk()
        let presenter = desk.present("/a", purpose: "editor")
        // It knows of a move that the arbiter has not heard of: what it names is what it means.
        let ahead = desk.file(
            .replace("/b"), purpose: "editor", standpoint: Standpoint(presenter, at: path("/b")))
        #expect(desk.arbiter.claim(ahead)?.items.map(\.path) == [path("/b")])
    }
}
