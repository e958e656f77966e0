// SPDX-License-Identifier: Apache-2.0
//
// The arbiter: facts in, orders out. It does no input or output, reads no clock and looks at no
// file, and what it decides depends on nothing but the events it was given, in their order. So a
// test can fork it, replay it and try everything that can happen.

/// Decides who may access what, and whom to ask before.
public struct Arbiter: Hashable, Sendable {
    /// Whether it decides yet.
    enum Mode: Hashable, Sendable {
        /// It is being told what a former arbiter left behind; nothing is granted.
        case recovering
        /// It decides.
        case serving
    }

    var mode: Mode
    /// The monotonic time, in nanoseconds, as far as it was told.
    var now: UInt64 = 0
    /// The youngest claim that was ever filed.
    var youngestFiled = ClaimID(rawValue: 0)
    /// Every claim that is not over.
    var records = RecordTable<ClaimID, ClaimState>()
    /// Every registered presenter.
    var registry = RecordTable<PresenterID, PresenterRecord>()
    /// Presenters that did not answer in time, and have not answered since (Rule 18.3).
    var unresponsive: OrderedIDs<PresenterID> = []
    /// Processes that were seen stopped, and not seen to run since (Rule 18.6).
    var stoppedClients: OrderedIDs<ClientID> = []
    /// When it is to be told the time, by ``Event/clockAdvanced(to:)``, at the latest.
    ///
    /// Monotonic, in nanoseconds; nil: it waits for nothing. No answer is overdue before, and once
    /// it has been told a time, this is later than that.
    public internal(set) var nextDeadline: UInt64?
    /// What is whose.
    var clientStates: [ClientID: ClientState] = [:]
    var purposeIndex = PurposeIndex()
    var tree = PlaceTree()
    /// What clients may do without being asked about it.
    var delegations = DelegationTable()
    var contests = PlaceContests()
    let policy: DelegationPolicy

    /// What one client process has.
    struct ClientState: Hashable, Sendable {
        var claims: OrderedIDs<ClaimID> = []
        var presenters: OrderedIDs<PresenterID> = []
        /// Since when its process is known to be stopped; nil while it runs.
        var stoppedSince: UInt64?

        var isEmpty: Bool { claims.isEmpty && presenters.isEmpty }
    }

    /// An arbiter that knows of nothing.
    ///
    /// One that is `recovering` handles what it is told, but decides nothing before
    /// ``Event/recoveryFinished``.
    public init(recovering: Bool = false, policy: DelegationPolicy = DelegationPolicy()) {
        mode = recovering ? .recovering : .serving
        self.policy = policy
    }

    /// Advances the arbiter by one event.
    ///
    /// Events about claims and presenters that are gone are ordinary races and are ignored, and so
    /// are identifiers that are used a second time.
    public mutating func handle(_ event: Event) -> [Effect] {
        // As a rule nothing is delegated, or not near.
        let effects = delegations.isEmpty ? decide(event) : handleAmongDelegations(event)
        let isAllSaid = delegations.held.isEmpty
        let result = isAllSaid ? effects : effects + handleHeld()
        assertInvariants()
        return result
    }

    /// Decides what follows from an event that concerns no delegation.
    mutating func decide(_ event: Event) -> [Effect] {
        var reevaluations = ReevaluationQueue()
        if event.mayChangeWaits { reevaluations.markNewWaits() }
        switch event {
        case .claimFiled(let claim): file(claim, &reevaluations)
        case .claimRecovered(let claim): recover(claim, &reevaluations)
        case .claimAnnounced(let claim, let announcement):
            receive(announcement, from: claim, &reevaluations)
        case .claimReminded(let claim, let announcement): remind(claim, of: announcement)
        case .claimEnded(let claim, let outcomes): end(claim, outcomes, &reevaluations)
        case .claimCancelled(let claim): finish(claim, &reevaluations)
        case .presenterAdded(let presenter): add(presenter, &reevaluations)
        case .presenterRelocated(let presenter, let path): place(presenter, at: path)
        case .presenterMoved(let presenter, let path): follow(presenter, to: path, &reevaluations)
        case .presenterRemoved(let presenter): remove(presenter, &reevaluations)
        case .presenterAnswered(let presenter, let claim, let failure):
            answer(presenter, claim, failure, &reevaluations)
        case .presenterBlocked(let presenter, let claim): block(presenter, by: claim)
        case .clientStopped(let client): stop(client, &reevaluations)
        case .clientContinued(let client): resume(client, &reevaluations)
        case .grantWithdrawn(let claim): withdrawGrant(of: claim, &reevaluations)
        case .clientDied(let client): removeClient(client, &reevaluations)
        case .clockAdvanced(let time): advanceClock(to: time, &reevaluations)
        case .recoveryFinished: finishRecovery(&reevaluations)
        case .delegationRecalled(let id): delegations.endRecall(id)
        case .unreportedClaimEnded(let claim): forgetUnreported(claim)
        case .queueOpened(let id, let path, let members): insertQueue(id, at: path, members)
        case .delegationsContested(let ids, let client): countContests(ids, wantedBy: client)
        case .queueClosed(let id, let path, let turns):
            finishClosedQueue(id, at: path, turns: turns)
        }
        finish(&reevaluations)
        decideWishes(&reevaluations)
        return reevaluations.effects
    }

    /// Looks at everything that the event may have made possible.
    private mutating func finish(_ reevaluations: inout ReevaluationQueue) {
        switch mode {
        case .recovering: return
        case .serving: break
        }
        // Each round but the last moves a claim on, so that they end.
        repeat {
            reevaluations.beginRound()
            reconsiderBypassing(&reevaluations)
            while let task = reevaluations.next() {
                switch task {
                case .putPostponedQuestions(let presenter):
                    putPostponedQuestions(presenter, &reevaluations)
                case .grantIfReady(let claim): grantIfReady(claim, &reevaluations)
                case .evaluate(let claim): evaluate(claim, &reevaluations)
                }
            }
            breakCycle(&reevaluations)
        } while reevaluations.hasProgressed
    }

    // MARK: Entering and leaving the tables

    /// Handles a claim; returns whether it is a new one.
    mutating func enter(_ filed: FiledClaim, _ state: ClaimState.Phase) -> Bool {
        guard records[filed.id] == nil else { return false }
        let claim = filed.normalised
        youngestFiled = max(youngestFiled, claim.id)
        enter(claim, state, at: tree.locatedItems(of: claim.kind, claim.items))
        return true
    }

    /// Handles a new claim.
    mutating func enter(
        _ claim: FiledClaim, _ state: ClaimState.Phase, at locatedItems: [PlaceTree.LocatedItem]
    ) {
        let record = ClaimState(claim: claim, filedAt: now, state: state)
        records[claim.id] = record
        clientStates[claim.client, default: ClientState()].claims.insert(claim.id)
        purposeIndex.enter(claim, state)
        tree.insert(claim, at: locatedItems, holdsPosition: record.stage != .waiting)
    }

    /// Moves a claim on to another stage.
    mutating func advance(_ id: ClaimID, to state: ClaimState.Phase) {
        guard let claim = records[id]?.claim, let former = records[id]?.stage,
            let formerState = records[id]?.state
        else { return }
        purposeIndex.leave(claim, formerState)
        records[id]?.state = state
        guard let stage = records[id]?.stage else { return }
        purposeIndex.enter(claim, state)
        switch (former, stage) {
        case (.waiting, _): tree.place(id)
        case (_, .waiting): tree.displace(id)
        case (_, _): break
        }
    }

    /// Forgets a client that has nothing here.
    mutating func discardIfEmpty(_ client: ClientID) {
        guard clientStates[client]?.isEmpty == true else { return }
        clientStates[client] = nil
        stoppedClients.remove(client)
    }

    /// Strikes a claim out.
    mutating func discard(_ record: ClaimState) {
        let claim = record.claim
        if purposeIndex.blocking.contains(claim.id) { endBlocking(claim) }
        records[claim.id] = nil
        clientStates[claim.client]?.claims.remove(claim.id)
        discardIfEmpty(claim.client)
        purposeIndex.leave(claim, record.state)
        tree.remove(claim.id)
    }
}
