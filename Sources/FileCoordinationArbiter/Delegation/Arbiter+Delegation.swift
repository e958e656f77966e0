// SPDX-License-Identifier: Apache-2.0
//
// Decides what is delegated to which client. A client requests a delegation together with an
// ordinary claim. When that claim is over, or is granted without a report, the arbiter checks
// whether another client, or a presenter that would have to be asked, is concerned with the path.
//
//     one client, reads and writes   exclusive; with reports if a presenter is told of changes
//     several clients, reads         shared, each of them
//     several clients write in turn  a ticket queue

/// What the arbiter finds about a claim before it is filed, so that it is not looked up again.
public struct FilingFacts: Hashable, Sendable {
    /// The delegations that must be recalled first.
    public let recalls: [DelegationID]
    /// Whether the claim will be granted without a report of its release.
    ///
    /// Such a claim needs no serial number in its record.
    public let goesUnreported: Bool
}

extension Arbiter {
    // MARK: Unreported grants

    /// Whether a new claim can be granted at once without a report of its release: it must be
    /// uncontended, and nothing may follow from its end.
    func isUnreported(_ claim: FiledClaim) -> Bool {
        switch mode {
        case .recovering: return false
        case .serving: break
        }
        guard claim.mayGoUnreported, !claim.precedesQueue,
            claim.kind == .access,
            claim.items.count == 1, claim.items[0].isDelegable, !claim.isNested,
            claim.standpoint == nil, !isStopped(claim.client), !mayNeedProvider(claim)
        else { return false }
        let open = delegationScope(claim.items[0].path)
        return claim.items[0].access.isWriting
            ? open.toWrites && !open.tellsPresenters : open.toReads
    }

    /// Returns what is to be known about a claim that is about to be filed.
    ///
    /// It holds until the next event other than the time.
    public func facts(of claim: FiledClaim) -> FilingFacts {
        let recalls = recalls(before: .claimFiled(claim))
        return FilingFacts(
            recalls: recalls,
            goesUnreported: recalls.isEmpty && !awaitsRecalls && isUnreported(claim))
    }

    /// Grants a claim, and keeps only an entry in the delegation table.
    mutating func grantUnreported(_ claim: FiledClaim, _ reevaluations: inout ReevaluationQueue) {
        reevaluations.emit(.grantUnreported(claim.id, entry(for: claim)))
        extendAnswerDeadlines(with: claim, &reevaluations)
        if let candidate = DelegationCandidate(claim, hasWaited: false) {
            reevaluations.enqueue(candidate)
        }
    }

    /// Returns the entry for an unreported claim: the one of the claim before it in its record, if
    /// that was the same access.
    private mutating func entry(for claim: FiledClaim) -> DelegationID {
        let item = claim.items[0]
        let holding = Delegation.Holding.claim(claim.client, isWriting: item.access.isWriting)
        if let id = claim.former, let former = delegations[id], former.holding == holding,
            former.path == item.path
        {
            return id
        }
        forgetFormer(of: claim)
        let id = delegations.makeID()
        delegations.insert(Delegation(id, at: item.path, holding))
        return id
    }

    /// Discards the entry of the claim that used a claim's record before.
    mutating func forgetFormer(of claim: FiledClaim) {
        if let former = claim.former { delegations.remove(former) }
    }

    // MARK: Delegation requests

    /// Queues the delegation request of a claim that is over.
    func enqueueCandidate(after record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        switch record.grant?.source {
        case .arbiter:
            if let candidate = DelegationCandidate(record.claim, hasWaited: record.hasWaited) {
                reevaluations.enqueue(candidate)
            }
        case .ledger:
            if let candidate = candidateWithoutReports(after: record.claim) {
                reevaluations.enqueue(candidate)
            }
        case nil: break
        }
    }

    /// Returns the request to end the reports of a client's writes, after a report that no
    /// presenter needs any more; else nil.
    private func candidateWithoutReports(after claim: FiledClaim) -> DelegationCandidate? {
        guard !delegations.isEmpty, claim.items.count == 1 else { return nil }
        for id in delegations.index.overlapping(claim.items[0].path) {
            guard let delegation = delegations[id], delegation.client == claim.client,
                case .place(_, let slot, .exclusive, reportsWrites: true) = delegation.holding,
                !delegationScope(delegation.path).tellsPresenters
            else { continue }
            var renewed = claim
            renewed.request = DelegationRequest(slot: slot)
            return DelegationCandidate(renewed, hasWaited: false)
        }
        return nil
    }

    /// Decides on delegation requests, after all other work of an event.
    mutating func decideCandidates(_ reevaluations: inout ReevaluationQueue) {
        for candidate in reevaluations.candidates {
            // While a recall is pending, unknown claims may exist, so nothing is delegated.
            if awaitsRecalls {
                delegations.hold(.candidate(candidate))
            } else {
                consider(candidate, &reevaluations)
            }
        }
        openQueues(&reevaluations)
    }

    /// Grants a delegation request, if nothing prevents it.
    mutating func consider(
        _ candidate: DelegationCandidate, _ reevaluations: inout ReevaluationQueue
    ) {
        switch mode {
        case .recovering: return
        case .serving: break
        }
        guard !candidate.isOfMetadata || provider(of: candidate.path) == nil else { return }
        guard let holding = holding(for: candidate) else {
            if !candidate.isDecided { considerQueue(candidate, &reevaluations) }
            return
        }
        // A client that had to wait would soon have to give the delegation back.
        guard candidate.isDecided || !candidate.hasWaited else { return }
        let former = former(of: candidate, holding)
        guard former.isEmpty else {
            var decided = candidate
            decided.isDecided = true
            delegations.holdFirst(.candidate(decided))
            return recall(former, &reevaluations)
        }
        let isThere =
            delegations.delegation(of: candidate.client, inSlot: candidate.request.slot) != nil
        guard !isThere else { return }
        let delegation = Delegation(delegations.makeID(), at: candidate.path, holding)
        delegations.insert(delegation)
        reevaluations.emit(.delegate(delegation))
    }

    /// The most unreported claims of other clients that are recalled for the delegation of a
    /// directory.
    private static var mostClaimsRecalled: Int { 64 }

    /// Returns the delegation that the client can get, or nil.
    private func holding(for candidate: DelegationCandidate) -> Delegation.Holding? {
        let slot = candidate.request.slot
        if candidate.request.isForDirectory {
            guard isUncontested(candidate.path) else { return nil }
            let others = delegations.index.overlapping(inside: candidate.path)
                .compactMap { delegations[$0] }.filter { $0.client != candidate.client }
            // Claims whose ends are not reported may be over already; a recall determines that.
            guard others.allSatisfy(\.isOneClaim), others.count <= Self.mostClaimsRecalled
            else { return nil }
            return .directory(candidate.client, slot: slot)
        }
        let open = delegationScope(candidate.path)
        let others = delegations.index.overlapping(candidate.path).compactMap { delegations[$0] }
            .filter { $0.client != candidate.client }
        if open.toReads, open.toWrites, others.isEmpty {
            return .place(
                candidate.client, slot: slot, .exclusive, reportsWrites: open.tellsPresenters)
        }
        guard !candidate.isWriting, open.toReads, others.allSatisfy(\.isForReadingOnly)
        else { return nil }
        return .place(candidate.client, slot: slot, .shared, reportsWrites: false)
    }

    /// Returns the delegations that the new one replaces.
    private func former(of candidate: DelegationCandidate, _ holding: Delegation.Holding)
        -> [DelegationID]
    {
        let inSlot = delegations.delegation(of: candidate.client, inSlot: candidate.request.slot)
        if let inSlot, inSlot.path == candidate.path, inSlot.holding == holding { return [] }
        let index = delegations.index
        let overlapping =
            candidate.request.isForDirectory
            ? index.overlapping(inside: candidate.path) : index.overlapping(candidate.path)
        let replaced = overlapping.filter { id in
            guard let delegation = delegations[id] else { return false }
            let isOwn = delegation.client == candidate.client
            // A client does not grant itself claims that conflict with its own filed ones.
            if delegation.isOneClaim { return candidate.request.isForDirectory && !isOwn }
            return isOwn
        }
        return OrderedIDs(unique: replaced + [inSlot?.id].compactMap { $0 }).map { $0 }
    }

    // MARK: Ticket queues

    /// Opens a ticket queue if clients hand over the path of a request often and quickly.
    private mutating func considerQueue(
        _ candidate: DelegationCandidate, _ reevaluations: inout ReevaluationQueue
    ) {
        // A client that never waits does not contend with others.
        guard candidate.hasWaited, !candidate.request.isForDirectory,
            let users = handovers.isHandedOverOften(
                candidate.path,
                by: QueueMember(candidate.client, slot: candidate.request.slot), at: now, policy),
            let members = queueMembers(at: candidate.path, users)
        else { return }
        reevaluations.emit(.openQueue(at: candidate.path, members))
    }

    /// Returns the clients that write an item in turn, or nil if others are concerned with it.
    ///
    /// Among them are clients that have no claim now: on a busy CPU, several may have ended theirs
    /// and not filed the next ones, and a claim of a client that is no member ends the queue.
    private func queueMembers(at path: ItemPath, _ users: [QueueMember]) -> [QueueMember]? {
        guard delegations.index.overlapping(path).isEmpty, let contenders = contenders(at: path)
        else { return nil }
        var slots: [ClientID: Int] = [:]
        for user in users where !isStopped(user.client) { slots[user.client] = user.slot }
        for id in contenders {
            guard let claim = records[id]?.claim, let request = claim.request,
                !request.isForDirectory
            else { return nil }
            slots[claim.client] = request.slot
        }
        guard slots.count > 1 else { return nil }
        let clients = slots.keys.sorted()
        guard !clients.contains(where: isStopped) else { return nil }
        return clients.compactMap { client in slots[client].map { QueueMember(client, slot: $0) } }
    }

    /// Adds a ticket queue that the server has created.
    mutating func insertQueue(_ id: DelegationID, at path: ItemPath, _ members: [QueueMember]) {
        delegations.insert(Delegation(id, at: path, .queue(members, isOpen: false)))
    }

    /// Opens the ticket queues whose items have no claims of the arbiter left.
    private mutating func openQueues(_ reevaluations: inout ReevaluationQueue) {
        for id in delegations.closedQueues {
            guard let path = delegations[id]?.path, isUncontested(path) else { continue }
            delegations.open(id)
            reevaluations.emit(.startQueue(id))
        }
    }
}

extension Arbiter {
    /// Whether a path is uncontested: no claim is at it or covers it from above, and no presenter
    /// is at it, inside it or above it.
    public func isUncontested(_ path: ItemPath) -> Bool {
        guard mode == .serving else { return false }
        let way = tree.nodes(towards: path)
        guard way.allSatisfy({ tree.nodes[$0].presenters.isEmpty }) else { return false }
        guard way.allSatisfy({ tree.nodes[$0].claims.hasNoDomain }) else { return false }
        guard way.count == path.depth + 1, let node = way.last else { return true }
        return tree.nodes[node].claimsBelow == 0 && tree.nodes[node].presentersBelow == 0
    }

    /// Returns the claims that write or wait to write a path, if no other claim or presenter is
    /// concerned with it; else nil.
    public func contenders(at path: ItemPath) -> [ClaimID]? {
        guard mode == .serving else { return nil }
        let way = tree.nodes(towards: path)
        guard way.count == path.depth + 1, let node = way.last,
            way.allSatisfy({ tree.nodes[$0].presenters.isEmpty }),
            way.allSatisfy({ tree.nodes[$0].claims.hasNoDomain }),
            tree.nodes[node].presentersBelow == 0
        else { return nil }
        let claims = tree.claims(atOrBelow: path)
        let isTheirs = claims.allSatisfy { id in
            guard let claim = records[id]?.claim, claim.kind == .access, claim.items.count == 1,
                !claim.isNested
            else { return false }
            let item = claim.items[0]
            // Other clients may use items inside a directory.
            return item.path == path && item.isDelegable && item.access.isWriting
                && !item.isDirectory
        }
        return isTheirs ? claims : nil
    }

    /// Whether any claim names exactly this path.
    public func isClaimed(_ path: ItemPath) -> Bool {
        tree.claims(atOrBelow: path).contains { id in
            records[id]?.claim.items.contains { $0.path == path } ?? false
        }
    }
}

// Determines whether plain access to one item needs the arbiter. It does if there are claims, or
// presenters that would have to be asked. Otherwise the item can be delegated (Rules 2.1 to 2.6,
// 6.1, 6.7, 6.9, 7.3, 7.4).

/// Whether plain accesses to one item outside of packages need the arbiter.
struct DelegationScope: Hashable, Sendable {
    /// Whether a read would wait for no claim, no later writer waits, and no presenter would be
    /// asked.
    var toReads = true
    /// Whether these conditions hold for a write.
    var toWrites = true
    /// Whether a presenter must be told what a write changes.
    var tellsPresenters = false
}

extension PresenterMethods {
    /// The methods that a plain read may call (Rules 6.1, 6.9).
    static let askedByReads: Self = [.relinquishToReader, .save]
    /// The methods that a plain write may call; a merging one also asks to save.
    static let askedByWrites: Self = [.relinquishToWriter, .save]
    /// The methods by which a presenter of an item, or of a directory around it, is told about a
    /// write (Rules 7.3 to 7.5).
    static let isToldOfWrites: Self = [.itemDidChange, .subitemDidAppear, .subitemDidChange]
}

extension Arbiter {
    /// Returns whether accesses at a path need the arbiter.
    ///
    /// The purposes of presenters are ignored: an ordinary claim asks and tells them where it must.
    func delegationScope(_ path: ItemPath) -> DelegationScope {
        var result = DelegationScope()
        let way = tree.nodes(towards: path)
        for node in way {
            let claims = tree.nodes[node].claims
            if claims.has(.domainWriting) { result.toReads = false }
            if claims.has(.domainReading) { result.toWrites = false }
            for id in tree.nodes[node].presenters {
                guard let methods = registry[id]?.registration.methods else { continue }
                if !methods.isDisjoint(with: .isToldOfWrites) { result.tellsPresenters = true }
            }
        }
        if way.count == path.depth + 1, let node = way.last {
            let claims = tree.nodes[node].claims
            if claims.has(.nodeWriting) || claims.has(.innerWriting) {
                result.toReads = false
            }
            if !claims.isEmpty { result.toWrites = false }
            for id in tree.nodes[node].presenters {
                guard let methods = registry[id]?.registration.methods else { continue }
                if !methods.isDisjoint(with: .askedByReads) { result.toReads = false }
                if !methods.isDisjoint(with: .askedByWrites) { result.toWrites = false }
            }
        }
        // A claim that excludes reads excludes writes, too.
        if !result.toReads { result.toWrites = false }
        return result
    }
}
