// SPDX-License-Identifier: Apache-2.0
//
// One coordinated access from beginning to end: resolve the places, file the claim, wait, see where
// the items are by then, let the accessor run, compare, release. The classes and the command line
// are two faces of this.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
package import FileCoordinationWire

/// One access of this process and what belongs to it.
package final class CoordinatedAccess: Sendable {
    let plan: AccessPlan
    let session: Session
    let state: Lock<State>

    /// How far the access has got.
    struct State: Sendable {
        var life = AccessLifecycle()
        /// The claim; another one after each link that was followed (Rule 1.5).
        var claim: PendingClaim
        var items: [AccessedItem]
        /// What counted as a package when the items were looked at.
        var policy: PackagePolicy
        /// The moves that are known to have happened since the grant.
        var moves = KnownMoves()
    }

    private init(_ plan: AccessPlan, in session: Session, _ state: State) {
        self.plan = plan
        self.session = session
        self.state = Lock(state)
    }

    /// Resolves the places and files the claim; does not wait.
    ///
    /// - Parameter onEnding: for callers that do not wait; called once for each claim, on any
    ///   thread.
    package convenience init(
        _ requests: [RequestedItem], in session: Session, purpose: Purpose,
        kind: ClaimKind = .access, enclosing: [RecordReference]? = nil,
        standpoint: WireStandpoint? = nil, blocksCaller: Bool = true,
        supplement: RecordSupplement = RecordSupplement(),
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(AccessFailure) {
        let plan = AccessPlan(
            requests: requests, purpose: purpose, kind: kind,
            enclosing: enclosing ?? AccessorStack.current, blocksCaller: blocksCaller,
            supplement: supplement.encode(), onEnding: onEnding)
        let policy = session.packagePolicy
        var items: [AccessedItem] = []
        for index in requests.indices {
            let request = requests[index]
            items.append(AccessedItem(request, at: try session.place(of: request, index)))
        }
        let claim = try session.file(plan, items.map(\.claimed), standpoint: standpoint)
        self.init(plan, in: session, State(claim: claim, items: items, policy: policy))
    }

    /// Makes an ordinary access of one that was to be local: of one that runs already, or, with
    /// `claim`, of one that waits now for a server.
    convenience init(
        adopting local: LocalAccess, waitingFor claim: PendingClaim? = nil, purpose: Purpose
    ) {
        let session = local.session
        let running = PendingClaim(
            record: local.record, ledger: session.ledger, onEnding: nil, onLongWait: {})
        self.init(
            AccessPlan(requests: [local.request], purpose: purpose), in: session,
            State(
                life: claim == nil ? .running : AccessLifecycle(), claim: claim ?? running,
                items: [AccessedItem(local.request, at: local.item, before: local.stamp)],
                policy: session.packagePolicy))
    }

    /// Ends such an access; returns whether no server is told of that.
    func endAdopted() -> Bool {
        let (claim, items, moves) = close()
        return session.release(claim.record, items.map { $0.ending(after: moves) })
    }

    /// Ends one that was never granted.
    func abandonAdopted() { _ = close() }

    /// What was asked for, in the caller's order.
    package var requests: [RequestedItem] { plan.requests }

    /// The claim that counts now.
    var claim: PendingClaim { state.withLock { $0.claim } }

    /// How many links were followed.
    package var hops: Int { state.withLock { $0.life.hops } }

    /// Whether it was granted, and then failed for what the items turned out to be: no presenter
    /// refused.
    package var hasFailedAfterGrant: Bool {
        if case .failed = state.withLock({ $0.life.ending }) { true } else { false }
    }

    // MARK: Waiting

    /// Waits for access.
    ///
    /// - Parameter deadline: monotonic nanoseconds; nil: without bound (Rule 2.22).
    /// - Returns: nil when the deadline passed and the claim still waits.
    package func wait(until deadline: UInt64? = nil) -> AccessEnding? {
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

    /// Waits for access for so long at most; then gives it up, and says who is in the way.
    package func wait(timeout: Duration?) -> AccessEnding {
        guard let timeout else { return wait() ?? .cancelled }
        if let ending = wait(until: MonotonicClock.after(timeout)) { return ending }
        let failure = timeOut(after: timeout)
        giveUp(.timedOut)
        switch wait() {
        case .timedOut, nil: return .failed(failure)
        case let ending?: return ending
        }
    }

    /// How long the arbiter may take to say who is in the way.
    private static let explanationPatience = Duration.milliseconds(100)

    /// The failure for a deadline that has passed: it names those in the way (Rule 18.1).
    func timeOut(after timeout: Duration) -> AccessFailure {
        let parties = explain(until: MonotonicClock.after(Self.explanationPatience)) ?? []
        return .timedOut(after: timeout, parties)
    }

    /// Whether the wait has not ended.
    var isWaiting: Bool { state.withLock { $0.life.isWaiting } }

    /// Gives the access up, unless its wait has ended; returns whether it did.
    ///
    /// Call ``wait(until:)`` afterwards, unless another thread is in it: a claim that was granted
    /// at the same time is ended there.
    @discardableResult
    package func giveUp(_ reason: AccessEnding) -> Bool {
        let claim = state.withLock { $0.life.giveUp(reason) ? $0.claim : nil }
        guard let claim else { return false }
        session.giveUp(claim, reason)
        return true
    }

    /// Asks whom the claim waits for; nil when no answer came until `deadline`.
    package func explain(until deadline: UInt64) -> [Party]? {
        session.explain(claim, until: deadline)
    }

    // MARK: The accessor

    /// Runs `accessor` under the granted claim, on this thread, and ends the claim when it returns.
    package func run<Result>(
        _ accessor: ([GrantedItem]) throws -> Result
    ) rethrows -> Result {
        let (granted, isReleased) = grantedItems
        defer { removeSnapshots() }
        guard !isReleased else { return try accessor(granted) }
        let thread = CallingThread.current
        AccessorStack.push(.known(self), on: thread)
        begin()
        defer {
            AccessorStack.pop(on: thread)
            end()
        }
        return try accessor(granted)
    }

    /// Runs `accessor` under the granted claim, in this task, and ends the claim when it returns.
    package func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ accessor: ([GrantedItem]) async throws -> Result
    ) async rethrows -> Result {
        let (granted, isReleased) = grantedItems
        // What looks at files is done on threads of ours, not on the pool's.
        if !isReleased { await BlockingWorkPool.run { self.begin() } }
        let result: Result
        do {
            result = try await AccessorStack.within(isReleased ? nil : self) {
                try await accessor(granted)
            }
        } catch {
            await finish(isReleased)
            throw error
        }
        await finish(isReleased)
        return result
    }

    var grantedItems: ([GrantedItem], isReleased: Bool) {
        state.withLock { ($0.items.map(\.granted), $0.life.isReleased) }
    }

    private func finish(
        _ isReleased: Bool, isolation: isolated (any Actor)? = #isolation
    ) async {
        await BlockingWorkPool.run {
            if !isReleased { self.end() }
            self.removeSnapshots()
        }
    }

    /// Ends a granted claim whose accessor will not run.
    package func abandon() {
        guard session.isOurs else { return }
        removeSnapshots()
        let claim = state.withLock { $0.life.end() ? $0.claim : nil }
        if let claim { releaseUnchanged(claim) }
    }

    /// Releases a claim under which nothing was done.
    func releaseUnchanged(_ claim: PendingClaim) {
        session.release(claim, requests.map { _ in ItemEnding(.unchanged) })
    }

    /// Looks at the items before the accessor starts.
    func begin() {
        // No other thread looks at the items now, so no lock is needed: a lock must not be held
        // while waiting for users' file systems.
        var items = state.withLock { $0.items }
        // A batch does nothing to its items; the calls inside do (Rule 14.3).
        if plan.kind == .access {
            let reportsRelease = !session.ledger.isUnreported(claim.record)
            for index in items.indices where items[index].writing != nil {
                let item = items[index]
                // Of what is moved, the announcement takes the versions along.
                let mayHaveVersions =
                    !item.mayMove
                    && session.mayHaveVersions(at: item.place.path, item.spelling)
                items[index].begin(
                    session.services.versions, mayHaveVersions: mayHaveVersions,
                    reportsRelease: reportsRelease)
            }
        }
        state.withLock { [items] in $0.items = items }
        session.markRunning(self)
    }

    /// Releases the claim, with what became of its items.
    func end() {
        // A forked child that returns from its parent's accessor owns nothing (Rule 18.8).
        guard session.isOurs else { return }
        announceInferredMoves()
        let (claim, items, moves) = close()
        for item in items { item.endVersions() }
        // As a rule no process asked for a report, and the items need not be looked at.
        if session.releaseUnreported(claim) { return }
        session.release(claim, items.map { $0.ending(after: moves) })
    }

    /// From here on nothing is announced; what there is to release.
    private func close() -> (PendingClaim, [AccessedItem], KnownMoves) {
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
