// SPDX-License-Identifier: Apache-2.0
//
// A question that a presenter's mailbox handles: for whom the presenter is asked, what it still has
// to do, and what it is doing now. Several questions are handled side by side, because a claim must
// not wait for a save that another claim requires (Rules 6.8 and 6.15): two editors whose saves
// wait for each other's files would never finish.

import FileCoordinationArbiter

/// A question to a presenter, with the steps that are left.
struct PresenterQuestion: Hashable, Sendable {
    /// For whom the presenter is asked.
    enum Asker: Hashable, Sendable {
        case claim(UInt64)
        /// A program that does not coordinate and waits at the presenter's lease.
        case plainWriter
    }

    /// One method from which the presenter must answer.
    enum Step: Hashable, Sendable {
        case relinquish(Relinquishment)
        case perform(PresenterRequest)
    }

    /// What must happen before the next step.
    enum Progress: Hashable, Sendable {
        /// A question in front of it must be answered.
        case waiting
        /// The presenter has to get its item back from an earlier time, before it is asked to
        /// relinquish it again (Rule 8.5).
        case awaitingReturn(Relinquishment)
        /// The presenter calls the block of this call.
        case relinquishing(Relinquishment, PresenterCallID)
        /// The presenter completes this call to save or accommodate.
        case calling(PresenterCallID, hasBegun: Bool)
    }

    let asker: Asker
    var steps: ArraySlice<Step>
    var progress = Progress.waiting

    /// Whether it is about a claim, and not about a plain program.
    var isOfClaim: Bool { asker != .plainWriter }

    /// Whether it waits for the block of this call.
    func awaitsBlock(of kind: Relinquishment, _ call: PresenterCallID) -> Bool {
        progress == .relinquishing(kind, call)
    }

    /// Whether it waits for the completion of this call.
    func awaitsCompletion(of call: PresenterCallID) -> Bool {
        switch progress {
        case .calling(call, _): true
        case .waiting, .awaitingReturn, .relinquishing, .calling: false
        }
    }
}

/// For whom a presenter has relinquished to a writer.
struct RelinquishedWriters: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let claims = RelinquishedWriters(rawValue: 1)
    static let plainWriter = RelinquishedWriters(rawValue: 2)
}

extension Relinquishment {
    /// The method that the presenter must implement to be asked for it.
    var method: PresenterMethods {
        switch self {
        case .reader: .relinquishToReader
        case .writer: .relinquishToWriter
        }
    }
}
