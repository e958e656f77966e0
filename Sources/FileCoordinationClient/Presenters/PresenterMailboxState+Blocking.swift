// SPDX-License-Identifier: Apache-2.0
//
// Determines which questions a presenter cannot answer while a call of its own process waits (Rule
// 18.4).

/// A running callback of a presenter, on a thread or in a task.
package enum PresenterCallback: Hashable, Sendable {
    /// A method that expects an answer.
    case answering(PresenterCallID)
    /// The block that gives the presenter its item back.
    case reacquiring(PresenterCallID)
}

extension PresenterMailboxState {
    /// The claims whose questions have no answer.
    package var openClaims: [UInt64] {
        questions.compactMap { question in
            switch question.asker {
            case .claim(let claim): claim
            case .plainWriter: nil
            }
        }
    }

    /// Lists the claims whose questions the presenter cannot answer before a waiting call has
    /// returned.
    ///
    /// - Parameters:
    ///   - occupiesQueue: whether that call keeps the presenter's queue from starting an operation.
    ///   - callbacks: the callbacks of this presenter in which the call was made.
    /// - Returns: the numbers of the claims.
    package func claimsBlocked(
        occupiesQueue: Bool, within callbacks: [PresenterCallback]
    ) -> [UInt64] {
        questions.indices.compactMap { index in
            guard case .claim(let claim) = questions[index].asker,
                obstacles(of: index).contains(where: { blocks($0, occupiesQueue, callbacks) })
            else { return nil }
            return claim
        }
    }

    private func blocks(
        _ obstacle: RelinquishmentLifecycle<Reacquirer>.Obstacle, _ occupiesQueue: Bool,
        _ callbacks: [PresenterCallback]
    ) -> Bool {
        switch obstacle {
        case .nothing: false
        case .queue: occupiesQueue
        // The method may have returned already, so only a call made inside it keeps it from
        // answering.
        case .method(let call): callbacks.contains(.answering(call))
        case .reacquirer(let call): occupiesQueue || callbacks.contains(.reacquiring(call))
        }
    }

    /// What must end before a question continues.
    private func obstacles(of index: Int) -> [RelinquishmentLifecycle<Reacquirer>.Obstacle] {
        switch questions[index].progress {
        case .calling(let call, hasBegun: true): [.method(call)]
        case .calling(_, hasBegun: false): [.queue]
        case .relinquishing(let kind, _), .awaitingReturn(let kind): [self[kind].obstacle]
        // A waiting question is behind one for a plain program, which begins only when no other
        // question is handled. So all questions that are handled must be answered first.
        case .waiting:
            questions.indices.filter { questions[$0].progress != .waiting }.flatMap(obstacles)
        }
    }
}
