// SPDX-License-Identifier: Apache-2.0
//
// Claims that ask presenters while their items move (Rule 11.6). The presenters of the new paths
// are asked as for a claim that moves along in the queue: when no claim that holds the new paths is
// left to wait for. The mover, for example, runs until then, and its presenters have relinquished
// for it. What was asked before the move is not asked again. A presenter that the claim has passed
// over while it was to relinquish is not asked again either: its claim has waited for it once, and
// an answer to another question would seem to say that it has relinquished (Rule 18.3).

extension Arbiter {
    /// Returns what a claim in stage 2 requires of presenters, before its items move; nil for other
    /// claims, and if it has yet to ask the presenters of the present paths.
    func requirementsBeforeMove(of id: ClaimID) -> [PresenterID: YieldSteps]? {
        guard let record = records[id], record.asking != nil else { return nil }
        if let asked = record.askedBeforeMove { return asked }
        return Dictionary(uniqueKeysWithValues: concernedPresenters(of: record.claim))
    }

    /// Remembers what a claim in stage 2, whose items have moved, required before.
    mutating func rememberRequirements(
        _ asked: [PresenterID: YieldSteps]?, of id: ClaimID, _ moves: [ItemMove]
    ) {
        records[id]?.askedBeforeMove = asked?.mapValues { steps in
            var renamed = steps
            renamed.accommodateSubitemDeletions = steps.accommodateSubitemDeletions.map { path in
                moves.destination(of: path) ?? path
            }
            return renamed
        }
    }

    /// Asks presenters of the new paths of a claim that could be granted otherwise, if its items
    /// have moved since it asked.
    mutating func askAtNewPaths(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id], let asked = record.askedBeforeMove else { return }
        records[id]?.askedBeforeMove = nil
        for (presenter, steps) in concernedPresenters(of: record.claim) {
            let rest = asked[presenter].map { steps.without($0) } ?? steps
            if rest.isEmpty || registry[presenter]?.isLate(for: id) == true { continue }
            put(rest, to: presenter, for: id, &reevaluations)
        }
        // Claims of these presenters need not wait for this one any more (Rule 2.16).
        if records[id]?.asking?.awaited.isEmpty == false { reevaluations.markProgress() }
    }
}

extension YieldSteps {
    /// Returns these steps without those that were required before.
    fileprivate func without(_ former: YieldSteps) -> YieldSteps {
        let known = Set(former.accommodateSubitemDeletions)
        return YieldSteps(
            relinquish: Relinquishments(relinquish.filter { !former.relinquish.contains($0) }),
            save: save && !former.save,
            accommodateDeletion: accommodateDeletion && !former.accommodateDeletion,
            accommodateSubitemDeletions: accommodateSubitemDeletions.filter { !known.contains($0) })
    }
}
