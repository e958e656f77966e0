// SPDX-License-Identifier: Apache-2.0
//
// What happens under a granted claim: the items are examined, the accessor runs on its thread or
// task, and the claim is released with the outcome for each item.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

extension CoordinatedAccess {
    /// Runs `accessor` under the granted claim on this thread, and releases the claim when it
    /// returns.
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

    /// Runs `accessor` under the granted claim in this task, and releases the claim when it
    /// returns.
    package func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ accessor: ([GrantedItem]) async throws -> Result
    ) async rethrows -> Result {
        let (granted, isReleased) = grantedItems
        // Code that examines files runs on the blocking work pool, not on the cooperative pool.
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
        state.withLock { state in
            var granted: [GrantedItem] = []
            for item in state.items { granted.append(item.granted) }
            return (granted, state.life.isReleased)
        }
    }

    /// The states of the items at the grant, of those whose callers want to know it.
    package var grantedTokens: [ItemToken?] { state.withLock { $0.items.map(\.token) } }

    private func finish(
        _ isReleased: Bool, isolation: isolated (any Actor)? = #isolation
    ) async {
        await BlockingWorkPool.run {
            if !isReleased { self.end() }
            self.removeSnapshots()
        }
    }

    /// Releases a granted claim whose accessor will not run.
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

    /// Examines the items before the accessor starts.
    func begin() {
        // A batch itself does nothing to its items; the calls inside it do (Rule 14.3).
        if plan.kind.takesPart {
            // No other thread uses the items now. They are examined without the lock, because a
            // user's file system may not answer, and taken out, so that none is copied.
            var items: [AccessedItem] = []
            let claim = state.withLock { state in
                swap(&items, &state.items)
                return state.claim
            }
            let reportsRelease = !session.ledger.isUnreported(claim.record)
            for index in items.indices {
                let item = items[index]
                // If the accessor moves an item, the announcement of the move takes the versions
                // along.
                let mayHaveVersions =
                    item.writing != nil && !item.mayMove
                    && session.mayHaveVersions(at: item.place.path, item.spelling)
                items[index].begin(
                    session.services.versions, mayHaveVersions: mayHaveVersions,
                    isUpkeep: plan.kind == .upkeep, reportsRelease: reportsRelease)
            }
            state.withLock { [items] in $0.items = items }
        }
        session.markRunning(self)
    }

    /// Releases the claim, with the outcome for each item.
    func end() {
        // A forked child that returns from its parent's accessor owns no claim (Rule 18.8).
        guard session.isOurs else { return }
        announceInferredMoves()
        let (claim, items, moves) = close()
        for item in items { item.endVersions() }
        // In most cases no report is requested, and the items need not be examined.
        if session.releaseUnreported(claim) { return }
        session.release(claim, AccessedItem.endings(of: items, after: moves))
    }
}
