// SPDX-License-Identifier: Apache-2.0
//
// One coordinated access from beginning to end: resolve the places, file the claim, wait, see where
// the items are by then, let the accessor run, compare, release. The classes and the command line
// are two faces of this.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
package import FileCoordinationWire
package import Foundation

/// One access of this process and what belongs to it.
package final class CoordinatedAccess: Sendable {
    /// What was asked for, in the caller's order.
    package let requests: [RequestedItem]
    let session: Session
    let purpose: Purpose
    let kind: ClaimKind
    /// The claims inside whose accessors the call was made.
    let enclosing: [RecordReference]
    /// Whether those accessors wait for it.
    let blocksCaller: Bool
    /// What the claim's record says beside its body, encoded.
    let supplement: [UInt8]
    /// Told once of the end of each claim, for callers that do not wait.
    let onEnding: (@Sendable (AccessEnding) -> Void)?
    let state: Lock<State>

    /// How far the access has got.
    struct State: Sendable {
        /// The claim; another one after each link that was followed (Rule 1.5).
        var claim: PendingClaim
        var items: [AccessedItem]
        /// How the wait ended, once that is known.
        var ending: AccessEnding?
        /// Why it was given up while it was between two claims.
        var givenUp: AccessEnding?
        /// Links that were followed.
        var hops = 0
        /// Whether the claim has ended before the accessor ran (Rule 15.1).
        var isReleased = false
        /// Whether the accessor has returned: what is announced now comes too late.
        var isOver = false
        /// What counted as a package when the items were looked at.
        var policy: PackagePolicy
        /// The moves that are known to have happened since the grant.
        var moves = KnownMoves()
    }

    /// Resolves the places and files the claim; does not wait.
    ///
    /// - Parameter onEnding: for callers that do not wait; called once for each claim, on any
    ///   thread.
    package init(
        _ requests: [RequestedItem], purpose: Purpose, kind: ClaimKind = .access,
        enclosing: [RecordReference]? = nil, standpoint: WireStandpoint? = nil,
        blocksCaller: Bool = true, supplement: RecordSupplement = RecordSupplement(),
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(NSError) {
        self.requests = requests
        self.purpose = purpose
        self.kind = kind
        self.blocksCaller = blocksCaller
        self.supplement = supplement.encode()
        self.onEnding = onEnding
        session = try Session.current()
        let policy = session.packagePolicy
        self.enclosing = enclosing ?? AccessorStack.current
        var items: [AccessedItem] = []
        for request in requests {
            items.append(AccessedItem(request, at: try session.place(of: request)))
        }
        let claim = try session.file(
            ClaimRequest(
                purpose: purpose, items: items.map(\.claimed), kind: kind,
                enclosing: self.enclosing, standpoint: standpoint,
                blocksCaller: blocksCaller, supplement: self.supplement, onEnding: onEnding))
        state = Lock(State(claim: claim, items: items, policy: policy))
    }

    /// Makes an ordinary access of one that was to be local: of one that runs already, or, with
    /// `claim`, of one that waits now for a host.
    init(adopting local: LocalAccess, waitingFor claim: PendingClaim? = nil, purpose: Purpose) {
        requests = [local.request]
        session = local.session
        self.purpose = purpose
        kind = .access
        enclosing = []
        blocksCaller = true
        supplement = []
        onEnding = nil
        let running = PendingClaim(
            record: local.record, ledger: session.ledger, onEnding: nil, onLongWait: {})
        state = Lock(
            State(
                claim: claim ?? running,
                items: [AccessedItem(local.request, at: local.item, before: local.stamp)],
                ending: claim == nil ? .granted : nil, policy: session.packagePolicy))
    }

    /// Ends such an access; says whether no host hears of that.
    func endAdopted() -> Bool {
        let (claim, items, moves) = close()
        return session.release(claim.record, outcomes: items.map { $0.outcome(after: moves) })
    }

    /// Ends one that was never granted.
    func abandonAdopted() { _ = close() }

    /// The claim that counts now.
    var claim: PendingClaim { state.withLock { $0.claim } }

    /// How many links were followed.
    package var hops: Int { state.withLock { $0.hops } }

    /// Whether it was granted, and then failed for what the items turned out to be: nobody refused.
    package var hasFailedAfterGrant: Bool {
        if case .failed = state.withLock({ $0.ending }) { true } else { false }
    }

    // MARK: Waiting

    /// Waits for access.
    ///
    /// - Parameter deadline: monotonic nanoseconds; nil: without bound (Rule 2.22).
    /// - Returns: nil when the deadline passed and the claim still waits.
    package func wait(until deadline: UInt64? = nil) -> AccessEnding? {
        while true {
            let (claim, known) = state.withLock { ($0.claim, $0.ending) }
            if let known { return known }
            var isNoted = false
            let ending = claim.wait(until: deadline) {
                isNoted = true
                session.noteWait(claim.record, at: .ofThread)
            }
            if isNoted { session.noteWaitOver(claim.record) }
            switch ending {
            case .granted: if let ending = settle() { return ending }
            case let ending: return ending
            }
        }
    }

    /// Gives the access up, unless its wait has ended; returns whether it did.
    ///
    /// Call ``wait(until:)`` afterwards, unless another thread is in it: a claim that was granted
    /// at the same time is ended there.
    @discardableResult
    package func giveUp(_ reason: AccessEnding) -> Bool {
        let claim = state.withLock { state -> PendingClaim? in
            guard state.ending == nil else { return nil }
            state.givenUp = state.givenUp ?? reason
            return state.claim
        }
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
    package func run<Result>(_ accessor: ([URL]) throws -> Result) rethrows -> Result {
        let (urls, isReleased) = state.withLock { ($0.items.map(\.url), $0.isReleased) }
        defer { removeSnapshots() }
        guard !isReleased else { return try accessor(urls) }
        AccessorStack.push(.known(self))
        begin()
        defer {
            AccessorStack.pop()
            end()
        }
        return try accessor(urls)
    }

    /// Runs `accessor` under the granted claim, in this task, and ends the claim when it returns.
    func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ accessor: ([URL]) async throws -> Result
    ) async rethrows -> Result {
        let (urls, isReleased) = state.withLock { ($0.items.map(\.url), $0.isReleased) }
        // What looks at files is done on threads of ours, not on the pool's.
        if !isReleased { await AccessThreads.run { self.begin() } }
        let result: Result
        do {
            result = try await AccessorStack.within(isReleased ? nil : self) {
                try await accessor(urls)
            }
        } catch {
            await finish(isReleased)
            throw error
        }
        await finish(isReleased)
        return result
    }

    private func finish(
        _ isReleased: Bool, isolation: isolated (any Actor)? = #isolation
    ) async {
        await AccessThreads.run {
            if !isReleased { self.end() }
            self.removeSnapshots()
        }
    }

    /// Ends a granted claim whose accessor will not run.
    func abandon() {
        guard session.isOurs else { return }
        removeSnapshots()
        let (claim, isReleased) = state.withLock { ($0.claim, $0.isReleased) }
        if !isReleased { session.release(claim, outcomes: requests.map { _ in .unchanged }) }
    }

    /// Looks at the items before the accessor starts.
    private func begin() {
        // Nobody else looks at the items now; users' file systems are not waited for under a lock.
        var items = state.withLock { $0.items }
        // A batch does nothing to its items; the calls inside do (Rule 14.3).
        if kind == .access {
            let isCaredFor = !session.ledger.isQuiet(claim.record)
            for index in items.indices {
                let item = items[index]
                let mayHaveVersions =
                    item.writing?.versions != nil
                    && session.mayHaveVersions(at: item.place.path, url: item.url)
                items[index].begin(mayHaveVersions: mayHaveVersions, isCaredFor: isCaredFor)
            }
        }
        state.withLock { [items] in $0.items = items }
        session.noteRunning(self)
    }

    /// Releases the claim, with what became of its items.
    private func end() {
        // A forked child that returns from its parent's accessor owns nothing (Rule 18.8).
        guard session.isOurs else { return }
        announceInferredMoves()
        let (claim, items, moves) = close()
        for item in items { item.endVersions() }
        // As a rule nobody cares, and the items need not be looked at.
        if session.releaseQuietly(claim) { return }
        session.release(claim, outcomes: items.map { $0.outcome(after: moves) })
    }

    /// From here on nothing is announced; what there is to release.
    private func close() -> (PendingClaim, [AccessedItem], KnownMoves) {
        session.noteEnded(self)
        return state.withLock { state in
            state.isOver = true
            return (state.claim, state.items, state.moves)
        }
    }

    private func removeSnapshots() {
        for item in state.withLock({ $0.items }) { item.snapshot?.remove() }
    }
}
