// SPDX-License-Identifier: Apache-2.0
//
// The table of section 6: whom a claim concerns, and what each has to do before it may be granted.

extension Arbiter {
    /// The presenters to ask for a claim, ascending, and what to ask of each (Rules 6.1 to 6.10).
    ///
    /// Computed when the claim takes its place: presenters come and go while it waits in the queue.
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
            // Rules 4.5 and 5.3: nothing for a presenter's own purpose, only what it implements.
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
            // Rule 2.23: each as for its own item.
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
        // Rule 2.8b: whatever any of the options asks.
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
            // Rule 6.3: what a package loses is a part of it.
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

    /// A batch asks once, of all presenters in and around its items, what each of its calls would
    /// ask: to save, and to accommodate deletion, but not to relinquish (Rules 14.1, 14.2).
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

    /// The presenters of every package that contains the item, itself excluded (Rules 1.12, 6.2).
    private func presentersOfPackages(containing located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard located.item.packageDepths.contains(where: { $0 < located.item.path.depth }) else {
            return []
        }
        return tree.presenters(above: located)
            .filter { located.item.packageDepths.contains($0.depth) }
            .flatMap(\.presenters)
    }

    /// The presenters of whatever else is inside the item's outermost package (Rule 6.4), but those
    /// of plain directories that contain the item (Rule 6.2).
    ///
    /// The rule speaks of plain reads and writes; a D/M/R write inside a package is no smaller
    /// change of it, and asks them too.
    private func presentersBesides(_ located: PlaceTree.LocatedItem) -> [PresenterID] {
        guard !located.item.packageDepths.isEmpty else { return [] }
        return tree.presenters(
            below: located.exclusionNode, except: tree.plainDirectories(between: located))
    }
}

/// What a claim needs of whom: the union over its items (Rule 6.10).
private struct Needs {
    private(set) var presenters: OrderedIDs<PresenterID> = []
    private(set) var steps: [PresenterID: YieldSteps] = [:]
    /// The subitem deletions that are in `steps`; only looked up.
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
    /// Adds other steps, but those for subitems; nothing is done twice.
    fileprivate mutating func formUnion(_ other: YieldSteps) {
        relinquish.formUnion(other.relinquish)
        save = save || other.save
        accommodateDeletion = accommodateDeletion || other.accommodateDeletion
    }

    /// Only those steps for which there is a method (Rules 5.3, 6.6).
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
