// SPDX-License-Identifier: Apache-2.0
//
// The queue on which the presenters of this program are called: one thread that makes one call
// after the other.

import FileCoordinationClient
import FileCoordinationSystem

/// A serial queue with a thread of its own, which runs until the program ends.
final class MessageQueue: PresenterQueue {
    private typealias Step = @Sendable () -> Void

    private struct State {
        var steps: [Step] = []
        var isSuspended = true
    }

    private let state = Monitor(State())

    /// Makes a queue that is suspended at first.
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

    /// Starts with the calls that have been added so far.
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
