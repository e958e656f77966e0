// SPDX-License-Identifier: Apache-2.0
//
// Moves of items by programs that do not coordinate. Presenters follow the item, as after an
// announced move. Claims do not, because they are about a path (Rules 1.15, 11.9).

extension Arbiter {
    /// Moves a presenter to its item's new path, and has it told.
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

    /// Whether there is a presenter at a path, above it or below it.
    public func isPresented(around path: ItemPath) -> Bool {
        let way = tree.nodes(towards: path)
        if way.contains(where: { !tree.nodes[$0].presenters.isEmpty }) { return true }
        guard way.count == path.depth + 1, let node = way.last else { return false }
        return tree.nodes[node].presentersBelow > 0
    }
}
