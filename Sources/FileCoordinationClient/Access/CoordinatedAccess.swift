// SPDX-License-Identifier: Apache-2.0
//
// One coordinated access from beginning to end: resolves the paths, files the claim, waits, finds
// out where the items are then, runs the accessor, compares the items, and releases the claim. The
// Foundation classes and the command line are both based on it. This file files the claim and
// waits; `+Running`, `+Finishing` and `+Announcing` have the rest.

package import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationWire

/// One access of this process.
package final class CoordinatedAccess: Sendable {
    let plan: AccessPlan
    let session: Session
    let state: Lock<State>

    /// The state of an access.
    struct State: Sendable {
        var life = AccessLifecycle()
        /// The claim; another one after each followed link (Rule 1.5).
        var claim: PendingClaim
        var items: [AccessedItem]
        /// The package policy when the items were examined.
        var policy: PackagePolicy
        /// The moves since the grant that are known.
        var moves = KnownMoves()
        /// The guards whose leases are lifted while the accessor runs.
        var liftedGuards: [LeaseGuard] = []
    }

    private init(_ plan: AccessPlan, in session: Session, _ state: consuming State) {
        self.plan = plan
        self.session = session
        self.state = Lock(state)
    }

    /// Resolves the paths and files the claim, without waiting for the grant.
    ///
    /// - Parameters:
    ///   - requests: the items, and how each will be accessed.
    ///   - session: this process's session.
    ///   - purpose: the purpose of the claim.
    ///   - kind: whether it is an access or the preparation of a batch.
    ///   - enclosing: the claims inside which it is made; nil for those of the accessors that run
    ///     on this thread or task.
    ///   - standpoint: the coordinator's presenter and the last path that it was told (Rule 11.7).
    ///   - blocksCaller: whether the accessors that surround the call wait for it (Rule 18.4).
    ///   - isSigned: whether the end is reported in any case, so that others can be told who has
    ///     written last (Rule 18.16).
    ///   - supplement: what the server is told beside the claim.
    ///   - onEnding: for callers that do not block; called once for each claim, on any thread.
    /// - Throws: ``AccessFailure`` if a path cannot be resolved, or the claim cannot be filed.
    package convenience init(
        _ requests: [RequestedItem], in session: Session, purpose: Purpose,
        kind: ClaimKind = .access, enclosing: [RecordReference]? = nil,
        standpoint: WireStandpoint? = nil, blocksCaller: Bool = true, isSigned: Bool = false,
        supplement: RecordSupplement = RecordSupplement(),
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(AccessFailure) {
        let plan = AccessPlan(
            requests: requests, purpose: purpose, kind: kind,
            enclosing: enclosing ?? AccessorStack.current, blocksCaller: blocksCaller,
            isSigned: isSigned, supplement: supplement.encode(), onEnding: onEnding)
        let policy = session.packagePolicy
        var items: [AccessedItem] = []
        var claimed: [AccessItem] = []
        for index in requests.indices {
            let request = requests[index]
            let item = AccessedItem(request, at: try session.place(of: request, index))
            items.append(item)
            claimed.append(item.claimed)
        }
        let claim = try session.file(plan, claimed, standpoint: standpoint)
        self.init(plan, in: session, State(claim: claim, items: items, policy: policy))
    }

    /// Converts a local access to an ordinary one: one that is running or, with `claim`, one that
    /// waits for the server now.
    convenience init(
        adopting local: LocalAccess, waitingFor claim: PendingClaim? = nil, purpose: Purpose
    ) {
        let session = unsafe local.session
        let running = PendingClaim(
            record: local.record, ledger: session.ledger, onEnding: nil, onLongWait: {})
        self.init(
            AccessPlan(requests: [local.request], purpose: purpose), in: session,
            State(
                life: claim == nil ? .running : AccessLifecycle(), claim: claim ?? running,
                items: [AccessedItem(local.request, at: local.item, before: local.stamp)],
                policy: session.packagePolicy))
    }

    /// Ends a converted access.
    ///
    /// Returns whether the server need not be told.
    func endAdopted() -> Bool {
        let (claim, items, moves) = close()
        return session.release(claim.record, AccessedItem.endings(of: items, after: moves))
    }

    /// Ends a converted access that was never granted.
    func abandonAdopted() { _ = close() }

    /// The requested items, in the caller's order.
    package var requests: [RequestedItem] { plan.requests }

    /// The present claim.
    var claim: PendingClaim { state.withLock { $0.claim } }

    /// The number of links that were followed.
    package var hops: Int { state.withLock { $0.life.hops } }

    /// Whether the claim was granted, and the access then failed because of its items; no presenter
    /// refused.
    package var hasFailedAfterGrant: Bool {
        if case .failed = state.withLock({ $0.life.ending }) { true } else { false }
    }

    // MARK: Waiting

    /// Blocks the thread until the access is granted or fails.
    ///
    /// - Parameter deadline: nil for no limit (Rule 2.22).
    /// - Returns: nil if the deadline passed and the claim still waits.
    package func wait(until deadline: Instant? = nil) -> AccessEnding? {
        while true {
            let (claim, known) = state.withLock { ($0.claim, $0.life.ending) }
            if let known { return known }
            var isNoted = false
            let ending = claim.wait(until: deadline) {
                isNoted = true
                session.beginWait(claim.record, at: .ofThread(session.services))
            }
            if isNoted { session.endWait(claim.record) }
            switch ending {
            case .granted: if let ending = finishWait() { return ending }
            case let ending: return ending
            }
        }
    }

    /// Waits for access for a limited time.
    ///
    /// Then gives it up, and returns which processes are in the way.
    package func wait(timeout: Duration?) -> AccessEnding {
        guard let timeout else { return wait() ?? .cancelled }
        let deadline = MonotonicClock.after(timeout)
        if let ending = wait(until: deadline - Self.lead(of: timeout)) { return ending }
        // A busy server may not answer in time when it is asked at the deadline.
        let early = explain(until: deadline)
        if let ending = wait(until: deadline) { return ending }
        let failure = timeOut(after: timeout, seenBefore: early ?? [])
        giveUp(.timedOut)
        switch wait() {
        case .timedOut, nil: return .failed(failure)
        case let ending?: return ending
        }
    }

    /// How long the server may take to say which processes are in the way.
    private static let explanationPatience = Duration.milliseconds(100)

    /// How long before the end of a wait the server is asked for the first time.
    private static func lead(of timeout: Duration) -> Duration {
        min(max(timeout / 2, .zero), .milliseconds(250))
    }

    /// Returns the failure for a passed deadline, which names the processes in the way (Rule 18.1);
    /// those that were seen before, if the server does not answer now.
    func timeOut(after timeout: Duration, seenBefore: [Party] = []) -> AccessFailure {
        let parties = explain(until: MonotonicClock.after(Self.explanationPatience))
        return .timedOut(after: timeout, parties ?? seenBefore)
    }

    /// Whether the access is still waiting.
    var isWaiting: Bool { state.withLock { $0.life.isWaiting } }

    /// Gives the access up, unless its wait has ended.
    ///
    /// Returns whether it did.
    ///
    /// Call ``wait(until:)`` afterwards, unless another thread is waiting in it: that releases a
    /// claim which was granted at the same time.
    @discardableResult
    package func giveUp(_ reason: AccessEnding) -> Bool {
        let (claim, isQueued) = state.withLock { state in
            state.life.giveUp(reason) ? (state.claim, state.life.endIfQueued()) : (nil, false)
        }
        guard let claim else { return false }
        if isQueued { releaseQueued(claim) } else { session.giveUp(claim, reason) }
        return true
    }

    /// Records that the claim is granted, and that a queue will call ``finishWait()``.
    func queued() {
        let claim = state.withLock { $0.life.queued() ? $0.claim : nil }
        if let claim { releaseQueued(claim) }
    }

    /// Releases a claim that is given up before its queue has run anything.
    private func releaseQueued(_ claim: PendingClaim) {
        guard session.isOurs else { return }
        // The call waits for its queue from now on, and no longer for the claim.
        session.endWait(claim.record)
        releaseUnchanged(claim)
    }

    /// Asks the server what the claim waits for; returns nil if no answer came by `deadline`.
    package func explain(until deadline: Instant) -> [Party]? {
        session.explain(claim, until: deadline)
    }

    // MARK: Without waiting

    /// How an access ended that does not wait for other programs.
    package enum AtOnce {
        /// It was granted, or failed.
        case ended(AccessEnding)
        /// It was given up, because these are in the way.
        case inTheWay([Party])
        /// It was given up, because the server does not answer.
        case unanswered
    }

    /// How long the server may take to examine a claim; it may have to be started first.
    private static let examinationPatience = Duration.seconds(5)

    /// Blocks the thread until the server has examined the claim, and gives the access up if it is
    /// not granted then.
    package func takeAtOnce() -> AtOnce {
        // The server answers after it has examined the claim. At that time the claim is granted, or
        // another claim or a presenter is in its way.
        var parties: [Party]?
        var hops: Int
        repeat {
            hops = self.hops
            parties = explainPersistently(until: MonotonicClock.after(Self.examinationPatience))
            if let ending = wait(until: MonotonicClock.now) { return .ended(ending) }
            // The claim was granted but led through a link, so it was filed again for the link's
            // target, whose presenters have not been asked.
        } while self.hops > hops
        giveUp(.timedOut)
        switch wait() {
        case .timedOut, nil: return parties.map { .inTheWay($0) } ?? .unanswered
        case let ending?: return .ended(ending)
        }
    }

    /// Asks repeatedly what the claim waits for, because a question is not answered while there is
    /// no connection yet.
    package func explainPersistently(until end: Instant) -> [Party]? {
        var slice = Duration.milliseconds(20)
        while MonotonicClock.now < end {
            let deadline = min(end, MonotonicClock.after(slice))
            if let parties = explain(until: deadline) { return parties }
            slice *= 2
        }
        return nil
    }

    // MARK: Ending

    /// Ends announcements, and returns what must be released.
    func close() -> (PendingClaim, [AccessedItem], KnownMoves) {
        session.markEnded(self)
        return state.withLock { state in
            state.life.end()
            return (state.claim, state.items, state.moves)
        }
    }

    func removeSnapshots() {
        for item in state.withLock({ $0.items }) { item.snapshot?.remove() }
    }
}
