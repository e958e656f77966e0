// SPDX-License-Identifier: Apache-2.0
//
// Answers of presenters that were asked together, for one message.

import FileCoordinationWire

/// Answers that wait for others to be sent with them.
struct GatheredAnswers {
    /// In the order in which they were given.
    private(set) var answers: [PresenterAnswer] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Adds an answer.
    ///
    /// Returns whether a message is full.
    mutating func add(_ answer: PresenterAnswer) -> Bool {
        answers.append(answer)
        return answers.count >= WireLimits.answers
    }

    mutating func takeAll() -> [PresenterAnswer] {
        defer { answers.removeAll(keepingCapacity: true) }
        return answers
    }

    /// Discards the answers, because the server that asked is gone.
    mutating func forget() { answers = [] }
}
