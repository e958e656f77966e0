// SPDX-License-Identifier: Apache-2.0
//
// The table of section 6 once more: presenter by presenter, with paths as strings.

import FileCoordinationArbiter

enum CourtesyTable {
    /// What a claim needs of each presenter before it may be granted.
    static func needs(
        of claim: FiledClaim, _ presenters: [RegisteredPresenter]
    ) -> [PresenterID: YieldSteps] {
        var result: [PresenterID: YieldSteps] = [:]
        for presenter in presenters where presenter.purpose != claim.purpose {
            var steps = YieldSteps()
            for item in claim.items {
                guard let place = presenter.path?.description else { continue }
                add(item, place, presenter.methods, to: &steps)
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
            guard isItem || isPackage || isBeside else { return }
            if methods.contains(.relinquishToReader) { relinquish(.reader, &steps) }
            let saves = !options.contains(.withoutChanges) && (isItem || isPackage)
            if saves && methods.contains(.save) { steps.save = true }
        case .writing(let mode):
            let isWide = [.moving, .deleting, .replacing].contains(mode)
            guard isItem || isPackage || isBeside || (isWide && isInside) else { return }
            if methods.contains(.relinquishToWriter) { relinquish(.writer, &steps) }
            if mode == .merging && (isItem || isPackage) && methods.contains(.save) {
                steps.save = true
            }
            guard mode == .deleting || mode == .replacing else { return }
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

    private static func relinquish(_ kind: Relinquishment, _ steps: inout YieldSteps) {
        if !steps.relinquish.contains(kind) { steps.relinquish.append(kind) }
    }
}
