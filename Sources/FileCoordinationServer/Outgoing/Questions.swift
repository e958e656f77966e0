// SPDX-License-Identifier: Apache-2.0
//
// What presenters were asked on behalf of claims, and have not answered. A claim's questions bear
// its number; when they are taken back and put again they bear a new one, so that an answer that
// was on its way is not taken for one to the next question.

import FileCoordinationArbiter

/// The questions that are open.
struct Questions {
    private var unanswered: [ClaimID: [PresenterID: YieldSteps]] = [:]
    /// The numbers under which a claim's questions are put after the first were taken back.
    private var numbers: [ClaimID: UInt64] = [:]

    /// A question that is open.
    struct Open: Hashable {
        let presenter: PresenterID
        let number: UInt64
        let steps: YieldSteps
    }

    /// The number of a claim's questions.
    func number(of claim: ClaimID) -> UInt64 { numbers[claim] ?? claim.rawValue }

    /// What a presenter was asked.
    func steps(_ presenter: PresenterID, for claim: ClaimID) -> YieldSteps? {
        unanswered[claim]?[presenter]
    }

    /// Records that a presenter is asked.
    mutating func ask(_ presenter: PresenterID, for claim: ClaimID, _ steps: YieldSteps) {
        unanswered[claim, default: [:]][presenter] = steps
    }

    /// Records an answer; returns the claim, or nil if the question was taken back.
    mutating func answer(of presenter: PresenterID, to number: UInt64) -> ClaimID? {
        guard let claim = claim(askedUnder: number) else { return nil }
        unanswered[claim]?[presenter] = nil
        return claim
    }

    private func claim(askedUnder number: UInt64) -> ClaimID? {
        guard !numbers.isEmpty else { return ClaimID(rawValue: number) }
        if let again = numbers.first(where: { $0.value == number }) { return again.key }
        let claim = ClaimID(rawValue: number)
        return numbers[claim] == nil ? claim : nil
    }

    /// Takes a claim's questions back; returns the presenters that have not answered, in order.
    mutating func takeBack(for claim: ClaimID) -> [PresenterID] {
        (unanswered.removeValue(forKey: claim) ?? [:]).keys.sorted()
    }

    /// Gives a claim's questions another number.
    mutating func renumber(_ claim: ClaimID, as number: UInt64) { numbers[claim] = number }

    /// Records that a claim is granted: it waits for no answer.
    mutating func clearUnanswered(_ claim: ClaimID) { unanswered[claim] = nil }

    /// Discards the number of a claim that is over.
    mutating func discard(_ claim: ClaimID) { numbers[claim] = nil }

    /// What some presenters were asked, in the order of the claims.
    func open(to presenters: [PresenterID]) -> [Open] {
        guard !unanswered.isEmpty, !presenters.isEmpty else { return [] }
        return unanswered.keys.sorted().flatMap { claim in
            presenters.compactMap { presenter in
                unanswered[claim]?[presenter].map {
                    Open(presenter: presenter, number: number(of: claim), steps: $0)
                }
            }
        }
    }

    /// The claims for which presenters are asked, in their order.
    var claims: [ClaimID] { unanswered.keys.sorted() }
}
