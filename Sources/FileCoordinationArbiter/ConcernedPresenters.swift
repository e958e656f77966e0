// SPDX-License-Identifier: Apache-2.0
//
// The table of the rule book's section 6: which presenters a claim concerns, and what each must do
// before the grant.

extension Arbiter {
    /// Returns the presenters to ask for a claim, ascending, and the steps for each (Rules 6.1 to
    /// 6.10).
    ///
    /// Computed when the claim enters stage 2, because presenters are added and removed while it
    /// waits.
    func concernedPresenters(of claim: FiledClaim) -> [(PresenterID, YieldSteps)] {
        var needs = Needs()
        for located in tree.ownLocatedItems(of: claim) {
            switch (claim.kind, located.item.access) {
            case (.access, .reading(let options)): addNeeds(ofReading: located, options, to: &needs)
            case (.access, .writing(let options)): addNeeds(ofWriting: located, options, to: &needs)
            case (.preparation, _): addNeeds(ofPreparing: located, to: &needs)
            }
        }
        return needs.presenters.compactMap { id in
            // Rules 4.5 and 5.3: presenters of the claim's purpose are not asked, and others only
            // for what they implement.
            guard let presenter = registry[id]?.registration, presenter.purpose != claim.purpose,
                let steps = needs.steps[id]?.limited(to: presenter.methods), !steps.isEmpty
            else { return nil }
            return (id, steps)
        }
    }

    private func addNeeds(
        ofReading located: PlaceTree.LocatedItem, _ options: ReadingOptions, to needs: inout Needs
    ) {
        let save = !options.contains(.withoutChanges)
        needs.add(tree.presenters(at: located)) {
            $0.relinquish = [.reader]
            $0.save = save
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.relinquish = [.reader]
            $0.save = save
        }
        if options.contains(.includingContents) {
            // Rule 2.23: each presenter is asked as for its own item.
            needs.add(tree.presenters(below: located.node)) {
                $0.relinquish = [.reader]
                $0.save = save
            }
        }
        needs.add(presentersBesides(located)) { $0.relinquish = [.reader] }
    }

    private func addNeeds(
        ofWriting located: PlaceTree.LocatedItem, _ options: WritingOptions, to needs: inout Needs
    ) {
        // Rule 2.8b: the union of what the options require.
        let save = options.contains(.merging)
        let deletes = options.isDeletion
        needs.add(tree.presenters(at: located)) {
            $0.relinquish = [.writer]
            $0.save = save
            $0.accommodateDeletion = deletes
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.relinquish = [.writer]
            $0.save = save
            // Rule 6.3: a deleted item inside a package is a subitem of the package.
            $0.accommodateSubitemDeletions = deletes ? [located.item.path] : []
        }
        if located.item.isDomain {
            needs.add(tree.presenters(below: located.node)) {
                $0.relinquish = [.writer]
                // Rule 2.23
                $0.save = save && options.contains(.includingContents)
                $0.accommodateDeletion = deletes
            }
        }
        needs.add(presentersBesides(located)) { $0.relinquish = [.writer] }
    }

    /// A batch asks all presenters in and around its items once for what its calls would ask: to
    /// save and to accommodate deletion, but not to relinquish (Rules 14.1, 14.2).
    private func addNeeds(ofPreparing located: PlaceTree.LocatedItem, to needs: inout Needs) {
        let save: Bool
        let deletes: Bool
        switch located.item.access {
        case .reading(let options): (save, deletes) = (!options.contains(.withoutChanges), false)
        case .writing(let options):
            (save, deletes) = (options.contains(.merging), options.isDeletion)
        }
        guard save || deletes else { return }
        needs.add(tree.presenters(at: located) + tree.presenters(below: located.node)) {
            $0.save = save
            $0.accommodateDeletion = deletes
        }
        needs.add(presentersOfPackages(containing: located)) {
            $0.save = save
            $0.accommodateSubitemDeletions = deletes ? [located.item.path] : []
        }
    }

    /// Returns the presenters of every package that contains the item, without the item itself
    /// (Rules 1.12, 6.2).
    private func presentersOfPackages(containing located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard located.item.packageDepths.contains(where: { $0 < located.item.path.depth }) else {
            return []
        }
        return tree.presenters(above: located)
            .filter { located.item.packageDepths.contains($0.depth) }
            .flatMap(\.presenters)
    }

    /// Returns the presenters of other items inside the outermost package (Rule 6.4), except for
    /// those of plain directories that contain the item (Rule 6.2).
    ///
    /// The rule mentions plain reads and writes. A D/M/R write inside a package changes the package
    /// at least as much, so it asks the same presenters.
    private func presentersBesides(_ located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard !located.item.packageDepths.isEmpty else { return [] }
        return tree.presenters(
            below: located.exclusionNode, except: tree.plainDirectories(between: located))
    }
}

/// The steps for each presenter: the union over the items of a claim (Rule 6.10).
private struct Needs {
    private(set) var presenters: OrderedIDs<PresenterID> = []
    private(set) var steps: [PresenterID: YieldSteps] = [:]
    /// The subitem deletions in `steps`; used for lookup only.
    private var deletions: [PresenterID: Set<ItemPath>] = [:]

    mutating func add(
        _ concerned: some Sequence<PresenterID>, _ describe: (inout YieldSteps) -> Void
    ) {
        var added = YieldSteps()
        describe(&added)
        for presenter in concerned {
            presenters.insertOnce(presenter)
            steps[presenter, default: YieldSteps()].formUnion(added)
            for path in added.accommodateSubitemDeletions
            where deletions[presenter, default: []].insert(path).inserted {
                steps[presenter]?.accommodateSubitemDeletions.append(path)
            }
        }
    }
}

extension YieldSteps {
    /// Adds other steps, except those for subitems.
    fileprivate mutating func formUnion(_ other: YieldSteps) {
        relinquish.formUnion(other.relinquish)
        save = save || other.save
        accommodateDeletion = accommodateDeletion || other.accommodateDeletion
    }

    /// Returns only the steps for which the presenter implements a method (Rules 5.3, 6.6).
    fileprivate func limited(to methods: PresenterMethods) -> YieldSteps {
        var relinquish = relinquish
        if !methods.contains(.relinquishToReader) { relinquish.remove(.reader) }
        if !methods.contains(.relinquishToWriter) { relinquish.remove(.writer) }
        return YieldSteps(
            relinquish: relinquish,
            save: save && methods.contains(.save),
            accommodateDeletion: accommodateDeletion && methods.contains(.accommodateDeletion),
            accommodateSubitemDeletions: methods.contains(.accommodateSubitemDeletion)
                ? accommodateSubitemDeletions : [])
    }
}
