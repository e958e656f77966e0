// SPDX-License-Identifier: Apache-2.0
//
// Questions on behalf of a program that does not coordinate and waits at the presenter's lease.
// They take their turn among the questions of claims. The presenter has its item back when neither
// a claim nor a plain program writes any more.

import FileCoordinationArbiter

extension PresenterMailboxState {
    /// Handles a plain program that waits to open the item for writing.
    ///
    /// - Parameter saves: whether to ask the presenter to save, after it has relinquished.
    /// - Returns: the actions to carry out, such as asking the presenter.
    package mutating func plainWriterWaits(saves: Bool) -> [Action] {
        asked(.plainWriter, YieldSteps(relinquish: [.writer], save: saves))
    }

    /// Handles the end of the last plain write for which the presenter was asked.
    package mutating func plainWriterGone() -> [Action] {
        let actions = withdrawn(.plainWriter)
        guard writers.contains(.plainWriter) else { return actions }
        writers.remove(.plainWriter)
        // The presenter has its item back after the last writer (Rule 8.3).
        guard !writers.contains(.claims) else { return actions }
        return actions
            + giveBack(.writer).filter {
                // The record does not say that it has relinquished to a plain program.
                if case .relinquishmentChanged = $0 { false } else { true }
            }
    }

    /// Whether a claim asks the presenter or has it relinquished, so that there must be no lease.
    var isNeededByClaims: Bool {
        if questions.contains(where: { $0.isOfClaim && $0.progress != .waiting }) { return true }
        if case .nothing = writer.obstacle, !writer.isRelinquished { return false }
        return writers.contains(.claims)
    }

    /// Runs a decision, and says before and after its other actions whether claims need the item
    /// without a lease.
    ///
    /// A lease is dropped before a presenter is asked, because its own opening of the file would
    /// wait at it.
    mutating func lifting(_ decide: (inout Self) -> [Action]) -> [Action] {
        let former = isNeededByClaims
        let actions = decide(&self)
        switch (former, isNeededByClaims) {
        case (false, true): return [.guardLifted(true)] + actions
        case (true, false): return actions + [.guardLifted(false)]
        case (false, false), (true, true): return actions
        }
    }
}
