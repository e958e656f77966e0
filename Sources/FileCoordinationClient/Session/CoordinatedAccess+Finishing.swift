// SPDX-License-Identifier: Apache-2.0
//
// Between the grant and the accessor: where are the items by now, is one of them a link that is to
// be followed, is a copy to be made? All of it under the claim, on the thread that will run the
// accessor.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension CoordinatedAccess {
    /// As many links are followed as the kernel follows.
    private static let hopLimit = 40

    /// Does what is to be done between the grant and the accessor.
    ///
    /// - Returns: how the wait ended; nil if it goes on, with another claim.
    func finishWait() -> AccessEnding? {
        var failure: AccessFailure?
        do throws(AccessFailure) {
            let hasMoved = try follow()
            if let targets = try linkTargets() ?? placesInOtherPackages(hasMoved: hasMoved) {
                try goOn(at: targets)
                return nil
            }
            try makeSnapshots()
        } catch {
            failure = error
        }
        let (finished, claim) = state.withLock { [failure] in
            ($0.life.finishWait(failure: failure), $0.claim)
        }
        if !finished.ending.isGranted { removeSnapshots() }
        if finished.releases, session.isOurs { releaseUnchanged(claim) }
        return finished.ending
    }

    /// Finds out where items are that were moved while the claim waited (Rule 11.4); returns
    /// whether there are any.
    private func follow() throws(AccessFailure) -> Bool {
        let claim = claim
        guard session.ledger.isRelocated(claim.record) else { return false }
        let count = requests.count
        guard !session.ledger.isRelocationLost(claim.record),
            let moved = session.movedItems(of: claim), moved.count == count
        else {
            throw .system(
                .arbiterUnreachable(
                    "an item was moved meanwhile, and the arbiter does not say where to"))
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

    /// The items as they are to be claimed, by item, if they are in other packages by now than the
    /// claim says; else nil.
    ///
    /// That can be if something else counts as a package than when they were looked at (Rule 1.11),
    /// or if they were moved: the arbiter does not look at files, and may know less than all.
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

    // MARK: Links

    /// Where the links lead that are to be followed, by item; nil if there are none.
    private func linkTargets() throws(AccessFailure) -> [Int: ResolvedPlace]? {
        let items = state.withLock { $0.items }
        var targets: [Int: ResolvedPlace] = [:]
        for (index, item) in items.enumerated()
        where item.readingOptions.contains(.resolvesSymbolicLink) {
            do throws(PlaceError) {
                targets[index] = try session.target(ofLinkAt: item.place.path)
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

    /// Ends the claim on the links, and files one for where they lead: it may have to wait there,
    /// and presenters there are asked (Rule 1.5).
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

    // MARK: Copies

    /// Makes the copies that accessors for uploading get, and ends the claim if there is nothing
    /// else in it (Rule 15.1).
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
