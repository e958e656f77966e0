// SPDX-License-Identifier: Apache-2.0
//
// Where a presenter of this program is called: on a thread of its own, one call after the other.

import FileCoordinationClient
import FileCoordinationSystem

/// A queue that does one thing after the other, for as long as the program runs.
final class MessageQueue: PresenterQueue {
    private typealias Step = @Sendable () -> Void

    private struct State {
        var steps: [Step] = []
        var isSuspended = true
    }

    private let state = Monitor(State())

    /// A queue that does nothing until it is resumed.
    init() throws(Failure) {
        do {
            try DetachedThread.start(name: "messages") { [state] in
                while true {
                    _ = state.wait { !$0.isSuspended && !$0.steps.isEmpty }
                    state.withLock { $0.steps.removeFirst() }()
                }
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    /// Begins with what is there.
    func resume() {
        state.withLock { $0.isSuspended = false }
        state.notifyAll()
    }

    var isSerial: Bool { true }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    var isMain: Bool { false }

    func add(_ step: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.append(step) }
        state.notifyAll()
    }

    func addFirst(_ step: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.insert(step, at: 0) }
        state.notifyAll()
    }
}
