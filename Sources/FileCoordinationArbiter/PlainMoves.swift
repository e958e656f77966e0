// SPDX-License-Identifier: Apache-2.0
//
// Moves of items by programs that do not coordinate. Presenters follow the item, as after an
// announced move. Claims do not, because they are about a path (Rules 1.15, 11.9).
//
// The server learns of such a move a moment later. A claim that was filed meanwhile awaits moves:
// it takes its place and asks presenters as any other claim, but is not granted before the server
// says that all earlier moves were told. A presenter that turns out to be at the claim's item is
// asked, too.

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
        askForClaimsAwaitingMoves(id, &reevaluations)
    }

    /// Asks a presenter that was moved for the claims that hold their position at its new path and
    /// await just such moves.
    private mutating func askForClaimsAwaitingMoves(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        for claim in purposeIndex.asking {
            guard let record = records[claim], record.claim.awaitsMoves,
                record.asking?.awaited[presenter] == nil,
                // Otherwise it is asked when the claim asks at its new path (Rule 11.6).
                record.askedBeforeMove == nil,
                let (_, steps) = concernedPresenters(of: record.claim)
                    .first(where: { $0.0 == presenter })
            else { continue }
            put(steps, to: presenter, for: claim, &reevaluations)
        }
    }

    /// Records that all moves before a claim were told.
    mutating func endAwaitingMoves(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard records[id]?.claim.awaitsMoves == true else { return }
        records[id]?.claim.awaitsMoves = false
        reevaluations.reconsiderGrant(id)
    }

    /// Whether a presenter of another purpose exists that a claim may have to ask, wherever the
    /// item of that presenter is.
    public func mayAskPresenters(besides purpose: Purpose) -> Bool {
        purposeIndex.mayAskPresenters(besides: purpose)
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
