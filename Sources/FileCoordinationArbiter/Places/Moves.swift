// SPDX-License-Identifier: Apache-2.0
//
// Moves of items that a writer announces (the rule book's section 11). Presenters follow the item,
// and so do claims that wait for it; a claim that replaces an item stays at the path. Running
// claims have their URLs already and are not changed. Until they end, the mover and the claims
// around it keep other claims away from the new paths of its items.

extension Arbiter {
    /// Handles simultaneous moves of items.
    mutating func follow(
        _ moves: [ItemMove], by mover: ClaimState, _ reevaluations: inout ReevaluationQueue
    ) {
        let moves = moves.effective
        // Notices and new paths are determined from the state before the moves.
        let presenterMoves = presenterMoves(moves)
        let notices = notices(of: moves, presenterMoves, by: mover)
        let claims = OrderedIDs(unique: moves.flatMap { tree.claims(atOrBelow: $0.old) })
        let requirements = claims.map { requirementsBeforeMove(of: $0) }
        for presenterMove in presenterMoves { relocate(presenterMove, mover.claim, &reevaluations) }
        for notice in notices { reevaluations.emit(notice) }
        let holders = holdersOfMovedItems(of: mover.claim)
        for holder in holders {
            followOwnItems(of: holder, moves)
            if holder.client != mover.claim.client { records[holder.id]?.isMovedByOthers = true }
        }
        // All claims are moved before any of them is reevaluated at its new path.
        var travellers: [ClaimID] = []
        for (id, asked) in zip(claims, requirements) where refile(id, by: moves, &reevaluations) {
            travellers.append(id)
            rememberRequirements(asked, of: id, moves)
        }
        for holder in holders { hold(holder, &reevaluations) }
        reevaluateMovedClaims(travellers, &reevaluations)
    }

    /// Handles an announcement that a running claim made to a former server.
    mutating func remind(_ id: ClaimID, of announcement: Announcement) {
        guard let record = records[id], record.grant != nil else { return }
        switch announcement {
        case .moved(let moves):
            // Claims around it were recovered with the items that they hold since.
            followOwnItems(of: record.claim, moves.effective)
        case .versionChanged, .ubiquityAttributesChanged: break
        }
    }

    /// Returns the claims that hold what the mover moves, at its new path, until they end: the
    /// mover, and the running claims inside whose accessors it was made (Rule 2.20).
    private func holdersOfMovedItems(of mover: FiledClaim) -> [FiledClaim] {
        let outer = mover.outerClaims.compactMap { records[$0] }.filter { $0.grant != nil }
        return [mover] + outer.map(\.claim)
    }

    /// Records where items of a claim are after moves that it or a claim inside it made.
    private mutating func followOwnItems(of mover: FiledClaim, _ moves: [ItemMove]) {
        guard let former = records[mover.id] else { return }
        let itemsMovedOut = itemsMovedOut(of: former, moves)
        for (index, item) in mover.items.enumerated() {
            let item = records[mover.id]?.movedItems[index] ?? item
            guard item.access.writingOptions?.followsOwnMoves ?? true,
                let move = moves.deciding(item.path)
            else { continue }
            records[mover.id]?.movedItems[index] = item.moved(by: move)
        }
        records[mover.id]?.itemsMovedOut = itemsMovedOut
        guard let record = records[mover.id], !record.movedItems.isEmpty || !itemsMovedOut.isEmpty
        else { return }
        tree.refile(mover, items: record.territory.items)
    }

    /// Returns the items that the mover has now moved out of directories that it covers.
    ///
    /// The claim continues to cover them, as if each had been named (Rules 2.20, 2.23).
    private func itemsMovedOut(of mover: ClaimState, _ moves: [ItemMove]) -> [AccessItem] {
        var result = mover.itemsMovedOut.map { item in
            moves.deciding(item.path).map { item.moved(by: $0) } ?? item
        }
        let trees = mover.claim.items.enumerated().map { mover.movedItems[$0] ?? $1 }
        for tree in trees + mover.itemsMovedOut where tree.access.coversContents {
            guard tree.access.writingOptions?.followsOwnMoves ?? true else { continue }
            for move in moves
            where tree.path.contains(move.old) && !tree.path.contains(move.new)
                && tree.path != move.new
            {
                guard let place = move.place(of: move.old) else { continue }
                let item = AccessItem(
                    path: place, access: tree.access, packageDepths: move.newPackageDepths
                ).normalised
                if !result.contains(item) { result.append(item) }
            }
        }
        return result
    }

    /// Makes other claims wait for the mover at the new paths of its items, both waiting claims and
    /// those that hold a position there and have not been granted (Rules 2.8a, 2.20).
    private mutating func hold(_ mover: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        // Claims that let the mover past at a former path of its items need not wait for it any
        // more.
        for other in records[mover.id]?.passed ?? [] { part(mover.id, from: other, &reevaluations) }
        for other in neighboursInStageTwo(of: mover) { letPast(mover.id, other) }
        // Other claims may wait for the mover now. Claims of its purpose need not wait for those
        // (Rule 2.17).
        reconsider(purposeIndex.waiting(mover.purpose), &reevaluations)
        // The mover may have left a path where these claims waited for it.
        reconsider(records[mover.id]?.watchers ?? [], &reevaluations)
    }

    // MARK: Presenters

    /// The new path of a presenter.
    private struct PresenterMove {
        let presenter: PresenterID
        let new: ItemPath
        let packageDepths: [Int]
    }

    /// Returns the new paths of presenters: first those of the item, then those of its contents
    /// (Rule 11.2).
    private func presenterMoves(_ moves: [ItemMove]) -> [PresenterMove] {
        var result: [PresenterMove] = []
        for move in moves {
            let there = tree.presenters(atOrBelow: move.old)
            func isOwn(_ id: PresenterID) -> Bool { registry[id]?.registration.path == move.old }
            for id in there.filter(isOwn) + there.filter({ !isOwn($0) }) {
                guard let record = registry[id], let old = record.registration.path,
                    moves.deciding(old) == move, let new = move.place(of: old)
                else { continue }
                result.append(
                    PresenterMove(
                        presenter: id, new: new,
                        packageDepths: move.packageDepths(of: record.packageDepths)))
            }
        }
        return result
    }

    /// Moves a presenter to its item's new path and has it told (Rules 11.2, 11.4), except for a
    /// presenter of the mover's purpose.
    private mutating func relocate(
        _ presenterMove: PresenterMove, _ mover: FiledClaim,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard let registration = registry[presenterMove.presenter]?.registration,
            let old = registration.path
        else { return }
        place(presenterMove.presenter, at: presenterMove.new)
        registry[presenterMove.presenter]?.addFormerPath(old)
        registry[presenterMove.presenter]?.packageDepths = presenterMove.packageDepths
        let isTold =
            registration.purpose != mover.purpose && registration.methods.contains(.itemDidMove)
        reevaluations.emit(
            .relocate(presenterMove.presenter, to: presenterMove.new, isTold: isTold))
    }

    // MARK: Claims

    /// Makes a waiting claim follow its items (Rules 11.4, 11.6), except for those that it replaces
    /// (Rule 11.5).
    ///
    /// Returns whether its items have moved.
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
        // The delegation slot that the client requested refers to the old path.
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

    /// Reevaluates claims that have followed their items.
    private mutating func reevaluateMovedClaims(
        _ travellers: [ClaimID], _ reevaluations: inout ReevaluationQueue
    ) {
        for id in travellers { endBypassesAtFormerPath(id, &reevaluations) }
        // If two of them arrive at one path, the older one goes first.
        for id in travellers.reversed() { giveWay(id) }
        for id in travellers {
            guard let record = records[id] else { continue }
            reevaluations.evaluate(record.claim)
            if record.asking != nil { reevaluations.reconsiderGrant(id) }
            // Claims that waited behind it may be free now.
            reconsider(record.watchers, &reevaluations)
        }
    }

    /// Ends the waits between a claim in stage 2 and claims that passed it or that it passed at its
    /// former path.
    private mutating func endBypassesAtFormerPath(
        _ id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let record = records[id], let asking = record.asking else { return }
        for bypasser in asking.bypassers { part(bypasser, from: id, &reevaluations) }
        for other in record.passed { part(id, from: other, &reevaluations) }
    }

    /// Ends the wait of `other` for `bypasser` if they do not conflict any more.
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

    /// Lets a claim in stage 2 keep its position at its new path, but after the claims that held
    /// theirs there before.
    private mutating func giveWay(_ id: ClaimID) {
        guard let record = records[id], record.asking != nil else { return }
        for other in placedNeighbours(of: record.claim) {
            guard let neighbour = records[other], !waits(neighbour, for: id) else { continue }
            letPast(other, id)
        }
    }

    /// Returns the conflicting claims of other purposes that hold their position.
    private func placedNeighbours(of claim: FiledClaim) -> OrderedIDs<ClaimID> {
        var result: OrderedIDs<ClaimID> = []
        _ = tree.firstNeighbour(of: claim.id, .holding) { id, _ in
            result.insertOnce(id)
            return false
        }
        return result
    }

    /// Redirects a claim that a coordinator filed for its presenter's old path, because the
    /// presenter has not been told about a move yet (Rule 11.7).
    ///
    /// - Parameter claim: the claim, as its client has filed it.
    /// - Returns: the claim with the new paths, or as it is.
    public func redirected(_ claim: FiledClaim) -> FiledClaim {
        guard let standpoint = claim.standpoint,
            let presenter = registry[standpoint.presenter],
            let place = presenter.registration.path, place != standpoint.place,
            presenter.registration.formerPlaces.contains(standpoint.place)
        else { return claim }
        let move = ItemMove(
            from: standpoint.place, to: place, newPackageDepths: presenter.packageDepths)
        var result = claim
        result.items = claim.items.map { $0.moved(by: move) }
        result.standpoint = Standpoint(standpoint.presenter, at: place)
        return result
    }

    // MARK: Other presenters

    /// Returns the notices for other presenters: those of directories that the item left or arrived
    /// in, and those of an item that was overwritten by the move.
    private func notices(
        of moves: [ItemMove], _ presenterMoves: [PresenterMove], by mover: ClaimState
    ) -> [Effect] {
        var noticeBuffer = NoticeBuffer()
        for move in moves {
            notifyDirectories(of: move, moves, presenterMoves, mover.claim, &noticeBuffer)
            // Rule 11.8: these presenters stay. Those that accommodated the replacement know of it;
            // the others are notified.
            for id in tree.presenters(at: move.new) where !mover.accommodated.contains(id) {
                guard let presenter = recipient(id, of: mover.claim),
                    moves.deciding(move.new) == nil
                else { continue }
                noticeBuffer.send(.itemDidChange, to: presenter, if: .itemDidChange)
            }
        }
        return noticeBuffer.effects
    }

    /// Notifies the presenters of containing directories: those that the item left, of the move;
    /// those that it only arrived in, of its appearance; and all of them of a change at the path
    /// that they contain, at the new one first (Rules 11.2, 11.3).
    private func notifyDirectories(
        of move: ItemMove, _ moves: [ItemMove], _ presenterMoves: [PresenterMove],
        _ mover: FiledClaim,
        _ noticeBuffer: inout NoticeBuffer
    ) {
        var left: OrderedIDs<PresenterID> = []
        var changes: [(presenter: RegisteredPresenter, path: ItemPath, isPackage: Bool)] = []
        for (depth, presenters) in tree.presenters(containing: move.old) {
            // A directory that moves at the same time misses the item at its new path.
            let path = moves.deciding(move.old.prefix(depth: depth))?.place(of: move.old)
            for id in presenters {
                left.insertOnce(id)
                guard let presenter = recipient(id, of: mover) else { continue }
                noticeBuffer.send(
                    .subitemDidMove(move.old, to: move.new), to: presenter, if: .subitemDidMove)
                let isPackage = move.oldPackageDepths.contains(depth)
                changes.append((presenter, path ?? move.old, isPackage))
            }
        }
        // A directory that moves at the same time counts at its new path.
        let staying = tree.presenters(containing: move.new).flatMap { depth, presenters in
            moves.deciding(move.new.prefix(depth: depth)) == nil
                ? presenters.map { (depth: depth, presenter: $0) } : []
        }
        let coming = presenterMoves.filter { $0.new.contains(move.new) }
            .map { (depth: $0.new.depth, presenter: $0.presenter) }
        for (depth, id) in staying + coming {
            guard let presenter = recipient(id, of: mover) else { continue }
            if !left.contains(id) {
                noticeBuffer.send(.subitemDidAppear(move.new), to: presenter, if: .subitemDidAppear)
            }
            noticeBuffer.send(
                .subitemDidChange(move.new), to: presenter, if: .subitemDidChange,
                isPackage: move.newPackageDepths.contains(depth))
        }
        for (presenter, path, isPackage) in changes {
            noticeBuffer.send(
                .subitemDidChange(path), to: presenter, if: .subitemDidChange,
                isPackage: isPackage)
        }
    }
}

// Where the items of a running claim are now, because it or claims inside its accessor have moved
// them. The next server needs that: it learns the announcements of claims that run, but not of
// those inside them that have ended (Rule 2.20).

extension Arbiter {
    /// Returns the running claims inside whose accessors a claim was made, and where their items
    /// are now, if any were moved.
    public func movedItems(around claim: ClaimID) -> [(claim: ClaimID, items: MovedItems)] {
        (records[claim]?.claim.outerClaims ?? []).compactMap { outer in
            movedItems(of: outer).map { (outer, $0) }
        }
    }

    /// Returns where the items of a running claim are now; nil if none was moved.
    public func movedItems(of claim: ClaimID) -> MovedItems? {
        guard let record = records[claim], record.grant != nil else { return nil }
        let items = MovedItems(
            own: record.claim.items.indices.map { record.movedItems[$0] },
            others: record.itemsMovedOut)
        return items.isEmpty ? nil : items
    }

    /// Restores where the items of a recovered claim are.
    mutating func restore(_ moved: MovedItems, of claim: FiledClaim) {
        guard let items = records[claim.id]?.claim.items, !moved.isEmpty else { return }
        for index in items.indices where index < moved.own.count {
            guard let item = moved.own[index]?.normalised else { continue }
            records[claim.id]?.movedItems[index] = item
        }
        records[claim.id]?.itemsMovedOut = moved.others.map(\.normalised)
        // It is not known any more; an unnecessary notice does no harm.
        records[claim.id]?.isMovedByOthers = true
        guard let record = records[claim.id] else { return }
        tree.refile(record.claim, items: record.territory.items)
    }
}

// Moves of items by programs that do not coordinate. Presenters follow the item, as after an
// announced move. Claims do not, because they are about a path (Rules 1.15, 11.9).
//
// The server learns of such a move a moment later. A claim that was filed meanwhile does not ask
// the presenter, which hears of the change afterwards.

extension Arbiter {
    /// Moves a presenter to its item's new path, and has it told.
    mutating func follow(
        _ id: PresenterID, to new: ItemPath, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let registration = registry[id]?.registration, let old = registration.path,
            old != new
        else { return }
        place(id, at: new)
        registry[id]?.addFormerPath(old)
        let isTold = registration.methods.contains(.itemDidMove)
        reevaluations.emit(.relocate(id, to: new, isTold: isTold))
    }

    /// Whether there is a presenter at a path, above it or below it.
    public func isPresented(around path: ItemPath) -> Bool {
        let way = tree.nodes(towards: path)
        if way.contains(where: { !tree.nodes[$0].presenters.isEmpty }) { return true }
        guard way.count == path.depth + 1, let node = way.last else { return false }
        return tree.nodes[node].presentersBelow > 0
    }

    /// Whether a presenter is at an item that a claim writes, above it or inside it.
    public func isPresented(aroundWritesOf claim: ClaimID) -> Bool {
        tree.filings[claim]?.locatedItems.contains { located in
            guard located.item.access.isWriting else { return false }
            var node = located.node
            if tree.nodes[node].presentersBelow > 0 { return true }
            while node != PlaceTree.root {
                node = tree.nodes[node].parent
                if !tree.nodes[node].presenters.isEmpty { return true }
            }
            return false
        } ?? false
    }

    /// Returns the purposes of the presenters at a path and above it.
    public func purposesOfPresenters(towards path: ItemPath) -> Set<Purpose> {
        var result: Set<Purpose> = []
        for node in tree.nodes(towards: path) {
            for id in tree.nodes[node].presenters {
                if let presenter = registry[id] { result.insert(presenter.registration.purpose) }
            }
        }
        return result
    }
}
