// SPDX-License-Identifier: Apache-2.0
//
// Claims that the arbiter does not grant before the watcher has reported all earlier moves (Rule
// 1.15). For each such claim, the server asks the watcher a question. The watcher answers late if a
// file system blocks it, or if it has many changes to read. Then the claim is decided with what is
// known, and no other claim waits for the watcher until it has answered.

import FileCoordinationArbiter

/// Claims, and the questions to the watcher for whose answers they wait.
struct ClaimsAwaitingMoves {
    private struct Entry {
        let claim: ClaimID
        let question: UInt64
        let until: UInt64
    }

    /// How long a claim waits, in nanoseconds.
    ///
    /// An idle watcher answers within 0.1 ms. On a busy machine, its thread waits for a processor:
    /// with nine busy processes on two processors, 100 ms were too short for one move in a hundred.
    /// A claim that continues without the answer may read an item that an editor has not saved,
    /// which is worse than waiting.
    static let patience: UInt64 = 1_000_000_000

    /// In the order of their questions.
    private var entries: [Entry] = []
    /// The last question that was not answered in time.
    private var overdue: UInt64?

    /// Whether the watcher has not answered a question in time, and not answered it since.
    var isOverdue: Bool { overdue != nil }

    /// When the first claim has waited long enough, or nil.
    var nextDeadline: UInt64? { entries.first?.until }

    mutating func add(_ claim: ClaimID, question: UInt64, at now: UInt64) {
        entries.append(Entry(claim: claim, question: question, until: now + Self.patience))
    }

    /// Removes and returns the claims whose questions are answered.
    mutating func take(answeredUpTo question: UInt64) -> [ClaimID] {
        if let overdue, overdue <= question { self.overdue = nil }
        if entries.isEmpty { return [] }
        let answered = entries.prefix { $0.question <= question }
        entries.removeFirst(answered.count)
        return answered.map(\.claim)
    }

    /// Removes and returns the claims that have waited long enough.
    mutating func takeOverdue(at now: UInt64) -> [ClaimID] {
        if entries.isEmpty { return [] }
        let late = entries.prefix { $0.until <= now }
        guard let last = late.last else { return [] }
        overdue = last.question
        entries.removeFirst(late.count)
        return late.map(\.claim)
    }
}
