// SPDX-License-Identifier: Apache-2.0
//
// Moves of items by programs that do not coordinate. Presenters follow the item, as after an
// announced move. Claims do not, because they are about a path (Rules 1.15, 11.9).
//
// The server learns of such a move a moment later. A claim that was filed meanwhile does not ask
// the presenter, which hears of the change afterwards.

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

    /// Returns the purposes of the presenters at a path and above it.
    public func purposesOfPresenters(towards path: ItemPath) -> Set<Purpose> {
        var result: Set<Purpose> = []
        for node in tree.nodes(towards: path) {
            for id in tree.nodes[node].presenters {
                if let presenter = registry[id] { result.insert(presenter.registration.purpose) }
            }
        }
        return result
    }
}
