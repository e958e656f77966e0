// SPDX-License-Identifier: Apache-2.0
//
// Items that programs have moved which do not coordinate. Presenters stay with the item, as they do
// when a writer announces its move; claims do not, since they mean a place (Rules 1.15, 11.9).

extension Arbiter {
    /// Ties a presenter to where its item is now, and has it told.
    mutating func follow(
        _ id: PresenterID, to new: ItemPath, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let registration = registry[id]?.registration, let old = registration.path,
            old != new
        else { return }
        place(id, at: new)
        registry[id]?.addFormerPath(old)
        let isTold = registration.methods.contains(.itemDidMove)
        reevaluations.emit(.relocate(id, to: new, isTold: isTold))
    }

    /// Whether there is a presenter at a place, above it or below it.
    public func isPresented(around path: ItemPath) -> Bool {
        let way = tree.nodes(towards: path)
        if way.contains(where: { !tree.nodes[$0].presenters.isEmpty }) { return true }
        guard way.count == path.depth + 1, let node = way.last else { return false }
        return tree.nodes[node].presentersBelow > 0
    }
}
