// SPDX-License-Identifier: Apache-2.0
//
// The table of section 6 once more: presenter by presenter, with paths as strings.

import FileCoordinationArbiter

enum RequiredStepTable {
    /// What a claim needs of each presenter before it may be granted.
    static func needs(
        of claim: FiledClaim, _ presenters: [RegisteredPresenter]
    ) -> [PresenterID: YieldSteps] {
        var result: [PresenterID: YieldSteps] = [:]
        for presenter in presenters where presenter.purpose != claim.purpose {
            var steps = YieldSteps()
            for item in claim.items {
                guard let place = presenter.path?.description else { continue }
                switch claim.kind {
                case .access: add(item, place, presenter.methods, to: &steps)
                case .preparation: prepare(item, place, presenter.methods, to: &steps)
                case .upkeep: evict(item, place, presenter.methods, to: &steps)
                }
                if claim.kind != .upkeep { provide(item, place, presenter.methods, to: &steps) }
            }
            if !steps.isEmpty { result[presenter.id] = steps }
        }
        return result
    }

    private static func add(
        _ item: AccessItem, _ place: String, _ methods: PresenterMethods, to steps: inout YieldSteps
    ) {
        let own = item.path.description
        let packages = item.packageDepths.map { item.path.prefix(depth: $0).description }
        let isItem = place == own
        let isPackage = packages.contains(place) && !isItem
        let isInside = place.hasPrefix(own + "/")
        let isPlainParent = own.hasPrefix(place + "/") && !isPackage
        let isBeside =
            packages.first.map { place.hasPrefix($0 + "/") && !isPlainParent } ?? false

        switch item.access {
        case .reading(let options):
            let isCovered = isInside && item.isCovered
            guard isItem || isPackage || isBeside || isCovered else { return }
            if methods.contains(.relinquishToReader) { relinquish(.reader, &steps) }
            let saves =
                !options.contains(.withoutChanges) && (isItem || isPackage || isCovered)
            if saves && methods.contains(.save) { steps.save = true }
        case .writing(let mode):
            let isWide = mode.has(.moving, .deleting, .replacing, .includingContents)
            guard isItem || isPackage || isBeside || (isWide && isInside) else { return }
            if methods.contains(.relinquishToWriter) { relinquish(.writer, &steps) }
            let isCovered = isInside && item.isCovered
            let isSaved = mode.has(.merging) && (isItem || isPackage || isCovered)
            if isSaved && methods.contains(.save) {
                steps.save = true
            }
            guard mode.has(.deleting, .replacing) else { return }
            if (isItem || isInside) && methods.contains(.accommodateDeletion) {
                steps.accommodateDeletion = true
            }
            if isPackage && methods.contains(.accommodateSubitemDeletion)
                && !steps.accommodateSubitemDeletions.contains(item.path)
            {
                steps.accommodateSubitemDeletions.append(item.path)
            }
        }
    }

    /// Rule 14.2: saving before it is read, accommodating before it is deleted, no relinquishing.
    private static func prepare(
        _ item: AccessItem, _ place: String, _ methods: PresenterMethods, to steps: inout YieldSteps
    ) {
        let own = item.path.description
        let packages = item.packageDepths.map { item.path.prefix(depth: $0).description }
        let isPackage = packages.contains(place) && place != own
        let isConcerned = place == own || ExpectedMoves.contains(own, place)
        guard isConcerned || isPackage else { return }
        let isSaved: Bool
        let isDeleted: Bool
        switch item.access {
        case .reading(let options):
            (isSaved, isDeleted) = (!options.contains(.withoutChanges), false)
        case .writing(let mode):
            (isSaved, isDeleted) = (mode.has(.merging), mode.has(.deleting, .replacing))
        }
        if isSaved && methods.contains(.save) { steps.save = true }
        if isDeleted && isConcerned && methods.contains(.accommodateDeletion) {
            steps.accommodateDeletion = true
        }
        if isDeleted && isPackage && methods.contains(.accommodateSubitemDeletion)
            && !steps.accommodateSubitemDeletions.contains(item.path)
        {
            steps.accommodateSubitemDeletions.append(item.path)
        }
    }

    /// Rule 15.4: whose contents are used, they must be here.
    private static func provide(
        _ item: AccessItem, _ root: String, _ methods: PresenterMethods, to steps: inout YieldSteps
    ) {
        let usesContents =
            switch item.access {
            case .reading(let options): !options.contains(.immediatelyAvailableMetadataOnly)
            case .writing(let mode):
                mode.has(.merging) || !mode.has(.moving, .deleting, .replacing, .metadataOnly)
            }
        guard methods.contains(.provideContents), usesContents,
            item.path.description.hasPrefix(root + "/"),
            !steps.provideContents.contains(item.path)
        else { return }
        steps.provideContents.append(item.path)
    }

    /// Rule 15.6: who presents the item, or a package around it, agrees to its eviction.
    private static func evict(
        _ item: AccessItem, _ place: String, _ methods: PresenterMethods, to steps: inout YieldSteps
    ) {
        let packages = item.packageDepths.map { item.path.prefix(depth: $0).description }
        let isConcerned = place == item.path.description || packages.contains(place)
        guard isConcerned, methods.contains(.accommodateEviction),
            item.access.writingOptions?.has(.deleting) == true
        else { return }
        steps.accommodateEviction = true
    }

    private static func relinquish(_ kind: Relinquishment, _ steps: inout YieldSteps) {
        steps.relinquish.insert(kind)
    }
}

extension YieldSteps {
    /// These steps, but for those that were asked for before.
    func without(_ former: YieldSteps) -> YieldSteps {
        var result = self
        result.relinquish = Relinquishments(
            relinquish.filter { !former.relinquish.contains($0) })
        result.save = save && !former.save
        result.accommodateDeletion = accommodateDeletion && !former.accommodateDeletion
        result.accommodateSubitemDeletions.removeAll(
            where: former.accommodateSubitemDeletions.contains)
        result.accommodateEviction = accommodateEviction && !former.accommodateEviction
        result.provideContents.removeAll(where: former.provideContents.contains)
        return result
    }

    /// Adds other steps.
    mutating func add(_ others: YieldSteps) {
        relinquish.formUnion(others.relinquish)
        save = save || others.save
        accommodateDeletion = accommodateDeletion || others.accommodateDeletion
        accommodateSubitemDeletions += others.accommodateSubitemDeletions
        accommodateEviction = accommodateEviction || others.accommodateEviction
        provideContents += others.provideContents
    }
}
