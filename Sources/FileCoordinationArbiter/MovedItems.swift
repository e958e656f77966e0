// SPDX-License-Identifier: Apache-2.0
//
// Where the items of a running claim are now, because it or claims inside its accessor have moved
// them. The next server needs that: it learns the announcements of claims that run, but not of
// those inside them that have ended (Rule 2.20).

extension Arbiter {
    /// Returns the running claims inside whose accessors a claim was made, and where their items
    /// are now, if any were moved.
    public func movedItems(around claim: ClaimID) -> [(claim: ClaimID, items: MovedItems)] {
        (records[claim]?.claim.outerClaims ?? []).compactMap { outer in
            movedItems(of: outer).map { (outer, $0) }
        }
    }

    /// Returns where the items of a running claim are now; nil if none was moved.
    public func movedItems(of claim: ClaimID) -> MovedItems? {
        guard let record = records[claim], record.grant != nil else { return nil }
        let items = MovedItems(
            own: record.claim.items.indices.map { record.movedItems[$0] },
            others: record.itemsMovedOut)
        return items.isEmpty ? nil : items
    }

    /// Restores where the items of a recovered claim are.
    mutating func restore(_ moved: MovedItems, of claim: FiledClaim) {
        guard let items = records[claim.id]?.claim.items, !moved.isEmpty else { return }
        for index in items.indices where index < moved.own.count {
            guard let item = moved.own[index]?.normalised else { continue }
            records[claim.id]?.movedItems[index] = item
        }
        records[claim.id]?.itemsMovedOut = moved.others.map(\.normalised)
        // It is not known any more; an unnecessary notice does no harm.
        records[claim.id]?.isMovedByOthers = true
        guard let record = records[claim.id] else { return }
        tree.refile(record.claim, items: record.territory.items)
    }
}
