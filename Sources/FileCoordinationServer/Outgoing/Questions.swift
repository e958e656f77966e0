// SPDX-License-Identifier: Apache-2.0
//
// The open questions: what presenters were asked on behalf of claims and have not answered yet.
// Each question has a number. If the questions of a claim are withdrawn and asked again, also by
// the next server, they get a new number, so that a late answer is not taken for one to the new
// question.

import FileCoordinationArbiter
import FileCoordinationWire

/// The open questions, by claim and presenter.
struct Questions {
    private var unanswered: [ClaimID: [PresenterID: YieldSteps]] = [:]
    /// The numbers of questions that were asked again, by claim.
    private var numbers: [ClaimID: UInt64] = [:]
    /// The claim of each number.
    private var claimsByNumber: [UInt64: ClaimID] = [:]

    /// An open question.
    struct Open: Hashable {
        let presenter: PresenterID
        let number: UInt64
        let steps: YieldSteps
    }

    /// Returns the number of a claim's questions.
    func number(of claim: ClaimID) -> UInt64 { numbers[claim] ?? claim.rawValue }

    /// Returns what a presenter was asked for a claim.
    func steps(_ presenter: PresenterID, for claim: ClaimID) -> YieldSteps? {
        unanswered[claim]?[presenter]
    }

    /// Adds a question to a presenter.
    mutating func ask(_ presenter: PresenterID, for claim: ClaimID, _ steps: YieldSteps) {
        unanswered[claim, default: [:]][presenter] = steps
    }

    /// Removes an answered question.
    ///
    /// Returns its claim, or nil if the question was withdrawn.
    mutating func answer(of presenter: PresenterID, to number: UInt64) -> ClaimID? {
        guard let claim = claim(numbered: number) else { return nil }
        unanswered[claim]?[presenter] = nil
        return claim
    }

    /// Returns the claim whose questions have a number.
    func claim(numbered number: UInt64) -> ClaimID? {
        guard number != PresenterAnswer.noQuestion else { return nil }
        if let again = claimsByNumber[number] { return again }
        let claim = ClaimID(rawValue: number)
        return numbers[claim] == nil ? claim : nil
    }

    /// Withdraws a claim's questions.
    ///
    /// Returns the presenters that have not answered, in order.
    mutating func takeBack(for claim: ClaimID) -> [PresenterID] {
        (unanswered.removeValue(forKey: claim) ?? [:]).keys.sorted()
    }

    /// Gives the next questions of a claim a new number.
    mutating func renumber(_ claim: ClaimID, as number: UInt64) {
        discard(claim)
        numbers[claim] = number
        claimsByNumber[number] = claim
    }

    /// Discards the questions of a claim that was granted.
    mutating func clearUnanswered(_ claim: ClaimID) { unanswered[claim] = nil }

    /// Discards the number of a claim that is over.
    mutating func discard(_ claim: ClaimID) {
        if let number = numbers.removeValue(forKey: claim) { claimsByNumber[number] = nil }
    }

    /// Returns those questions of these that are open, ordered by claim.
    func open(_ questions: [(presenter: PresenterID, claim: ClaimID)]) -> [Open] {
        guard !unanswered.isEmpty else { return [] }
        let ordered = questions.sorted { ($0.claim, $0.presenter) < ($1.claim, $1.presenter) }
        return ordered.compactMap { presenter, claim in
            unanswered[claim]?[presenter].map {
                Open(presenter: presenter, number: number(of: claim), steps: $0)
            }
        }
    }

    /// The claims with open questions, in order.
    var claims: [ClaimID] { unanswered.keys.sorted() }
}
