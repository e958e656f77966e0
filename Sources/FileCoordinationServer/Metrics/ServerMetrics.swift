// SPDX-License-Identifier: Apache-2.0
//
// The server's counters. Only the server's thread uses them, so they are plain integers. A claim
// that is granted at once costs a few additions, and the clock is not read for it.

import FileCoordinationArbiter
import FileCoordinationWire

/// The counters of a server since it started.
struct ServerMetrics {
    /// A claim that was filed, or whose grant was withdrawn, and that has not been granted since.
    private struct Pending {
        let client: ClientID
        let since: UInt64
        /// When each presenter was asked that has not answered yet.
        var asked: [PresenterID: UInt64] = [:]
    }

    /// In the order of ``ServerCounter``.
    private var counts = [UInt64](repeating: 0, count: ServerCounter.allCases.count)
    private var waits = DurationHistogram()
    private var answers = DurationHistogram()
    private var pending: [ClaimID: Pending] = [:]
    /// The monotonic time that the arbiter was last told.
    private var now: UInt64 = 0

    /// The number of claims that wait for claims or presenters.
    var waitingClaims: Int { pending.count }

    /// The value of a counter.
    subscript(counter: ServerCounter) -> UInt64 { counts[Int(counter.rawValue)] }

    /// Increments a counter.
    mutating func count(_ counter: ServerCounter) { counts[Int(counter.rawValue)] += 1 }

    /// Counts an event of the arbiter and its effects.
    ///
    /// `client` returns the client of a claim that the arbiter knows. The server itself counts
    /// stops and deaths, because an event does not show whether a stop was known already, or
    /// whether a dead client had claims or presenters.
    mutating func record(
        _ event: Event, _ effects: [Effect], client: (ClaimID) -> ClientID?
    ) {
        switch event {
        case .clockAdvanced(let time): now = max(now, time)
        case .claimFiled(let claim): file(claim, effects)
        case .claimRecovered: count(.claimsRecovered)
        case .claimEnded(let claim, _):
            count(.claimsEnded)
            if !pending.isEmpty { pending[claim] = nil }
        case .claimCancelled(let claim):
            if pending.removeValue(forKey: claim) != nil { count(.claimsCancelled) }
        case .presenterAdded: count(.presentersAdded)
        case .presenterRemoved: count(.presentersRemoved)
        case .presenterAnswered(let presenter, let claim, _): answer(presenter, claim)
        case .presenterMoved: count(.plainMoves)
        case .grantWithdrawn(let claim):
            count(.grantsWithdrawn)
            // The claim waits again, and will be granted again.
            if let client = client(claim) { pending[claim] = Pending(client: client, since: now) }
        case .clientDied(let client):
            if !pending.isEmpty { pending = pending.filter { $0.value.client != client } }
        case .claimAnnounced, .claimReminded, .presenterRelocated, .presenterBlocked, .movesTold,
            .presenterAnsweredLate, .presenterDismissed, .clientStopped, .clientContinued,
            .recoveryFinished, .delegationRecalled, .unreportedClaimEnded,
            .queueOpened, .queueClosed:
            break
        }
        for effect in effects { record(effect) }
    }

    private mutating func record(_ effect: Effect) {
        switch effect {
        case .grant(let claim): grant(claim)
        case .grantUnreported(let claim, _):
            count(.claimsGrantedUnreported)
            grant(claim)
        case .fail(let claim, _):
            count(.claimsRefused)
            pending[claim] = nil
        case .failInCycle(let claim, _):
            count(.claimsInCycles)
            pending[claim] = nil
        case .askToYield(let presenter, let claim, _):
            count(.questions)
            pending[claim]?.asked[presenter] = now
        case .recallQuestions(let claim): pending[claim]?.asked = [:]
        case .notify, .reacquire, .relocate: count(.notices)
        case .delegate: count(.delegations)
        case .recall: count(.recalls)
        case .retarget, .openQueue, .startQueue: break
        }
    }

    private mutating func file(_ claim: FiledClaim, _ effects: [Effect]) {
        count(.claimsFiled)
        if effects.contains(where: { $0.grants(claim.id) }) {
            waits.addNothing()
        } else {
            pending[claim.id] = Pending(client: claim.client, since: now)
        }
    }

    private mutating func grant(_ claim: ClaimID) {
        count(.claimsGranted)
        // A claim that was granted at once is not pending, and has not waited.
        guard !pending.isEmpty, let waited = pending.removeValue(forKey: claim) else { return }
        waits.add(now - waited.since)
    }

    private mutating func answer(_ presenter: PresenterID, _ claim: ClaimID) {
        count(.answers)
        guard let since = pending[claim]?.asked.removeValue(forKey: presenter) else { return }
        answers.add(now - since)
    }

    /// Returns a report of the counters and of the present numbers of claims and others.
    func report(
        _ arbiter: ArbiterStatus, epoch: UInt32, clients: Int, claims: Int, presenters: Int
    ) -> MetricsReport {
        let known = ServerCounter.allCases.map { ($0, self[$0]) }
        return MetricsReport(
            arbiter: arbiter, epoch: epoch, clients: UInt32(clamping: clients),
            claims: UInt32(clamping: claims), waitingClaims: UInt32(clamping: waitingClaims),
            presenters: UInt32(clamping: presenters),
            counts: Dictionary(uniqueKeysWithValues: known), waits: waits, answers: answers)
    }
}

extension Effect {
    /// Whether the effect grants this claim.
    func grants(_ claim: ClaimID) -> Bool {
        switch self {
        case .grant(let granted): granted == claim
        case .grantUnreported(let granted, _): granted == claim
        case .fail, .failInCycle, .recallQuestions, .askToYield, .reacquire, .notify, .retarget,
            .relocate, .delegate, .recall, .openQueue, .startQueue:
            false
        }
    }
}
