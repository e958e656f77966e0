// SPDX-License-Identifier: Apache-2.0
//
// Announcements of an accessor (sections 10 and 11). The accessor announces a change by a call; a
// move is also inferred from what the accessor left behind. The client writes the announcement into
// the claim's log and tells the server to look at it.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension CoordinatedAccess {
    /// Whether the access writes: only then its accessor can announce something.
    var isWriting: Bool { requests.contains { $0.access.isWriting } }

    /// Announces a change, so that the server tells presenters; at once if a server is connected.
    func announce(_ announcement: Announcement) {
        guard session.isOurs, log(announcement) else { return }
        session.tell(.announced(claim.record))
    }

    /// Writes an announcement into the claim's log, and prints a message if that fails.
    private func log(_ announcement: Announcement) -> Bool {
        do {
            let entry = try ClaimLogEntry.announced(announcement).encodeChecked()
            return try state.withLock { state in
                // A late call on another thread must not write into a record that belongs to
                // another claim now.
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

    /// Whether one of the items is at the path or contains it.
    func concerns(_ path: ItemPath) -> Bool {
        state.withLock { state in
            state.items.contains { item in
                let place = state.moves.place(of: item.place.path)
                return place == path || place.contains(path)
            }
        }
    }

    /// Announces that the accessor has moved an item (Rule 11.1).
    package func announceMove(from old: ItemName, to new: ItemName) {
        // A path that cannot be resolved concerns no other process (Rule 1.10).
        guard let from = try? session.place(of: old), let to = try? session.place(of: new)
        else { return }
        announceMove(from: from, to: to)
    }

    /// Announces that the accessor has moved an item (Rule 11.1).
    func announceMove(from old: ResolvedPlace, to new: ResolvedPlace) {
        // A forked child is inside no accessor.
        guard session.isOurs, old.path != new.path else { return }
        let move = ItemMove(
            from: old.path, oldPackageDepths: old.packageDepths, to: new.path,
            newPackageDepths: new.packageDepths)
        // A repeated announcement, without a move in between, is ignored.
        guard !state.withLock({ $0.moves.isLast(move) }) else { return }
        guard hasHappened(move) else {
            return Diagnostics.say(
                "an announcement that \(move.old) moved to \(move.new) was ignored: both show what"
                    + " they showed when the write was granted. Announce moves that were made,"
                    + " after they were made, the old path first (Rule 11.10)")
        }
        spread([move] + moves(outOfTheWayOf: move))
    }

    /// Whether one end of an announced move shows another item than when the claim was granted
    /// (Rule 11.10).
    ///
    /// Of a path that the call does not name, it is not known what was there: then a missing item
    /// counts as moved away, and an existing one as arrived.
    private func hasHappened(_ move: ItemMove) -> Bool {
        let (items, known) = state.withLock { ($0.items, $0.moves) }
        func hasChanged(_ path: ItemPath, to now: ItemStamp) -> Bool? {
            guard !known.concern(path), let item = items.first(where: { $0.place.path == path })
            else { return nil }
            if let anchor = item.anchor { return !anchor.isAt(path.bytes) }
            return item.before.map { !$0.showsSameItem(as: now) }
        }
        let (old, new) = (ItemStamp.take(of: move.old), ItemStamp.take(of: move.new))
        return hasChanged(move.old, to: old) ?? (old.status == nil)
            || hasChanged(move.new, to: new) ?? (new.status != nil)
    }

    /// Returns the moves of other items of the call that must have made way for `move`.
    ///
    /// Two items that are exchanged move at the same time; otherwise the presenters of both would
    /// end up at one of the paths.
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

    /// Finds out which items a `forMoving` accessor has moved without an announcement, and
    /// announces that (Rule 11.1).
    func announceInferredMoves() {
        guard plan.mayMove else { return }
        let (items, known) = state.withLock { ($0.items, $0.moves) }
        var moves: [ItemMove] = []
        // The contents of a moved directory have moved with it.
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
        // The moves are announced together, because two items may have been exchanged.
        if !moves.isEmpty { spread(moves) }
    }

    private func move(from old: ItemPath, to new: ItemPath) -> ItemMove {
        ItemMove(
            from: old, oldPackageDepths: session.facts(of: old).packageDepths,
            to: new, newPackageDepths: session.facts(of: new).packageDepths)
    }

    /// Announces moves to other processes first, and then to the accesses of this process: if the
    /// announcement fails, this process must not act on the moves either.
    private func spread(_ moves: [ItemMove]) {
        // An announcement has a limited length.
        guard moves.count <= WireLimits.moves else {
            spread(Array(moves.prefix(WireLimits.moves)))
            return spread(Array(moves.dropFirst(WireLimits.moves)))
        }
        guard log(.moved(moves)) else { return }
        session.ignoreMoves(moves)
        session.presentersMoved(ofPurpose: plan.purpose, by: moves)
        for move in moves { session.services.versions.itemDidMove(from: move.old, to: move.new) }
        session.tell(.announced(claim.record))
    }

    /// Whether an item's path is free, or another item of the call is there.
    ///
    /// A save that keeps the old file under another name has not moved the item.
    private func isVacated(
        _ place: ItemPath, by index: Int, _ items: [AccessedItem]
    ) -> Bool {
        // An item that cannot be examined counts as deleted.
        if (try? FileStatus(path: place.bytes, followLinks: false)) == nil { return true }
        return items.indices.contains {
            $0 != index && items[$0].anchor?.isAt(place.bytes) == true
        }
    }

    /// Returns where an item is that is not at its expected path.
    private func destination(
        of index: Int, _ items: [AccessedItem], missingAt expected: ItemPath
    ) -> ItemPath? {
        guard let anchor = items[index].anchor else { return nil }
        if let path = anchor.currentPath { return ItemPath(bytes: path) }
        let others = items.indices.filter { $0 != index && items[$0].writing != nil }
        if let other = others.first(where: { anchor.isAt(items[$0].place.path.bytes) }) {
            return items[other].place.path
        }
        // The item has no name any more. If it was to replace the only other item of the call, and
        // that is another file now, it was copied there and removed. This is how items are moved
        // between file systems.
        guard others.count == 1, let before = items[others[0]].before,
            items[others[0]].replaces || before.status == nil,
            before.isReplaced(after: ItemStamp.take(of: items[others[0]].place.path))
        else { return nil }
        return items[others[0]].place.path
    }
}
