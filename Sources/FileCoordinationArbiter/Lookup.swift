// SPDX-License-Identifier: Apache-2.0
//
// Looks up single claims and presenters.

extension Arbiter {
    /// Returns a claim, or nil if it is over.
    public func claim(_ id: ClaimID) -> FiledClaim? { records[id]?.claim }

    /// Returns a presenter, or nil if it is not registered.
    public func presenter(_ id: PresenterID) -> RegisteredPresenter? {
        registry[id]?.registration
    }

    /// The writers that have been granted, and whose item is at a path or at a directory that
    /// contains it; ascending.
    public func runningWriters(onTheWayTo path: ItemPath) -> [ClaimID] {
        let writers = tree.placedClaims(onTheWayTo: path).filter { id in
            guard let record = records[id], record.stage == .granted else { return false }
            return record.claim.items.contains { $0.access.isWriting }
        }
        return OrderedIDs(unique: writers).map { $0 }
    }
}
