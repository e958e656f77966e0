// SPDX-License-Identifier: Apache-2.0
//
// The steps between the grant and the accessor: find out where the items are now, follow symbolic
// links, compare the items with what the caller has seen, and make copies for uploading. All of
// them happen under the claim, on the thread that will run the accessor.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension CoordinatedAccess {
    /// The most links that are followed: as many as the kernel follows.
    private static let hopLimit = 40

    /// Performs the steps between the grant and the accessor.
    ///
    /// - Returns: how the wait ended; nil if it continues with another claim.
    func finishWait() -> AccessEnding? {
        let policy = session.packagePolicy
        let (ended, filed, isPolicyKnown) = state.withLock { state in
            (state.life.beginFinishing(), state.claim, state.policy == policy)
        }
        if let ended { return ended }
        var failure: AccessFailure?
        let isReady =
            plan.isPlain && isPolicyKnown && !session.ledger.isRelocated(filed.record)
        if !isReady {
            do throws(AccessFailure) {
                let hasMoved = try follow()
                if let targets = try linkTargets() ?? placesInOtherPackages(hasMoved: hasMoved) {
                    try goOn(at: targets)
                    return nil
                }
                try lookAtItems()
                try makeSnapshots()
                try holdOn()
            } catch {
                failure = error
            }
        }
        let (finished, claim) = state.withLock { [failure] in
            ($0.life.finishWait(failure: failure), $0.claim)
        }
        if !finished.ending.isGranted { removeSnapshots() }
        if finished.releases, session.isOurs { releaseUnchanged(claim) }
        return finished.ending
    }

    /// Finds out where the items are if they were moved while the claim waited (Rule 11.4).
    ///
    /// Returns whether any was moved.
    private func follow() throws(AccessFailure) -> Bool {
        let claim = claim
        guard session.ledger.isRelocated(claim.record) else { return false }
        let count = requests.count
        guard !session.ledger.isRelocationLost(claim.record),
            let moved = session.movedItems(of: claim), moved.count == count
        else {
            throw .system(
                .arbiterUnreachable(
                    "an item was moved meanwhile, and the server does not say where to"))
        }
        for (index, item) in moved.enumerated() {
            try relocate(
                index,
                to: ResolvedPlace(
                    path: item.path, isDirectory: item.isDirectory,
                    packageDepths: item.packageDepths))
        }
        return true
    }

    private func relocate(_ index: Int, to place: ResolvedPlace) throws(AccessFailure) {
        do throws(PlaceError) {
            try state.withLock { (state) throws(PlaceError) in
                try state.items[index].relocate(to: place, session.services)
            }
        } catch {
            throw .place(error, item: index)
        }
    }

    /// Returns the items as they must be claimed, by index, if they are in other packages now than
    /// the claim says; else nil.
    ///
    /// This happens if the package policy has changed (Rule 1.11) or if the items were moved: the
    /// server does not examine files, so it may not know all packages at the new paths.
    private func placesInOtherPackages(hasMoved: Bool) -> [Int: ResolvedPlace]? {
        let policy = session.packagePolicy
        let (items, former) = state.withLock { state in
            defer { state.policy = policy }
            return (state.items, state.policy)
        }
        guard policy != former || hasMoved else { return nil }
        var places: [Int: ResolvedPlace] = [:]
        for (index, item) in items.enumerated() {
            let facts = PlaceResolver.facts(of: item.place.path, policy: policy)
            if facts.packageDepths != item.place.packageDepths { places[index] = facts }
        }
        return places.isEmpty ? nil : places
    }

    // MARK: Symbolic links

    /// Returns the targets of the links that must be followed, by item index; nil if there are
    /// none.
    ///
    /// Where a claimed link has become something else, that is claimed now.
    private func linkTargets() throws(AccessFailure) -> [Int: ResolvedPlace]? {
        let items = state.withLock { $0.items }
        var targets: [Int: ResolvedPlace] = [:]
        for (index, item) in items.enumerated() where item.followsLink {
            do throws(PlaceError) {
                targets[index] =
                    try session.target(ofLinkAt: item.place.path)
                    ?? (item.place.isLink ? session.facts(of: item.place.path) : nil)
            } catch {
                throw .place(error, item: index)
            }
        }
        guard !targets.isEmpty else { return nil }
        let hops = state.withLock { $0.life.follow() }
        guard hops <= Self.hopLimit else {
            throw .place(.linkLoop, item: targets.keys.min() ?? 0)
        }
        return targets
    }

    /// Ends the claim on the links and files one for their targets.
    ///
    /// It may have to wait there, and presenters of the targets are asked (Rule 1.5).
    private func goOn(at targets: [Int: ResolvedPlace]) throws(AccessFailure) {
        for (index, place) in targets { try relocate(index, to: place) }
        let (former, items) = state.withLock { ($0.claim, $0.items) }
        endClaim(former)
        let next = try session.file(plan, items.map(\.claimed), standpoint: nil)
        let givenUp = state.withLock { state in
            state.claim = next
            return state.life.filedNext()
        }
        if let givenUp { session.giveUp(next, givenUp) }
    }

    /// Ends the claim before the accessor runs.
    private func endClaim(_ claim: PendingClaim) {
        releaseUnchanged(claim)
        state.withLock { $0.life.claimEnded() }
    }

    /// Keeps hold of the items that the accessor may move (Rule 11.1).
    private func holdOn() throws(AccessFailure) {
        guard plan.kind == .access, plan.mayMove else { return }
        // No other thread uses the items now; a user's file system may not answer.
        var items = state.withLock { $0.items }
        do throws(SystemError) {
            for index in items.indices { try items[index].holdOn() }
        } catch {
            throw .system(.limitReached("a moved item could not be followed: \(error)"))
        }
        state.withLock { [items] in $0.items = items }
    }

    // MARK: Copies

    /// Makes the copies for accessors that upload, and ends the claim if all its items are copied
    /// (Rule 15.1).
    private func makeSnapshots() throws(AccessFailure) {
        let items = state.withLock { $0.items }
        let uploads = items.indices.filter { items[$0].readingOptions.contains(.forUploading) }
        guard !uploads.isEmpty, plan.kind == .access else { return }
        for index in uploads {
            do {
                let snapshot = try session.services.copyForUploading(items[index].place.path)
                state.withLock { $0.items[index].use(snapshot) }
            } catch {
                throw .copy(error, item: index)
            }
        }
        guard uploads.count == items.count else { return }
        endClaim(claim)
    }
}
