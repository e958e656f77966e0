// SPDX-License-Identifier: Apache-2.0
//
// Which claims exclude each other, and whom a claim concerns: Rules 2.1 to 2.13 and the table of
// section 6, read once more from the rules alone.

extension Item {
    /// L(x): the outermost package that is or contains the item, else the item (Rule 2.0).
    var unit: String { packages.first ?? place }

    /// Whether the item contains a place, at any depth, itself excluded (Rule 1.13).
    static func contains(_ directory: String, _ place: String) -> Bool {
        let outer = directory.utf8
        let inner = place.utf8
        if outer.count == 1 { return inner.count > 1 }
        guard inner.count > outer.count, inner.starts(with: outer) else { return false }
        return inner[inner.index(inner.startIndex, offsetBy: outer.count)] == UInt8(ascii: "/")
    }

    /// Whether two uses exclude each other.
    func conflicts(with other: Item) -> Bool {
        // 2.1: reads never wait for each other.
        if !use.isWrite && !other.use.isWrite { return false }
        // 2.2, 2.3
        if place == other.place || unit == other.unit { return true }
        if use.isWide && Item.contains(place, other.place) { return true }
        return other.use.isWide && Item.contains(other.place, place)
    }

    /// Whether these items conflict only because this one
    /// moves a directory in which the other is (Rule 2.8a).
    func onlyMovesAround(_ other: Item) -> Bool {
        use.ends.contains(.moving) && !use.isDeletion && !use.ends.contains(.contents)
            && place != other.place && unit != other.unit
            && Item.contains(place, other.place)
            && !(other.use.isWide && Item.contains(other.place, place))
    }
}

/// Whether claims with these items exclude each other, purposes aside.
func conflicts(_ one: [Item], _ other: [Item]) -> Bool {
    one.contains { item in other.contains { item.conflicts(with: $0) } }
}

/// Whether everything that connects `inner` with `mover` is inside directories that `mover` moves.
func onlyMovesAround(_ mover: [Item], _ inner: [Item]) -> Bool {
    mover.allSatisfy { item in
        inner.allSatisfy { !item.conflicts(with: $0) || item.onlyMovesAround($0) }
    }
}

/// Whether one item is the other, or in one package with it, or one contains the other.
func touch(_ one: [Item], _ other: [Item]) -> Bool {
    one.contains { item in
        other.contains {
            item.place == $0.place || item.unit == $0.unit || Item.contains(item.place, $0.place)
                || Item.contains($0.place, item.place)
        }
    }
}

extension Presenter {
    /// What the presenter at that place must have done before the claim may run.
    func steps(before claim: Claim, _ items: [Item], at place: String?) -> [RequiredStep] {
        // 4.5
        guard let place, claim.purpose != purpose else { return [] }
        var result: [RequiredStep] = []
        for item in items {
            let wanted =
                claim.isBatch
                ? Presenter.preparing(item, at: place) : Presenter.using(item, at: place)
            for step in wanted where !result.contains(step) && implements(step) {
                result.append(step)
            }
        }
        return result
    }

    private func implements(_ step: RequiredStep) -> Bool {
        if case .accommodateSubitemDeletion = step {
            return steps.contains(.accommodateSubitemDeletion(nil))
        }
        return steps.contains(step)
    }

    /// The table of section 6.
    private static func using(_ item: Item, at place: String) -> [RequiredStep] {
        let isItem = place == item.place
        let isPackage = !isItem && item.packages.contains(place)
        let isInside = Item.contains(item.place, place)
        // 6.4: all other presenters in the package, but not
        // those of plain directories above the item (6.2).
        let isOnTheWay = Item.contains(place, item.place) && !isPackage
        let isBeside = item.packages.first.map { Item.contains($0, place) && !isOnTheWay } ?? false
        let isNear = isItem || isPackage || isBeside
        guard isNear || isInside && item.use.isWide else { return [] }
        var result: [RequiredStep] = [
            item.use.isWrite ? .relinquishToWriter : .relinquishToReader
        ]
        let isCovered = isInside && item.use.ends.contains(.contents)
        if item.use.saves, isItem || isPackage || isCovered { result.append(.save) }
        guard item.use.isDeletion else { return result }
        if isItem || isInside { result.append(.accommodateDeletion) }
        if isPackage { result.append(.accommodateSubitemDeletion(item.place)) }
        return result
    }

    /// Rules 14.1, 14.2: the steps that the calls of a batch would ask for, except to relinquish.
    private static func preparing(_ item: Item, at place: String) -> [RequiredStep] {
        let isPackage = place != item.place && item.packages.contains(place)
        let isConcerned = place == item.place || Item.contains(item.place, place)
        guard isPackage || isConcerned else { return [] }
        var result: [RequiredStep] = item.use.saves ? [.save] : []
        guard item.use.isDeletion else { return result }
        if isConcerned { result.append(.accommodateDeletion) }
        if isPackage { result.append(.accommodateSubitemDeletion(item.place)) }
        return result
    }
}

extension Use {
    /// Whether presenters of the item save first (Rules 6.1, 6.9).
    fileprivate var saves: Bool {
        isWrite ? ends.contains(.merging) : !ends.contains(.withoutChanges)
    }
}
