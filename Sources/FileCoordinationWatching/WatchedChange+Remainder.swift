// SPDX-License-Identifier: Apache-2.0
//
// What is left to tell of a change that a coordinated writer made, beside what its claim announces:
// a move has two ends, and a plain program may have moved the item on.

public import FileCoordinationArbiter

extension WatchedChange {
    /// Returns the part of a coordinated writer's change that no claim announces, or nil.
    ///
    /// - Parameter isAnnounced: whether a claim announces the end of the move at a path.
    /// - Returns: what to tell beside what the claim announces.
    public func remainder(isAnnounced: (ItemPath) -> Bool) -> WatchedChange? {
        onward ?? unclaimedEnd(isAnnounced: isAnnounced)
    }

    /// The second part of a move, which a plain program made after a coordinated writer had moved
    /// the item; nil if there was none.
    private var onward: WatchedChange? {
        guard let leftAt else { return nil }
        return WatchedChange(
            what: .moved(former: leftAt), path: path, origin: .uncoordinated, observed: observed)
    }

    /// Returns the end of a coordinated writer's move that no claim covers, or nil.
    ///
    /// It is the removal from the former path if the writer's claim covers the present path alone:
    /// the item was beside it under a name of its own, or a plain program had moved it there. It is
    /// the appearance at the present path if the claim covers the former path alone.
    private func unclaimedEnd(isAnnounced: (ItemPath) -> Bool) -> WatchedChange? {
        guard origin == .coordinated, case .moved(let former) = what else { return nil }
        if departure != nil, !isAnnounced(former) {
            return WatchedChange(
                what: .deleted, path: former, origin: .uncoordinated, observed: nil)
        }
        guard arrival != nil, leftAt == nil, !isAnnounced(path) else { return nil }
        return WatchedChange(
            what: .appeared, path: path, origin: .uncoordinated, observed: observed)
    }
}
