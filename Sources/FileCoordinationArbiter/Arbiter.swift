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
    var records = RecordTable<ClaimID, ClaimRecord>()
    /// Every registered presenter.
    var registry = RecordTable<PresenterID, PresenterRecord>()
    /// Presenters that did not answer in time, and have not been heard of since (Rule 18.3).
    var unresponsive: OrderedIDs<PresenterID> = []
    /// Processes that were seen stopped, and not seen to run since (Rule 18.6).
    var stoppedClients: OrderedIDs<ClientID> = []
    /// When it is to be told the time, by ``Event/clockAdvanced(to:)``, at the latest.
    ///
    /// Monotonic, in nanoseconds; nil: it waits for nothing. No answer is overdue before, and once
    /// it has been told a time, this is later than that.
    public internal(set) var nextDeadline: UInt64?
    /// What is whose.
    var belongings: [ClientID: Belongings] = [:]
    var census = Census()
    var tree = PlaceTree()
    /// What clients may do without being asked about it.
    var delegations = Delegations()
    var contests = PlaceContests()
    let policy: DelegationPolicy

    /// What one client process has.
    struct Belongings: Hashable, Sendable {
        var claims: OrderedIDs<ClaimID> = []
        var presenters: OrderedIDs<PresenterID> = []
        /// Since when its process is known to be stopped; nil while it runs.
        var stoppedSince: UInt64?

        var isEmpty: Bool { claims.isEmpty && presenters.isEmpty }
    }

    /// An arbiter that knows of nothing.
    ///
    /// One that is `recovering` takes note of what it is told, but decides nothing before
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
        var turn = Turn()
        if event.mayChangeWaits { turn.noteNewWaits() }
        switch event {
        case .claimFiled(let claim): file(claim, &turn)
        case .claimRecovered(let claim): recover(claim, &turn)
        case .claimAnnounced(let claim, let announcement): hear(announcement, from: claim, &turn)
        case .claimReminded(let claim, let announcement): remind(claim, of: announcement)
        case .claimEnded(let claim, let outcomes): end(claim, outcomes, &turn)
        case .claimCancelled(let claim): conclude(claim, &turn)
        case .presenterAdded(let presenter): add(presenter, &turn)
        case .presenterPlaced(let presenter, let path): place(presenter, at: path)
        case .presenterRemoved(let presenter): remove(presenter, &turn)
        case .presenterAnswered(let presenter, let claim, let failure):
            answer(presenter, claim, failure, &turn)
        case .presenterHindered(let presenter, let claim): hinder(presenter, by: claim)
        case .clientStopped(let client): stop(client, &turn)
        case .clientContinued(let client): resume(client, &turn)
        case .grantWithdrawn(let claim): withdrawGrant(of: claim, &turn)
        case .clientDied(let client): bury(client, &turn)
        case .clockAdvanced(let time): advanceClock(to: time, &turn)
        case .recoveryFinished: finishRecovery(&turn)
        case .delegationRecalled(let id): delegations.endRecall(id)
        case .unreportedClaimEnded(let claim): forgetUnreported(claim)
        case .queueOpened(let id, let path, let members): noteQueue(id, at: path, members)
        case .delegationsContested(let ids, let client): noteContests(ids, wantedBy: client)
        case .queueClosed(let id, let path, let turns):
            noteQueueClosed(id, at: path, turns: turns)
        }
        finish(&turn)
        settleWishes(&turn)
        return turn.effects
    }

    /// Looks at everything that the event may have made possible.
    private mutating func finish(_ turn: inout Turn) {
        switch mode {
        case .recovering: return
        case .serving: break
        }
        // Each round but the last moves a claim on, so that they end.
        repeat {
            turn.beginRound()
            reconsiderExcusable(&turn)
            while let task = turn.next() {
                switch task {
                case .putPostponedQuestions(let presenter): putPostponedQuestions(presenter, &turn)
                case .settle(let claim): settle(claim, &turn)
                case .evaluate(let claim): evaluate(claim, &turn)
                }
            }
            breakCycle(&turn)
        } while turn.hasProgressed
    }

    // MARK: Entering and leaving the books

    /// Takes note of a claim; says whether it is a new one.
    mutating func enter(_ filed: FiledClaim, _ state: ClaimRecord.State) -> Bool {
        guard records[filed.id] == nil else { return false }
        let claim = filed.normalised
        youngestFiled = max(youngestFiled, claim.id)
        enter(claim, state, at: tree.spots(of: claim.kind, claim.items))
        return true
    }

    /// Takes note of a new claim.
    mutating func enter(
        _ claim: FiledClaim, _ state: ClaimRecord.State, at spots: [PlaceTree.Spot]
    ) {
        let record = ClaimRecord(claim: claim, filedAt: now, state: state)
        records[claim.id] = record
        belongings[claim.client, default: Belongings()].claims.insert(claim.id)
        census.enter(claim, state)
        tree.insert(claim, at: spots, isPlaced: record.stage != .waiting)
    }

    /// Moves a claim on to another stage.
    mutating func advance(_ id: ClaimID, to state: ClaimRecord.State) {
        guard let claim = records[id]?.claim, let former = records[id]?.stage,
            let formerState = records[id]?.state
        else { return }
        census.leave(claim, formerState)
        records[id]?.state = state
        guard let stage = records[id]?.stage else { return }
        census.enter(claim, state)
        switch (former, stage) {
        case (.waiting, _): tree.place(id)
        case (_, .waiting): tree.displace(id)
        case (_, _): break
        }
    }

    /// Forgets a client that has nothing here.
    mutating func forgetIfEmpty(_ client: ClientID) {
        guard belongings[client]?.isEmpty == true else { return }
        belongings[client] = nil
        stoppedClients.remove(client)
    }

    /// Strikes a claim out.
    mutating func strike(_ record: ClaimRecord) {
        let claim = record.claim
        if census.hindering.contains(claim.id) { endHindering(claim) }
        records[claim.id] = nil
        belongings[claim.client]?.claims.remove(claim.id)
        forgetIfEmpty(claim.client)
        census.leave(claim, record.state)
        tree.remove(claim.id)
    }
}
