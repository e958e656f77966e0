// SPDX-License-Identifier: Apache-2.0
//
// Items that move (section 11). Presenters stay with the item, and so do claims that still wait for
// it; a claim that replaces means the place and stays there. What runs already has its URL and is
// not touched, but the mover keeps others away from where its items are now until it is over.

extension Arbiter {
    /// Items have moved, all of them at the same time.
    mutating func follow(
        _ moves: [ItemMove], by mover: ClaimState, _ reevaluations: inout ReevaluationQueue
    ) {
        let moves = moves.effective
        // Who is told what, and who goes where, by the places as they were before.
        let journeys = journeys(moves)
        let notices = notices(of: moves, journeys, by: mover)
        let claims = OrderedIDs(unique: moves.flatMap { tree.claims(atOrBelow: $0.old) })
        for journey in journeys { relocate(journey, mover.claim, &reevaluations) }
        for notice in notices { reevaluations.emit(notice) }
        followOwnItems(of: mover.claim, moves)
        // All of them go before any looks around where it is now.
        var travellers: [ClaimID] = []
        for id in claims where refile(id, by: moves, &reevaluations) { travellers.append(id) }
        hold(mover.claim, &reevaluations)
        reconsiderTravellers(travellers, &reevaluations)
    }

    /// A claim that was found running has made this known before.
    mutating func remind(_ id: ClaimID, of announcement: Announcement) {
        guard let record = records[id], record.grant != nil else { return }
        switch announcement {
        case .moved(let moves): followOwnItems(of: record.claim, moves.effective)
        case .versionChanged, .ubiquityAttributesChanged: break
        }
    }

    /// What the mover did to its items shows where they are now.
    private mutating func followOwnItems(of mover: FiledClaim, _ moves: [ItemMove]) {
        guard let former = records[mover.id] else { return }
        let strays = strays(of: former, moves)
        for (index, item) in mover.items.enumerated() {
            let item = records[mover.id]?.movedItems[index] ?? item
            guard item.access.writingOptions?.followsOwnMoves ?? true,
                let move = moves.deciding(item.path)
            else { continue }
            records[mover.id]?.movedItems[index] = item.moved(by: move)
        }
        records[mover.id]?.strays = strays
        guard let record = records[mover.id], !record.movedItems.isEmpty || !strays.isEmpty
        else { return }
        tree.refile(mover, items: record.territory.items)
    }

    /// What the mover, as it was before these moves, has moved out of the trees that it covers by
    /// then: as if each item there had been named, it is held where it is (Rules 2.20, 2.23).
    private func strays(of mover: ClaimState, _ moves: [ItemMove]) -> [AccessItem] {
        var result = mover.strays.map { stray in
            moves.deciding(stray.path).map { stray.moved(by: $0) } ?? stray
        }
        let trees = mover.claim.items.enumerated().map { mover.movedItems[$0] ?? $1 }
        for tree in trees + mover.strays where tree.access.coversContents {
            guard tree.access.writingOptions?.followsOwnMoves ?? true else { continue }
            for move in moves
            where tree.path.contains(move.old) && !tree.path.contains(move.new)
                && tree.path != move.new
            {
                guard let place = move.place(of: move.old) else { continue }
                let stray = AccessItem(
                    path: place, access: tree.access, packageDepths: move.newPackageDepths
                ).normalised
                if !result.contains(stray) { result.append(stray) }
            }
        }
        return result
    }

    /// The mover holds its items where they are now, too: a claim that waits for them, or holds
    /// a place there without running yet, waits until it is over (Rules 2.8a, 2.20).
    private mutating func hold(_ mover: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        // A claim that let it past where it had moved them before need not wait for it any more.
        for other in records[mover.id]?.passed ?? [] { part(mover.id, from: other, &reevaluations) }
        for other in neighboursInStageTwo(of: mover) { letPast(mover.id, other) }
        // Others may wait for it now, and its likes need not wait for them (Rule 2.17).
        reconsider(purposeIndex.waiting(mover.purpose), &reevaluations)
        // It may have moved its items on from where it had moved them before.
        reconsider(records[mover.id]?.watchers ?? [], &reevaluations)
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
            func isOwn(_ id: PresenterID) -> Bool { registry[id]?.registration.path == move.old }
            for id in there.filter(isOwn) + there.filter({ !isOwn($0) }) {
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
        _ journey: Journey, _ mover: FiledClaim, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let registration = registry[journey.presenter]?.registration,
            let old = registration.path
        else { return }
        place(journey.presenter, at: journey.new)
        registry[journey.presenter]?.addFormerPath(old)
        registry[journey.presenter]?.packageDepths = journey.packageDepths
        let isTold =
            registration.purpose != mover.purpose && registration.methods.contains(.itemDidMove)
        reevaluations.emit(.relocate(journey.presenter, to: journey.new, isTold: isTold))
    }

    // MARK: Claims

    /// Has a claim that still waits follow its items (Rules 11.4, 11.6), but for those that it
    /// replaces (Rule 11.5); returns whether it goes anywhere.
    private mutating func refile(
        _ id: ClaimID, by moves: [ItemMove], _ reevaluations: inout ReevaluationQueue
    ) -> Bool {
        guard let record = records[id], record.grant == nil else { return false }
        let items = record.claim.items.map { item -> AccessItem in
            guard !item.staysInPlace, let move = moves.deciding(item.path) else { return item }
            return item.moved(by: move)
        }
        guard items != record.claim.items else { return false }
        tree.refile(record.claim, items: items)
        records[id]?.claim.items = items
        // Its client means the old place by the slot that it named.
        records[id]?.claim.request = nil
        if record.asking != nil {
            let registry = registry
            records[id]?.updateAsking {
                $0.awaited.renamePostponed(from: record.claim.items, to: items) {
                    registry[$0]?.registration.path
                }
            }
        }
        reevaluations.emit(.retarget(id, items))
        return true
    }

    /// Has claims that have followed their items look around.
    private mutating func reconsiderTravellers(
        _ travellers: [ClaimID], _ reevaluations: inout ReevaluationQueue
    ) {
        for id in travellers { leaveBehind(id, &reevaluations) }
        // Of two that come to one place the elder goes first.
        for id in travellers.reversed() { giveWay(id) }
        for id in travellers {
            guard let record = records[id] else { continue }
            reevaluations.evaluate(record.claim)
            // Claims that waited behind it need not any more, perhaps.
            reconsider(record.watchers, &reevaluations)
        }
    }

    /// A claim of stage 2 need not wait for those that were let past it where its items were, nor
    /// those that let it past there for it.
    private mutating func leaveBehind(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id], let asking = record.asking else { return }
        for bypasser in asking.bypassers { part(bypasser, from: id, &reevaluations) }
        for other in record.passed { part(id, from: other, &reevaluations) }
    }

    /// Has `other` wait for `bypasser` no longer if they do not meet any more.
    private mutating func part(
        _ bypasser: ClaimID, from other: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let waiting = records[other], let passing = records[bypasser],
            meeting(of: waiting.claim, with: passing.territory) == nil
        else { return }
        records[other]?.updateAsking { $0.bypassers.remove(bypasser) }
        records[bypasser]?.passed.remove(other)
        reevaluations.reconsiderGrant(other)
    }

    /// A claim of stage 2 keeps its place where its items have gone, but those that had theirs
    /// there before go first.
    private mutating func giveWay(_ id: ClaimID) {
        guard let record = records[id], record.asking != nil else { return }
        for other in placedNeighbours(of: record.claim) {
            guard let neighbour = records[other], !waits(neighbour, for: id) else { continue }
            letPast(other, id)
        }
    }

    /// Conflicting claims of other purposes that hold their place.
    private func placedNeighbours(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: claim.id, .holding) { id, _ in
            result.insertOnce(id)
            return false
        }
        return result
    }

    /// Sends a claim on that a coordinator filed for the old place of its presenter, which does not
    /// know yet that its item has moved (Rule 11.7).
    func redirected(_ claim: FiledClaim) -> FiledClaim {
        guard let standpoint = claim.standpoint,
            let presenter = registry[standpoint.presenter],
            let place = presenter.registration.path, place != standpoint.place,
            presenter.registration.formerPlaces.contains(standpoint.place)
        else { return claim }
        let move = ItemMove(
            from: standpoint.place, to: place, newPackageDepths: presenter.packageDepths)
        var result = claim
        result.items = claim.items.map { $0.moved(by: move) }
        return result
    }

    // MARK: All other presenters

    /// What the move looks like from outside: to presenters of a directory that the item left or
    /// came to, and to presenters of what it was moved over.
    private func notices(
        of moves: [ItemMove], _ journeys: [Journey], by mover: ClaimState
    ) -> [Effect] {
        var noticeBuffer = NoticeBuffer()
        for move in moves {
            notifyDirectories(of: move, moves, journeys, mover.claim, &noticeBuffer)
            // Rule 11.8: these stay; who accommodated the replacement knows, the others do not.
            for id in tree.presenters(at: move.new) where !mover.accommodated.contains(id) {
                guard let presenter = recipient(id, of: mover.claim),
                    moves.deciding(move.new) == nil
                else { continue }
                noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
            }
        }
        return noticeBuffer.effects
    }

    /// Tells the presenters of containing directories: those that the item left, of the move; those
    /// that it only came to, of its appearance (Rules 11.2, 11.3).
    private func notifyDirectories(
        of move: ItemMove, _ moves: [ItemMove], _ journeys: [Journey], _ mover: FiledClaim,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        var told: OrderedIDs<PresenterID> = []
        for (depth, presenters) in tree.presenters(containing: move.old) {
            let isPackage = move.oldPackageDepths.contains(depth)
            for id in presenters {
                told.insertOnce(id)
                guard let presenter = recipient(id, of: mover) else { continue }
                noticeBuffer.send(
                    .subitemDidMove(move.old, to: move.new), to: presenter, if: .subitemDidMove,
                    isPackage: isPackage)
            }
        }
        // A directory that moves at the same time counts where it is afterwards.
        let staying = tree.presenters(containing: move.new).flatMap { depth, presenters in
            moves.deciding(move.new.prefix(depth: depth)) == nil
                ? presenters.map { (depth: depth, presenter: $0) } : []
        }
        let coming = journeys.filter { $0.new.contains(move.new) }
            .map { (depth: $0.new.depth, presenter: $0.presenter) }
        for (depth, id) in staying + coming where !told.contains(id) {
            guard let presenter = recipient(id, of: mover) else { continue }
            noticeBuffer.send(
                .subitemDidAppear(move.new), to: presenter, if: .subitemDidAppear,
                isPackage: move.newPackageDepths.contains(depth))
        }
    }
}
