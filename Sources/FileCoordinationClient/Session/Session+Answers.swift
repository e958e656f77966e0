// SPDX-License-Identifier: Apache-2.0
//
// Answers of presenters. Presenters that were asked together and share a queue answer in quick
// succession. Their answers are sent to the server in one message, because each separate message
// would wake the server.

import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    /// The number of batch operations that are running on each thread; see ``PresenterBatch``.
    ///
    /// Only the operation on the answering thread counts. An answer does not wait for other
    /// threads, which may never return.
    static let runs = ThreadSlot<Int>()

    /// Handles an answer of a presenter without an error.
    func answer(_ answer: PresenterAnswer) {
        guard isOurs else { return }
        let isInRun = unsafe Self.runs.pointer.map { unsafe $0.pointee > 0 } ?? false
        // After the first answer the connection thread is woken. It sends the answers if the
        // operation takes long.
        let isFirst: Bool? = state.withLock { state in
            guard isInRun, state.serverEpoch != nil, let socket = state.socket else { return nil }
            let wasEmpty = state.answers.isEmpty
            guard state.answers.add(answer) else { return wasEmpty }
            return !sendAnswers(of: &state, on: socket)
        }
        switch isFirst {
        case nil:
            tell(.answered(presenter: answer.presenter, claim: answer.claim, failure: nil))
        case true?: link.ring()
        case false?: break
        }
    }

    /// Begins an operation in which several presenters may answer on this thread.
    func beginAnswers() { unsafe Self.runs.pointer(orNew: 0).pointee += 1 }

    /// Ends such an operation and sends the answers.
    func endAnswers() {
        unsafe Self.runs.pointer(orNew: 1).pointee -= 1
        // A presenter may have forked, and this may be the child.
        if isOurs { sendAnswers() }
    }

    /// Whether answers are waiting.
    var gathersAnswers: Bool { state.withLock { !$0.answers.isEmpty } }

    /// Sends the waiting answers.
    func sendAnswers() {
        let isSent = state.withLock { state in
            state.socket.map { sendAnswers(of: &state, on: $0) } ?? true
        }
        if !isSent { link.ring() }
    }

    /// Sends the waiting answers, under the lock.
    ///
    /// Returns false if the connection thread must be woken.
    ///
    /// A server that was deposed meanwhile gets no answers; the next one asks again.
    func sendAnswers(of state: inout State, on socket: SequencedSocket) -> Bool {
        guard !state.answers.isEmpty else { return true }
        let answers = state.answers.takeAll()
        return isDeposed(state.serverEpoch) || link.send(.madeWay(answers), on: socket)
    }
}
