// SPDX-License-Identifier: Apache-2.0
//
// What presenters answer. Those that were asked together and share a queue answer one right after
// the other; their answers go to the server together, because for each that goes alone the kernel
// would wake it.

import FileCoordinationSystem
import FileCoordinationWire

/// Answers that wait a moment for others.
struct GatheredAnswers {
    /// In the order in which they were given.
    private(set) var answers: [PresenterAnswer] = []

    var isEmpty: Bool { answers.isEmpty }

    /// Adds one; returns whether there are as many by now as a message has room for.
    mutating func add(_ answer: PresenterAnswer) -> Bool {
        answers.append(answer)
        return answers.count >= WireLimits.answers
    }

    mutating func takeAll() -> [PresenterAnswer] {
        defer { answers.removeAll(keepingCapacity: true) }
        return answers
    }

    /// The server that asked is gone.
    mutating func forget() { answers = [] }
}

extension Session {
    /// The version of the protocol from which on many answers can be one message.
    private static let gatheringVersion: UInt16 = 3

    /// How many runs are under way on each thread: of presenters' methods on their queue, or of
    /// what they answered while a batch was put there (see ``PresenterBatch``).
    ///
    /// Of those on other threads, which may never return, an answer does not wait for anything.
    private static let runs = ThreadSlot<Int>()

    /// A presenter answers without an error.
    func answer(_ answer: PresenterAnswer) {
        guard isOurs else { return }
        let isInRun = Self.runs.pointer.map { $0.pointee > 0 } ?? false
        // Of the first the connection thread is told: it sends them if the run takes long.
        let isFirst: Bool? = state.withLock { state in
            guard isInRun, state.serverEpoch != nil, state.version >= Self.gatheringVersion,
                let socket = state.socket
            else { return nil }
            let wasEmpty = state.answers.isEmpty
            guard state.answers.add(answer) else { return wasEmpty }
            return !sendAnswers(of: &state, on: socket)
        }
        switch isFirst {
        case nil:
            announce(.answered(presenter: answer.presenter, claim: answer.claim, failure: nil))
        case true?: link.ring()
        case false?: break
        }
    }

    /// Several presenters are about to answer on this thread, one right after the other.
    func beginAnswers() { Self.runs.pointer(orNew: 0).pointee += 1 }

    /// They have had their turn.
    func endAnswers() {
        Self.runs.pointer(orNew: 1).pointee -= 1
        // One of them may have forked, and the child returned here.
        if isOurs { sendAnswers() }
    }

    /// Whether answers wait for others.
    var gathersAnswers: Bool { state.withLock { !$0.answers.isEmpty } }

    /// Sends the answers that wait for others.
    func sendAnswers() {
        let isSent = state.withLock { state in
            state.socket.map { sendAnswers(of: &state, on: $0) } ?? true
        }
        if !isSent { link.ring() }
    }

    /// The same, under the lock; false if the connection thread has to be rung.
    ///
    /// A server that was deposed meanwhile is told nothing: the next one asks again.
    func sendAnswers(of state: inout State, on socket: SequencedSocket) -> Bool {
        guard !state.answers.isEmpty else { return true }
        let answers = state.answers.takeAll()
        return isDeposed(state.serverEpoch) || link.send(.madeWay(answers), on: socket)
    }
}
