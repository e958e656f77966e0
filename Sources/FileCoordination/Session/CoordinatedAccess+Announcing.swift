// SPDX-License-Identifier: Apache-2.0
//
// What the accessor makes known (sections 10 and 11): by calling us, or, in the case of a move, by
// what it left behind. It goes into the claim's log, and the host is told to look.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

extension CoordinatedAccess {
    /// Whether it writes anything: only then its accessor has something to make known.
    var isWriting: Bool { requests.contains { $0.access.isWriting } }

    /// Makes something known to everybody whom it concerns; at once, if a host is connected.
    func announce(_ announcement: Announcement) {
        guard session.isOurs, log(announcement) else { return }
        session.announce(.announced(WireRecord(claim.record)))
    }

    /// Writes into the claim's log, and says so if that cannot be done.
    private func log(_ announcement: Announcement) -> Bool {
        do {
            let entry = try ClaimLogEntry.announced(announcement).encodeChecked()
            return try state.withLock { state in
                try session.ledger.appendOutcome(
                    state.claim.record, entry,
                    reserving: ClaimLogEntry.outcomesLength(requests.count))
            }
        } catch {
            Diagnostics.say("what an accessor announced cannot be passed on: \(error)")
            return false
        }
    }

    // MARK: Moves

    /// Notes that the accessor has moved an item (Rule 11.1).
    func announceMove(from old: URL, to new: URL) {
        guard let from = try? session.place(of: old), let to = try? session.place(of: new),
            from.path != to.path
        else { return }
        let move = ItemMove(
            from: from.path, oldPackageDepths: from.packageDepths, to: to.path,
            newPackageDepths: to.packageDepths)
        let isNews = state.withLock { state in
            // Said again: the item is there already.
            guard !state.moves.isLast(move) else { return false }
            state.moves.append([move])
            return true
        }
        if isNews { spread([move]) }
    }

    /// Finds out what `forMoving` has moved without a word, and makes that known (Rule 11.1).
    func announceInferredMoves() {
        let (items, announced) = state.withLock { ($0.items, $0.moves) }
        var moves: [ItemMove] = []
        for index in items.indices where items[index].writing == .moving {
            let expected = announced.place(of: items[index].place.path)
            guard let anchor = items[index].anchor, !anchor.isAt(expected.bytes),
                let now = destination(of: index, items, missingAt: expected)
            else { continue }
            let place = session.facts(of: now)
            moves.append(
                ItemMove(
                    from: expected, oldPackageDepths: session.facts(of: expected).packageDepths,
                    to: now, newPackageDepths: place.packageDepths))
        }
        guard !moves.isEmpty else { return }
        // At once: two items may have changed places.
        state.withLock { [moves] in $0.moves.append(moves) }
        spread(moves)
    }

    private func spread(_ moves: [ItemMove]) {
        for move in moves { VersionStore.current.itemDidMove(from: move.old, to: move.new) }
        session.presentersMoved(ofPurpose: purpose, by: moves)
        announce(.moved(moves))
    }

    /// Where an item is that is not where it should be.
    private func destination(
        of index: Int, _ items: [AccessedItem], missingAt expected: ItemPath
    ) -> ItemPath? {
        guard let anchor = items[index].anchor else { return nil }
        let others = items.indices.filter { $0 != index && items[$0].writing != nil }
        if let other = others.first(where: { anchor.isAt(items[$0].place.path.bytes) }) {
            return items[other].place.path
        }
        if let path = anchor.currentPath { return ItemPath(bytes: path) }
        // It has no name any more. If nothing is in its place, and the one other item of the call
        // has become another file, then it was copied there and removed: from one file system to
        // another that is how things move.
        guard others.count == 1, let before = items[others[0]].before,
            (try? FileStatus(path: expected.bytes, followLinks: false)) == nil,
            before.isReplaced(after: ItemStamp.take(of: items[others[0]].place.path))
        else { return nil }
        return items[others[0]].place.path
    }
}

extension [[ItemMove]] {
    /// Whether the newest thing said about where `move` leads is this very move.
    fileprivate func isLast(_ move: ItemMove) -> Bool {
        for moves in reversed() {
            for other in moves {
                if other == move { return true }
                if other.new == move.old || other.old == move.new { return false }
            }
        }
        return false
    }
}
