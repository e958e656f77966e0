// SPDX-License-Identifier: Apache-2.0
//
// What the accessor makes known (sections 10 and 11): by calling us, or, in the case of a move, by
// what it left behind. It goes into the claim's log, and the server is told to look.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension CoordinatedAccess {
    /// Whether it writes anything: only then its accessor has something to make known.
    var isWriting: Bool { requests.contains { $0.access.isWriting } }

    /// Announces something to all presenters that it concerns; at once, if a server is connected.
    func announce(_ announcement: Announcement) {
        guard session.isOurs, log(announcement) else { return }
        session.announce(.announced(WireRecord(claim.record)))
    }

    /// Writes into the claim's log, and says so if that cannot be done.
    private func log(_ announcement: Announcement) -> Bool {
        do {
            let entry = try ClaimLogEntry.announced(announcement).encodeChecked()
            return try state.withLock { state in
                // Another thread may be late: by now the record may be another claim's.
                guard !state.life.isOver else { return false }
                return try session.ledger.appendOutcome(
                    state.claim.record, entry,
                    reserving: ClaimLogEntry.outcomesLength(requests.count))
            }
        } catch {
            Diagnostics.say("what an accessor announced cannot be passed on: \(error)")
            return false
        }
    }

    // MARK: Moves

    /// Whether the access concerns the place: one of its items is there, or contains it.
    func concerns(_ path: ItemPath) -> Bool {
        state.withLock { state in
            state.items.contains { item in
                let place = state.moves.place(of: item.place.path)
                return place == path || place.contains(path)
            }
        }
    }

    /// Records that the accessor has moved an item (Rule 11.1).
    package func announceMove(from old: ItemName, to new: ItemName) {
        // A move from or to no place concerns no other process (Rule 1.10).
        guard let from = try? session.place(of: old), let to = try? session.place(of: new)
        else { return }
        announceMove(from: from, to: to)
    }

    /// Records that the accessor has moved an item (Rule 11.1).
    func announceMove(from old: ResolvedPlace, to new: ResolvedPlace) {
        // A forked child is in no accessor.
        guard session.isOurs, old.path != new.path else { return }
        let move = ItemMove(
            from: old.path, oldPackageDepths: old.packageDepths, to: new.path,
            newPackageDepths: new.packageDepths)
        // Said again: the item is there already.
        guard !state.withLock({ $0.moves.isLast(move) }) else { return }
        spread([move] + moves(outOfTheWayOf: move))
    }

    /// The moves of other items of the call that must have made way for `move`: two that change
    /// places do so at once, or the presenters of both would come to be at one of them.
    private func moves(outOfTheWayOf move: ItemMove) -> [ItemMove] {
        let (items, known) = state.withLock { ($0.items, $0.moves) }
        return items.compactMap { item in
            guard item.mayMove, known.place(of: item.place.path) == move.new,
                let anchor = item.anchor, !anchor.isAt(move.new.bytes),
                let now = anchor.currentPath.flatMap({ ItemPath(bytes: $0) })
            else { return nil }
            return self.move(from: move.new, to: now)
        }
    }

    /// Finds out what `forMoving` has moved without a word, and makes that known (Rule 11.1).
    func announceInferredMoves() {
        let (items, known) = state.withLock { ($0.items, $0.moves) }
        var moves: [ItemMove] = []
        // What is inside a directory that moved has moved with it.
        let order = items.indices.sorted { items[$0].place.path.depth < items[$1].place.path.depth }
        for index in order where items[index].mayMove {
            let last = known.place(of: items[index].place.path)
            let expected = moves.destination(of: last) ?? last
            guard let anchor = items[index].anchor, !anchor.isAt(expected.bytes),
                isVacated(expected, by: index, items),
                let now = destination(of: index, items, missingAt: expected)
            else { continue }
            moves.append(move(from: last, to: now))
        }
        // At once: two items may have changed places.
        if !moves.isEmpty { spread(moves) }
    }

    private func move(from old: ItemPath, to new: ItemPath) -> ItemMove {
        ItemMove(
            from: old, oldPackageDepths: session.facts(of: old).packageDepths,
            to: new, newPackageDepths: session.facts(of: new).packageDepths)
    }

    /// First what counts for all processes, then what this process remembers of it: what could not
    /// be announced has not happened.
    private func spread(_ moves: [ItemMove]) {
        // As many at once as can be said at once.
        guard moves.count <= WireLimits.moves else {
            spread(Array(moves.prefix(WireLimits.moves)))
            return spread(Array(moves.dropFirst(WireLimits.moves)))
        }
        guard log(.moved(moves)) else { return }
        session.ignoreMoves(moves)
        session.presentersMoved(ofPurpose: plan.purpose, by: moves)
        for move in moves { session.services.versions.itemDidMove(from: move.old, to: move.new) }
        session.announce(.announced(WireRecord(claim.record)))
    }

    /// Whether an item's place is free, or another item of the call has taken it.
    ///
    /// A save that keeps the old file under another name has moved nothing.
    private func isVacated(
        _ place: ItemPath, by index: Int, _ items: [AccessedItem]
    ) -> Bool {
        // What cannot be looked at is not there any more.
        if (try? FileStatus(path: place.bytes, followLinks: false)) == nil { return true }
        return items.indices.contains {
            $0 != index && items[$0].anchor?.isAt(place.bytes) == true
        }
    }

    /// Where an item is that is not where it should be.
    private func destination(
        of index: Int, _ items: [AccessedItem], missingAt expected: ItemPath
    ) -> ItemPath? {
        guard let anchor = items[index].anchor else { return nil }
        if let path = anchor.currentPath { return ItemPath(bytes: path) }
        let others = items.indices.filter { $0 != index && items[$0].writing != nil }
        if let other = others.first(where: { anchor.isAt(items[$0].place.path.bytes) }) {
            return items[other].place.path
        }
        // It has no name any more. If it was to replace the one other item of the call, and that is
        // another file by now, then it was copied there and removed: from one file system to
        // another that is how things move.
        guard others.count == 1, let before = items[others[0]].before,
            items[others[0]].replaces || before.status == nil,
            before.isReplaced(after: ItemStamp.take(of: items[others[0]].place.path))
        else { return nil }
        return items[others[0]].place.path
    }
}
