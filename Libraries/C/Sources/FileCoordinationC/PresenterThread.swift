// SPDX-License-Identifier: Apache-2.0
//
// Where one presenter is called: a thread of its own, one call after the other, until the presenter
// is removed. A presenter that takes long keeps no other one waiting.

import FileCoordinationClient
import FileCoordinationSystem

/// The queue of one presenter.
final class PresenterThread: PresenterQueue {
    private typealias Step = @Sendable () -> Void

    private struct State {
        var steps: [Step] = []
        /// Called on the thread, last.
        var end: Step?
    }

    private let state = Monitor(State())
    /// The queue that the calling thread works off.
    private static let slot = ThreadSlot<ObjectIdentifier>()

    /// The presenter's thread that this is; nil for any other thread.
    static var current: ObjectIdentifier? { slot.pointer?.pointee }

    /// Starts a thread that waits for steps.
    init() throws(SystemError) {
        try DetachedThread.start(name: "file-presenter") { [self] in
            _ = Self.slot.pointer(orNew: ObjectIdentifier(self))
            while !runStep() {}
        }
    }

    /// Waits for a step and runs it; returns whether it was the last.
    private func runStep() -> Bool {
        _ = state.wait { !$0.steps.isEmpty || $0.end != nil }
        let (step, isLast) = state.withLock { state -> (Step?, Bool) in
            state.steps.isEmpty ? (state.end, true) : (state.steps.removeFirst(), false)
        }
        step?()
        return isLast
    }

    /// Has the thread end after the steps that it has, and after `last`.
    func end(_ last: @escaping @Sendable () -> Void) {
        state.withLock { $0.end = last }
        state.notifyAll()
    }

    var isSerial: Bool { true }
    var isSuspended: Bool { false }
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
