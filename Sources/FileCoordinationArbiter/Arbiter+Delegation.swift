// SPDX-License-Identifier: Apache-2.0
//
// What is delegated to whom. A client asks for a delegation with an ordinary claim; when that is
// over, or is granted without a report, the arbiter looks whether any other client, or a presenter
// that would have to be asked, is involved with the place.
//
//     one client, reads and writes   exclusive; with reports if a presenter is told of changes
//     several clients, reads         shared, each of them
//     several clients write in turn  a ticket queue

extension Arbiter {
    // MARK: Grants without a report

    /// Whether a new claim can be granted at once, and its client need not report its end: it is
    /// plain, and nothing is to follow from its end.
    ///
    /// Ask before the claim gets a serial number: one that is unreported needs none. What is
    /// delegated is not looked at, see ``recalls(before:)``.
    public func isUnreported(_ claim: FiledClaim) -> Bool {
        switch mode {
        case .recovering: return false
        case .serving: break
        }
        guard claim.mayGoUnreported, !claim.precedesQueue, claim.kind == .access,
            claim.items.count == 1, claim.items[0].isDelegable, !claim.isNested,
            claim.standpoint == nil, !isStopped(claim.client)
        else { return false }
        let open = openness(claim.items[0].path)
        return claim.items[0].access.isWriting
            ? open.toWrites && !open.tellsPresenters : open.toReads
    }

    /// Grants a claim, and forgets it but for its place.
    mutating func grantUnreported(_ claim: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        let item = claim.items[0]
        let id = delegations.makeID()
        let isWriting = item.access.isWriting
        delegations.insert(
            Delegation(id, at: item.path, .claim(claim.client, claim.id, isWriting: isWriting)))
        reevaluations.emit(.grantUnreported(claim.id, id))
        extendPatience(with: claim.purpose, &reevaluations)
        if let wish = DelegationWish(claim, hasWaited: false) { reevaluations.enqueue(wish) }
    }

    /// A claim that was granted without a report is over.
    mutating func forgetUnreported(_ claim: ClaimID) {
        if let id = delegations.delegation(ofClaim: claim) { delegations.remove(id) }
    }

    // MARK: Wishes

    /// Records what is to be decided of delegation after a claim is over.
    func enqueueWish(after record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        switch record.grant?.source {
        case .arbiter:
            if let wish = DelegationWish(record.claim, hasWaited: record.hasWaited) {
                reevaluations.enqueue(wish)
            }
        case .ledger:
            if let wish = wishWithoutReports(after: record.claim) { reevaluations.enqueue(wish) }
        case nil: break
        }
    }

    /// The end of a write was reported which no report is asked for any more: from now on it is
    /// not.
    private func wishWithoutReports(after claim: FiledClaim) -> DelegationWish? {
        guard !delegations.isEmpty, claim.items.count == 1 else { return nil }
        for id in delegations.index.overlapping(claim.items[0].path) {
            guard let delegation = delegations[id], delegation.client == claim.client,
                case .place(_, let slot, .exclusive, reportsWrites: true) = delegation.holding,
                !openness(delegation.path).tellsPresenters
            else { continue }
            var renewed = claim
            renewed.request = DelegationRequest(slot: slot, .modes)
            return DelegationWish(renewed, hasWaited: false)
        }
        return nil
    }

    /// Decides of what clients would like to have; after everything else in an event.
    mutating func decideWishes(_ reevaluations: inout ReevaluationQueue) {
        for wish in reevaluations.wishes {
            // What is being recalled may hide claims: until it is known, nothing new is delegated.
            if awaitsRecalls {
                delegations.hold(.wish(wish))
            } else {
                consider(wish, &reevaluations)
            }
        }
        openQueues(&reevaluations)
    }

    /// Delegates what a client would like to have, if nothing stands against it.
    mutating func consider(_ wish: DelegationWish, _ reevaluations: inout ReevaluationQueue) {
        switch mode {
        case .recovering: return
        case .serving: break
        }
        guard let holding = holding(for: wish) else {
            if !wish.isDecided { considerQueue(wish, &reevaluations) }
            return
        }
        if !wish.isDecided {
            guard !wish.hasWaited else {
                return contests.count(wish.path, wantedBy: wish.client, at: now, policy)
            }
            guard
                contests.isCalm(
                    wish.path, afterUseBy: wish.client, for: holding.mode, at: now, policy)
            else { return }
        }
        let former = former(of: wish, holding)
        guard former.isEmpty else {
            var decided = wish
            decided.isDecided = true
            delegations.holdFirst(.wish(decided))
            return recall(former, &reevaluations)
        }
        let isThere = delegations.delegation(of: wish.client, inSlot: wish.request.slot) != nil
        guard !isThere else { return }
        let delegation = Delegation(delegations.makeID(), at: wish.path, holding)
        delegations.insert(delegation)
        reevaluations.emit(.delegate(delegation))
    }

    /// For a directory at most so many unreported claims of other clients are looked at.
    private static var mostClaimsRecalled: Int { 64 }

    /// What the client can have; nil for nothing.
    private func holding(for wish: DelegationWish) -> Delegation.Holding? {
        let slot = wish.request.slot
        if wish.request.isForDirectory {
            guard isUncontested(wish.path) else { return nil }
            let others = delegations.index.overlapping(inside: wish.path)
                .compactMap { delegations[$0] }.filter { $0.client != wish.client }
            // Claims whose ends are not reported may be over long ago: a recall finds out.
            guard others.allSatisfy(\.isOneClaim), others.count <= Self.mostClaimsRecalled
            else { return nil }
            return .directory(wish.client, slot: slot)
        }
        let open = openness(wish.path)
        let others = delegations.index.overlapping(wish.path).compactMap { delegations[$0] }
            .filter { $0.client != wish.client }
        let knowsModes = wish.request.abilities.contains(.modes)
        if open.toReads, open.toWrites, others.isEmpty, knowsModes || !open.tellsPresenters {
            return .place(wish.client, slot: slot, .exclusive, reportsWrites: open.tellsPresenters)
        }
        guard !wish.isWriting, knowsModes, open.toReads, others.allSatisfy(\.isForReadingOnly)
        else { return nil }
        return .place(wish.client, slot: slot, .shared, reportsWrites: false)
    }

    /// What the client has that the new delegation takes the place of.
    private func former(of wish: DelegationWish, _ holding: Delegation.Holding) -> [DelegationID] {
        let inSlot = delegations.delegation(of: wish.client, inSlot: wish.request.slot)
        if let inSlot, inSlot.path == wish.path, inSlot.holding == holding { return [] }
        let index = delegations.index
        let overlapping =
            wish.request.isForDirectory
            ? index.overlapping(inside: wish.path) : index.overlapping(wish.path)
        let replaced = overlapping.filter { id in
            guard let delegation = delegations[id] else { return false }
            let isOwn = delegation.client == wish.client
            // A process lets no claim in beside its own ones that it has filed.
            if delegation.isOneClaim { return wish.request.isForDirectory && !isOwn }
            return isOwn
        }
        return OrderedIDs(unique: replaced + [inSlot?.id].compactMap { $0 }).map { $0 }
    }

    // MARK: Ticket queues

    /// Asks for a queue, if clients hand the place of a wish over often and quickly.
    private mutating func considerQueue(
        _ wish: DelegationWish, _ reevaluations: inout ReevaluationQueue
    ) {
        // A client that never has to wait contends with no other.
        guard wish.hasWaited, !wish.request.isForDirectory,
            wish.request.abilities.contains(.queues),
            contests.isHandedOverOften(wish.path, by: wish.client, at: now, policy),
            let members = queueMembers(for: wish)
        else { return }
        reevaluations.emit(.openQueue(at: wish.path, members))
    }

    /// The clients that write a place in turn; nil if others are involved with it.
    private func queueMembers(for wish: DelegationWish) -> [QueueMember]? {
        guard delegations.index.overlapping(wish.path).isEmpty,
            let contenders = contenders(at: wish.path)
        else { return nil }
        var slots = [wish.client: wish.request.slot]
        for id in contenders {
            guard let claim = records[id]?.claim, let request = claim.request,
                !request.isForDirectory, request.abilities.contains(.queues)
            else { return nil }
            slots[claim.client] = request.slot
        }
        guard slots.count > 1 else { return nil }
        let clients = slots.keys.sorted()
        guard !clients.contains(where: isStopped) else { return nil }
        return clients.compactMap { client in slots[client].map { QueueMember(client, slot: $0) } }
    }

    /// The server has put a place into a queue.
    mutating func insertQueue(_ id: DelegationID, at path: ItemPath, _ members: [QueueMember]) {
        delegations.insert(Delegation(id, at: path, .queue(members, isOpen: false)))
    }

    /// The server has closed a queue.
    mutating func finishClosedQueue(_ id: DelegationID, at path: ItemPath, turns: Int) {
        contests.rateQueue(at: path, turns: turns, policy)
        delegations.endRecall(id)
    }

    /// Lets the members of queues have their turns where the arbiter's own claims are over.
    private mutating func openQueues(_ reevaluations: inout ReevaluationQueue) {
        for id in delegations.closedQueues {
            guard let path = delegations[id]?.path, isUncontested(path) else { continue }
            delegations.open(id)
            reevaluations.emit(.startQueue(id))
        }
    }
}

extension Delegation.Holding {
    /// The mode; what is no client's alone counts as exclusive.
    fileprivate var mode: DelegationMode {
        switch self {
        case .place(_, _, let mode, _): mode
        case .directory, .claim, .queue: .exclusive
        }
    }
}
