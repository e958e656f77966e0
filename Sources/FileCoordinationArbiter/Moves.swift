// SPDX-License-Identifier: Apache-2.0
//
// Items that move (section 11). Presenters stay with the item, and so do claims that still wait for
// it; a claim that replaces means the place and stays there. What runs already has its URL and is
// not touched.

extension Arbiter {
    /// Items have moved, all of them at the same time.
    mutating func follow(_ moves: [ItemMove], by mover: ClaimRecord, _ turn: inout Turn) {
        let moves = moves.filter(\.isMove)
        // Who is told what, and who goes where, by the places as they were before.
        let notices = notices(of: moves, by: mover)
        let journeys = journeys(moves)
        let claims = OrderedIDs(unique: moves.flatMap { tree.claims(atOrBelow: $0.old) })
        noteOwnItems(of: mover.claim, moves)
        for journey in journeys { relocate(journey, mover.claim, &turn) }
        for notice in notices { turn.emit(notice) }
        for id in claims { retarget(id, by: moves, &turn) }
    }

    /// What the mover did to its items shows where they are now.
    private mutating func noteOwnItems(of mover: FiledClaim, _ moves: [ItemMove]) {
        for (index, item) in mover.items.enumerated() {
            let item = records[mover.id]?.movedItems[index] ?? item
            guard item.access != .writing(.replacing), let move = moves.deciding(item.path) else {
                continue
            }
            records[mover.id]?.movedItems[index] = item.moved(by: move)
        }
    }

    // MARK: Presenters

    /// Where one presenter goes.
    private struct Journey {
        let presenter: PresenterID
        let new: ItemPath
        let packageDepths: [Int]
    }

    /// Those of the item first, then those of its contents (Rule 11.2).
    private func journeys(_ moves: [ItemMove]) -> [Journey] {
        var result: [Journey] = []
        for move in moves {
            let there = tree.presenters(atOrBelow: move.old)
            let own = there.filter { registry[$0]?.registration.path == move.old }
            for id in own + there.filter({ !own.contains($0) }) {
                guard let record = registry[id], let old = record.registration.path,
                    moves.deciding(old) == move, let new = move.place(of: old)
                else { continue }
                result.append(
                    Journey(
                        presenter: id, new: new,
                        packageDepths: move.packageDepths(of: record.packageDepths)))
            }
        }
        return result
    }

    /// Ties a presenter to where its item is now, and has it told (Rules 11.2, 11.4), unless it is
    /// of the mover's purpose.
    private mutating func relocate(
        _ journey: Journey, _ mover: FiledClaim, _ turn: inout Turn
    ) {
        guard let registration = registry[journey.presenter]?.registration else { return }
        place(journey.presenter, at: journey.new)
        registry[journey.presenter]?.packageDepths = journey.packageDepths
        let isTold =
            registration.purpose != mover.purpose && registration.methods.contains(.itemDidMove)
        turn.emit(.relocate(journey.presenter, to: journey.new, isTold: isTold))
    }

    // MARK: Claims

    /// Lets a claim that still waits follow its items (Rules 11.4, 11.6), but for those that it
    /// replaces (Rule 11.5).
    private mutating func retarget(_ id: ClaimID, by moves: [ItemMove], _ turn: inout Turn) {
        guard let record = records[id], record.grant == nil else { return }
        let items = record.claim.items.map { item -> AccessItem in
            guard item.access != .writing(.replacing), let move = moves.deciding(item.path) else {
                return item
            }
            return item.moved(by: move)
        }
        guard items != record.claim.items else { return }
        tree.remove(id)
        tree.insert(id, items: items, takesPart: record.claim.kind.takesPart)
        records[id]?.claim.items = items
        turn.emit(.retarget(id, items))
        switch record.state {
        case .filed, .granted:
            break
        case .waiting:
            if let claim = records[id]?.claim { turn.evaluate(claim) }
        case .asking:
            // It keeps its place, now here, but those who had theirs here before go first.
            tree.place(id)
            for other in placedNeighbours(of: record.claim)
            where records[other]?.passed.contains(id) != true
                && records[other]?.asking?.passers.contains(id) != true
            {
                letPast(other, id)
            }
        }
        // Whoever waited behind it need not any more, perhaps.
        reconsider(record.watchers, &turn)
    }

    /// Conflicting claims of other purposes that hold their place.
    private func placedNeighbours(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: claim.id, .placed) { id, _ in
            if records[id]?.claim.purpose != claim.purpose { result.insertOnce(id) }
            return false
        }
        return result
    }

    /// Sends a claim on that a coordinator filed for the old place of its presenter, which does not
    /// know yet that its item has moved (Rule 11.7).
    func redirected(_ claim: FiledClaim) -> FiledClaim {
        guard let standpoint = claim.standpoint,
            let presenter = registry[standpoint.presenter],
            let place = presenter.registration.path, place != standpoint.place
        else { return claim }
        let move = ItemMove(
            from: standpoint.place, to: place, newPackageDepths: presenter.packageDepths)
        var result = claim
        result.items = claim.items.map { $0.moved(by: move) }
        return result
    }

    // MARK: Everybody else

    /// What the move looks like from outside: to whoever presents a directory that the item left or
    /// came to, and to whoever presented what it was moved over.
    private func notices(of moves: [ItemMove], by mover: ClaimRecord) -> [Effect] {
        var mail = Mail()
        for move in moves {
            notifyDirectories(of: move, mover.claim, &mail)
            // Rule 11.8: these stay; who accommodated the replacement knows, the others do not.
            for id in tree.presenters(at: move.new) where !mover.accommodated.contains(id) {
                guard let presenter = hearer(id, of: mover.claim), moves.deciding(move.new) == nil
                else { continue }
                mail.send(.itemDidChange, to: presenter, if: .itemDidChange)
            }
        }
        return mail.effects
    }

    /// Tells the presenters of containing directories: those that the item left, of the move; those
    /// that it only came to, of its appearance (Rules 11.2, 11.3).
    private func notifyDirectories(
        of move: ItemMove, _ mover: FiledClaim, _ mail: inout Mail
    ) {
        var told: OrderedIDs<PresenterID> = []
        for (depth, presenters) in tree.presenters(containing: move.old) {
            let isPackage = move.oldPackageDepths.contains(depth)
            for id in presenters {
                told.insertOnce(id)
                guard let presenter = hearer(id, of: mover) else { continue }
                mail.send(
                    .subitemDidMove(move.old, to: move.new), to: presenter, if: .subitemDidMove,
                    isPackage: isPackage)
            }
        }
        for (depth, presenters) in tree.presenters(containing: move.new) {
            let isPackage = move.newPackageDepths.contains(depth)
            for id in presenters where !told.contains(id) {
                guard let presenter = hearer(id, of: mover) else { continue }
                mail.send(
                    .subitemDidAppear(move.new), to: presenter, if: .subitemDidAppear,
                    isPackage: isPackage)
            }
        }
    }
}
