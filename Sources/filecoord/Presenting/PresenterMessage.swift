// SPDX-License-Identifier: Apache-2.0
//
// The messages to presenters, with the names under which `present` prints them.

/// A message to a presenter.
///
/// The raw value is the name that is printed.
enum PresenterMessage: String, CaseIterable, Hashable, Sendable {
    case relinquishToReader = "relinquishPresentedItem(toReader:)"
    case relinquishToWriter = "relinquishPresentedItem(toWriter:)"
    case save = "savePresentedItemChanges"
    case accommodateDeletion = "accommodatePresentedItemDeletion"
    case accommodateSubitemDeletion = "accommodatePresentedSubitemDeletion(at:)"
    case accommodateEviction = "accommodatePresentedItemEviction"
    case didMove = "presentedItemDidMove(to:)"
    case didChange = "presentedItemDidChange"
    case didChangeUbiquityAttributes = "presentedItemDidChangeUbiquityAttributes"
    case didGain = "presentedItemDidGain"
    case didLose = "presentedItemDidLose"
    case didResolveConflict = "presentedItemDidResolveConflict"
    case subitemDidAppear = "presentedSubitemDidAppear(at:)"
    case subitemDidMove = "presentedSubitem(at:didMoveTo:)"
    case subitemDidChange = "presentedSubitemDidChange(at:)"
    case subitemDidGain = "presentedSubitem(at:didGain:)"
    case subitemDidLose = "presentedSubitem(at:didLose:)"
    case subitemDidResolve = "presentedSubitem(at:didResolve:)"
    case reacquireFromReader = "reacquire(fromReader)"
    case reacquireFromWriter = "reacquire(fromWriter)"

    /// What the process that accesses the item expects of the presenter.
    enum Expectation: Hashable, Sendable {
        /// An answer, which may be an error (Rule 9.1).
        case consent
        /// An answer, which cannot be an error (Rule 9.4).
        case answer
        /// Nothing (Rule 7.1).
        case nothing
    }

    /// What that process expects after this message.
    var expectation: Expectation {
        switch self {
        case .save, .accommodateDeletion, .accommodateSubitemDeletion, .accommodateEviction:
            .consent
        case .relinquishToReader, .relinquishToWriter:
            .answer
        case .didMove, .didChange, .didChangeUbiquityAttributes, .didGain, .didLose,
            .didResolveConflict, .subitemDidAppear, .subitemDidMove, .subitemDidChange,
            .subitemDidGain, .subitemDidLose, .subitemDidResolve, .reacquireFromReader,
            .reacquireFromWriter:
            .nothing
        }
    }

    /// The names of the messages with one of these expectations, one per line.
    static func names(_ expectations: Set<Expectation>) -> String {
        allCases.filter { expectations.contains($0.expectation) }.map { "  \($0.rawValue)" }
            .joined(separator: "\n")
    }
}
