// SPDX-License-Identifier: Apache-2.0
//
// Providers of files (Rules 15.4 to 15.6). A provider is a presenter of its domain's directory that
// is asked for contents before a claim that uses them is granted, as other presenters are asked to
// save. So deadlines, cancellation, its death and its own claims meanwhile need nothing more: what
// it writes while it is asked passes the claim that waits for it (Rule 2.16). The arbiter does not
// know which contents are here. A provider that has them answers at once; and where no provider
// runs or answers, what counts is what the client has seen, and says of each item of its claim.

import MonotonicTime

extension Arbiter {
    /// Returns the provider of what is inside its directory at a path, or nil.
    func provider(of path: ItemPath) -> PresenterID? {
        if tree.providers.isEmpty { return nil }
        return tree.providers.first { id in
            guard let root = registry[id]?.registration.path else { return false }
            return root.contains(path) && root != path
        }
    }

    /// Whether a provider must be asked for the claim, or be waited for.
    ///
    /// The provider of the claim's own purpose, too: which it is must be looked up.
    func mayNeedProvider(_ claim: FiledClaim) -> Bool {
        claim.items.contains { item in
            guard item.lacksContents || !tree.providers.isEmpty else { return false }
            return needsContents(of: item, claim)
                && (item.lacksContents || provider(of: item.path) != nil)
        }
    }

    /// Whether the contents of an item must be here before the claim is granted.
    ///
    /// A move to where another provider or none brings contents needs them, too.
    func needsContents(of item: AccessItem, _ claim: FiledClaim) -> Bool {
        if claim.kind == .upkeep { return false }
        if item.access.needsContents { return true }
        guard item.access.writingOptions?.contains(.moving) == true, claim.items.count > 1 else {
            return false
        }
        let provider = provider(of: item.path)
        return claim.items.contains { self.provider(of: $0.path) != provider }
    }

    /// Whether a claim needs contents that are not here.
    func lacksContents(_ claim: FiledClaim) -> Bool {
        claim.items.contains { $0.lacksContents && needsContents(of: $0, claim) }
    }

    /// Whether a claim needs contents that are not here, while no provider runs that brings them.
    func lacksProvider(_ claim: FiledClaim) -> Bool {
        claim.items.contains {
            $0.lacksContents && needsContents(of: $0, claim) && provider(of: $0.path) == nil
        }
    }

    /// Lets the claims that have asked a provider, which is gone, wait for the next one, if what
    /// they need is not here.
    mutating func awaitNextProvider(after record: PresenterRecord) {
        let deadline = now + Limits.absentProvider
        for id in record.awaitedBy {
            guard let claim = records[id]?.claim, lacksContents(claim) else { continue }
            records[id]?.updateAsking { $0.providerDeadline = deadline }
            lowerDeadline(to: deadline)
        }
    }

    /// Asks a provider that was started for what claims wait for.
    mutating func askNewProvider(
        _ presenter: RegisteredPresenter, _ reevaluations: inout ReevaluationQueue
    ) {
        guard presenter.methods.contains(.provideContents) else { return }
        for id in OrderedIDs(unique: Array(purposeIndex.asking)) {
            guard let record = records[id], record.asking?.providerDeadline != nil else { continue }
            let steps = concernedPresenters(of: record.claim).first { $0.0 == presenter.id }?.1
            guard let steps else { continue }
            if !lacksProvider(record.claim) {
                records[id]?.updateAsking { $0.providerDeadline = nil }
            }
            put(
                YieldSteps(provideContents: steps.provideContents), to: presenter.id, for: id,
                &reevaluations)
        }
    }

    /// Lets claims fail that have waited for a provider for too long.
    mutating func failWithoutProvider(_ reevaluations: inout ReevaluationQueue) {
        for id in OrderedIDs(unique: Array(purposeIndex.asking)) {
            guard let deadline = records[id]?.asking?.providerDeadline else { continue }
            guard deadline <= now else {
                lowerDeadline(to: deadline)
                continue
            }
            reevaluations.emit(.fail(id, .noProvider))
            finish(id, &reevaluations)
        }
    }

    // MARK: Eviction

    /// Returns the presenters of an item and of the packages that contain it, which must consent to
    /// its eviction (Rule 15.6).
    func presentersToEvict(_ located: PlaceTree.LocatedItem) -> [PresenterID] {
        Array(tree.presenters(at: located)) + presentersOfPackages(containing: located)
    }

    /// Whether a presenter that cannot be asked keeps an item from being evicted (Rule 15.6).
    func isKeptFromEviction(_ claim: FiledClaim) -> Bool {
        tree.ownLocatedItems(of: claim).contains { located in
            guard located.item.access.writingOptions?.isDeletion == true else { return false }
            return presentersToEvict(located).contains { id in
                guard let presenter = registry[id]?.registration else { return false }
                return presenter.purpose != claim.purpose
                    && !presenter.methods.contains(.accommodateEviction)
            }
        }
    }
}
