// SPDX-License-Identifier: Apache-2.0
//
// Recalls of delegations that an event concerns. Usually the server asks ``recalls(before:)`` first
// and recalls the delegations before it passes the event on. If the arbiter starts a recall itself,
// it holds back the event and all later ones until the server has read the shared memory. In both
// cases the arbiter knows the claims under the delegation before they matter, and events keep their
// order.

extension Arbiter {
    /// Handles an event while delegations exist or are being recalled.
    mutating func handleAmongDelegations(_ event: Event) -> [Effect] {
        if isWaitingForRecalls {
            guard event.answersRecall || isEndOfFoundClaim(event) else {
                delegations.hold(.event(event))
                return []
            }
            return decide(event)
        }
        return recallOrDecide(event)
    }

    /// Whether an event ends a claim that a client granted itself.
    ///
    /// The server found the claim and its end during a recall, so events that wait for the recall
    /// need not wait for the claim.
    private func isEndOfFoundClaim(_ event: Event) -> Bool {
        guard case .claimEnded(let id, _) = event else { return false }
        return records[id]?.grant?.source == .ledger
    }

    /// Whether events have to wait for the answers to recalls, or for events that did.
    var isWaitingForRecalls: Bool { !delegations.recalling.isEmpty || !delegations.held.isEmpty }

    /// Whether a recall has not been answered yet.
    public var awaitsRecalls: Bool { !delegations.recalling.isEmpty }

    /// The number of events that wait for recalls.
    public var heldEventCount: Int {
        delegations.held.count { if case .event = $0 { true } else { false } }
    }

    /// Handles the events and requests that were held back, until one has to wait for a recall
    /// again.
    mutating func handleHeld() -> [Effect] {
        var effects: [Effect] = []
        while let next = delegations.nextHeld() {
            switch next {
            case .event(let event): effects += recallOrDecide(event)
            case .candidate(let candidate):
                var reevaluations = ReevaluationQueue()
                consider(candidate, &reevaluations)
                effects += reevaluations.effects
            }
        }
        return effects
    }

    private mutating func recallOrDecide(_ event: Event) -> [Effect] {
        let concerned = delegationsConcerned(by: event)
        guard !concerned.isEmpty else { return decide(event) }
        delegations.holdFirst(.event(event))
        var reevaluations = ReevaluationQueue()
        recall(concerned, &reevaluations)
        return reevaluations.effects
    }

    /// Starts recalls.
    mutating func recall(_ ids: [DelegationID], _ reevaluations: inout ReevaluationQueue) {
        for id in ids where delegations.beginRecall(id) != nil { reevaluations.emit(.recall(id)) }
    }

    /// Returns the delegations that must be recalled before an event can be decided.
    ///
    /// A server that recalls them before it passes the event on preserves the order of claims that
    /// waited in a ticket queue, because those get their serial numbers first. Otherwise the
    /// arbiter itself starts the recalls.
    public func recalls(before event: Event) -> [DelegationID] {
        delegations.isEmpty ? [] : delegationsConcerned(by: event)
    }

    // MARK: Concerned delegations

    /// Returns the delegations that an event may concern.
    private func delegationsConcerned(by event: Event) -> [DelegationID] {
        switch mode {
        // A recovering arbiter has delegated nothing.
        case .recovering: return []
        case .serving: break
        }
        switch event {
        case .claimFiled(let claim): return delegationsConcerned(by: claim)
        case .claimRecovered(let claim):
            // The claim ran under a delegation of its own client, which remains valid.
            return delegationsConcerned(by: claim).filter {
                delegations[$0]?.has(claim.client) == false
            }
        case .claimAnnounced(_, .moved(let moves)):
            return OrderedIDs(unique: moves.flatMap { delegationsConcerned(by: $0) }).map { $0 }
        case .presenterAdded(let presenter):
            guard let path = presenter.path else { return [] }
            // While no provider runs, what is not here may be delegated.
            return presenter.methods.contains(.provideContents)
                ? delegations.index.concerned(byPresenterAt: path)
                : concerned(byPresenterAt: path, presenter.methods)
        case .presenterRelocated(let id, let path):
            guard let path, let methods = registry[id]?.registration.methods else { return [] }
            return concerned(byPresenterAt: path, methods)
        case .presenterMoved(let id, let path):
            guard let methods = registry[id]?.registration.methods else { return [] }
            return concerned(byPresenterAt: path, methods)
        case .clientDied(let client):
            // The dead client will not pass its turn on to the other members of its ticket queues.
            return delegations.delegations(of: client).filter { delegations[$0]?.client == nil }
        // The remaining announcements concern only presenters.
        case .claimAnnounced(_, .versionChanged), .claimAnnounced(_, .ubiquityAttributesChanged):
            return []
        case .claimReminded, .claimEnded, .claimCancelled, .presenterRemoved, .presenterAnswered,
            .presenterAnsweredLate, .presenterBlocked, .presenterDismissed,
            .clientStopped,
            .clientContinued, .grantWithdrawn, .clockAdvanced, .recoveryFinished,
            .delegationRecalled, .queueOpened, .queueClosed:
            return []
        }
    }

    /// Returns the delegations whose claims this one may have to wait for or delay.
    func delegationsConcerned(by claim: FiledClaim) -> [DelegationID] {
        // Rule 14.3
        guard claim.kind.takesPart else { return [] }
        var items = claim.items
        // A move may redirect the claim (Rule 11.7).
        if claim.standpoint != nil { items += redirected(claim).items }
        if !items.allSatisfy(\.isNormal) { items = items.map(\.normalised) }
        let concerned = delegations.index.concerned(by: items)
        // In most cases there is nothing but the claim that is over.
        if concerned.isEmpty || concerned.count == 1 && concerned[0] == claim.former { return [] }
        let writing = items.filter(\.access.isWriting)
        let byWrites =
            writing.count == items.count ? concerned : delegations.index.concerned(by: writing)
        return concerned.filter { id in
            guard let delegation = delegations[id] else { return false }
            if id == claim.former || delegation.stands(beside: claim) { return false }
            if claim.precedesQueue, case .queue(let members, isOpen: false) = delegation.holding {
                return !members.contains { $0.client == claim.client }
            }
            // Rule 2.1: reads do not conflict with reads.
            return !delegation.isForReadingOnly || byWrites.contains(id)
        }
    }

    private func delegationsConcerned(by move: ItemMove) -> [DelegationID] {
        let index = delegations.index
        let package = move.newPackageDepths.min().flatMap {
            $0 > 0 && $0 <= move.new.depth ? move.new.prefix(depth: $0) : nil
        }
        return index.concerned(byPresenterAt: move.old)
            + index.concerned(byItemMovedTo: move.new, package: package)
    }

    /// Returns the delegations under which claims would have to ask this presenter, or would have
    /// to notify it and do not.
    func concerned(
        byPresenterAt path: ItemPath, _ methods: PresenterMethods
    ) -> [DelegationID] {
        delegations.index.concerned(byPresenterAt: path).filter { id in
            guard let delegation = delegations[id] else { return false }
            switch delegation.holding {
            // Other clients may use items inside a directory, and a queue belongs to its members
            // only.
            case .directory, .queue: return true
            case .place, .claim: break
            }
            // Plain access to an item does not concern presenters inside it.
            guard path == delegation.path || path.contains(delegation.path) else { return false }
            if delegation.hidesWrites, !methods.isDisjoint(with: .isToldOfWrites) { return true }
            guard path == delegation.path else { return false }
            return !methods.isDisjoint(
                with: delegation.isForReadingOnly
                    ? .askedByReads : [.askedByReads, .askedByWrites])
        }
    }
}

extension Delegation {
    /// Whether the delegation can stay although its owner has filed this claim: the claim says that
    /// no local claim of its process runs at the path.
    ///
    /// A client may file a claim just before it learns that the place is delegated to it. If the
    /// delegation were recalled for that, a client that is quicker than its server would never
    /// profit from one.
    fileprivate func stands(beside claim: FiledClaim) -> Bool {
        guard case .place(claim.client, let slot, .exclusive, _) = holding,
            let request = claim.request, request.excludesLocalClaims, request.slot == slot,
            !request.isForDirectory, claim.items.count == 1
        else { return false }
        return claim.items[0].path == path
    }
}
