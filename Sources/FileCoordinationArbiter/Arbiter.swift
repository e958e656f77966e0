// SPDX-License-Identifier: Apache-2.0
//
// The arbiter decides about all claims and presenters of one server. It takes events and returns
// effects: it does no input or output, reads no clock and looks at no file. Its decisions depend
// only on the events and their order, so tests can copy it, replay events and explore all
// interleavings. The server calls it on the server's thread.

@_exported public import MonotonicTime

/// Decides which claims are granted, and which presenters are asked first.
public struct Arbiter: Hashable, Sendable {
    /// Whether the arbiter decides yet.
    enum Mode: Hashable, Sendable {
        /// The arbiter learns what its predecessor left behind.
        ///
        /// It grants nothing.
        case recovering
        /// The arbiter decides.
        case serving
    }

    var mode: Mode
    /// The monotonic time, as of the last ``Event/clockAdvanced(to:)``.
    public internal(set) var now = Instant.distantPast
    /// The highest claim ID so far.
    var youngestFiled = ClaimID(rawValue: 0)
    /// All claims that are not over.
    var records = RecordTable<ClaimID, ClaimState>()
    /// All registered presenters.
    var registry = RecordTable<PresenterID, PresenterRecord>()
    /// Presenters that did not answer in time and have not answered since (Rule 18.3).
    var unresponsive: OrderedIDs<PresenterID> = []
    /// Clients whose processes were seen stopped, and not seen running since (Rule 18.6).
    var stoppedClients: OrderedIDs<ClientID> = []
    /// The latest time at which the server must send ``Event/clockAdvanced(to:)``.
    ///
    /// Nil if the arbiter waits for no deadline. No answer is overdue before this time, and after
    /// such an event it is later than the event's time.
    public internal(set) var nextDeadline: Instant?
    /// The claims and presenters of each client.
    var clientStates: [ClientID: ClientState] = [:]
    var purposeIndex = PurposeIndex()
    var tree = PlaceTree()
    /// What is delegated to clients.
    var delegations = DelegationTable()
    var handovers = HandoverHistory()
    let policy: DelegationPolicy
    let checksInvariants: Bool

    /// What the arbiter knows of one client process.
    struct ClientState: Hashable, Sendable {
        var claims: OrderedIDs<ClaimID> = []
        var presenters: OrderedIDs<PresenterID> = []
        /// When its process was first seen stopped; nil while the process runs.
        var stoppedSince: Instant?

        var isEmpty: Bool { claims.isEmpty && presenters.isEmpty }
    }

    /// Creates an arbiter without claims and presenters.
    ///
    /// A `recovering` arbiter accepts events but decides nothing before ``Event/recoveryFinished``.
    /// With `checksInvariants`, a debug build looks at everything after each event.
    public init(
        recovering: Bool = false, policy: DelegationPolicy = DelegationPolicy(),
        checksInvariants: Bool = true
    ) {
        mode = recovering ? .recovering : .serving
        self.policy = policy
        self.checksInvariants = checksInvariants
    }

    /// Handles one event and returns what the server must do.
    ///
    /// Events about claims and presenters that no longer exist are normal races and are ignored. So
    /// are identifiers that are used a second time.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - facts: what ``facts(of:)`` says now about the claim that is filed; nil to find it out.
    /// - Returns: the effects, in the order in which to carry them out.
    public mutating func handle(_ event: Event, facts: FilingFacts? = nil) -> [Effect] {
        if recordOnly(event) {
            assertInvariants()
            return []
        }
        // In most cases no delegation is concerned.
        let effects =
            delegations.isEmpty || !isWaitingForRecalls && facts?.recalls.isEmpty == true
            ? decide(event, facts) : handleAmongDelegations(event)
        let isAllSaid = delegations.held.isEmpty
        let result = isAllSaid ? effects : effects + handleHeld()
        assertInvariants()
        return result
    }

    /// Records the time, if nothing follows from it; returns false for another event.
    ///
    /// Each turn of the server begins with such an event, so it needs no queue of reevaluations.
    private mutating func recordOnly(_ event: Event) -> Bool {
        guard case .clockAdvanced(let time) = event, !isWaitingForRecalls,
            purposeIndex.postponedCount == 0, max(now, time) < nextDeadline ?? .distantFuture
        else { return false }
        now = max(now, time)
        return true
    }

    /// Handles an event that concerns no delegation.
    mutating func decide(_ event: Event, _ facts: FilingFacts? = nil) -> [Effect] {
        var reevaluations = ReevaluationQueue()
        if event.mayChangeWaits { reevaluations.markNewWaits() }
        switch event {
        case .claimFiled(let claim): file(claim, facts, &reevaluations)
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
        case .presenterAnsweredLate(let presenter): handleLateAnswer(of: presenter, &reevaluations)
        case .presenterBlocked(let presenter, let claim, let call):
            block(presenter, for: claim, by: call)
        case .presenterDismissed(let presenter): passOver(presenter, &reevaluations)
        case .clientStopped(let client): stop(client, &reevaluations)
        case .clientContinued(let client): resume(client, &reevaluations)
        case .grantWithdrawn(let claim): withdrawGrant(of: claim, &reevaluations)
        case .clientDied(let client): removeClient(client, &reevaluations)
        case .clockAdvanced(let time): advanceClock(to: time, &reevaluations)
        case .recoveryFinished: finishRecovery(&reevaluations)
        case .delegationRecalled(let id), .queueClosed(let id, _, _): delegations.endRecall(id)
        case .queueOpened(let id, let path, let members): insertQueue(id, at: path, members)
        }
        finish(&reevaluations)
        decideCandidates(&reevaluations)
        return reevaluations.effects
    }

    /// Reevaluates all claims that the event may have freed.
    private mutating func finish(_ reevaluations: inout ReevaluationQueue) {
        switch mode {
        case .recovering: return
        case .serving: break
        }
        // The loop ends because each round but the last advances a claim.
        repeat {
            reevaluations.beginRound()
            reconsiderBypassing(&reevaluations)
            while let task = reevaluations.next() {
                switch task {
                case .putPostponedQuestions(let presenter):
                    putPostponedQuestions(presenter, &reevaluations)
                    reevaluations.discardIndirectWaits()
                case .grantIfReady(let claim):
                    grantIfReady(claim, &reevaluations)
                    reevaluations.discardIndirectWaits()
                case .evaluate(let claim): evaluate(claim, &reevaluations)
                }
            }
            breakCycle(&reevaluations)
        } while reevaluations.hasProgressed
    }

    // MARK: Adding and removing records

    /// Adds a claim; returns whether it is new.
    mutating func enter(_ filed: FiledClaim, _ state: ClaimState.Phase) -> Bool {
        guard records[filed.id] == nil else { return false }
        let claim = filed.normalised
        youngestFiled = max(youngestFiled, claim.id)
        enter(claim, state, at: tree.locatedItems(of: claim.kind, claim.items))
        return true
    }

    /// Adds a new claim to all tables.
    mutating func enter(
        _ claim: FiledClaim, _ state: ClaimState.Phase, at locatedItems: [PlaceTree.LocatedItem]
    ) {
        let record = ClaimState(claim: claim, filedAt: now, state: state)
        records[claim.id] = record
        clientStates[claim.client, default: ClientState()].claims.insert(claim.id)
        purposeIndex.enter(claim, state)
        tree.insert(claim, at: locatedItems, holdsPosition: record.stage != .waiting)
    }

    /// Moves a claim to another stage.
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

    /// Discards the state of a client without claims and presenters.
    mutating func discardIfEmpty(_ client: ClientID) {
        guard clientStates[client]?.isEmpty == true else { return }
        clientStates[client] = nil
        stoppedClients.remove(client)
    }

    /// Removes a claim from all tables.
    mutating func discard(_ record: ClaimState) {
        let claim = record.claim
        if purposeIndex.blocking.contains(claim.id) { endBlocking(claim) }
        records[claim.id] = nil
        clientStates[claim.client, default: ClientState()].claims.remove(claim.id)
        discardIfEmpty(claim.client)
        purposeIndex.leave(claim, record.state)
        tree.remove(claim.id)
    }
}
