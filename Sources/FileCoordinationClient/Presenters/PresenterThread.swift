// SPDX-License-Identifier: Apache-2.0
//
// A queue with a thread of its own, for faces without queues: one call after the other. A presenter
// that takes long keeps no presenter on another thread waiting.

package import FileCoordinationSystem

/// A serial queue on which presenters are called.
package final class PresenterThread: PresenterQueue {
    private typealias Step = @Sendable () -> Void

    private struct State {
        var steps: [Step] = []
        var isSuspended: Bool
        /// Called on the thread, last.
        var end: Step?

        var hasWork: Bool { !isSuspended && (!steps.isEmpty || end != nil) }
    }

    private let state: Monitor<State>
    /// The queue that the calling thread works off.
    static let slot = ThreadSlot<ObjectIdentifier>()

    /// The queue whose thread this is; nil for any other thread.
    package static var current: ObjectIdentifier? { unsafe slot.pointer?.pointee }

    private static let name = "file-presenter"
    /// As large as that of a thread which a program starts itself; unused parts take no memory.
    ///
    /// Code of the program runs on it, which may recurse and have large buffers.
    private static let stackSize = 8 << 20

    /// Starts a thread, which waits for steps until ``end(_:)``.
    ///
    /// - Parameter isSuspended: whether it starts with them only after ``resume()``.
    /// - Throws: if no thread can be started.
    package init(isSuspended: Bool = false) throws(SystemError) {
        state = Monitor(State(isSuspended: isSuspended))
        let work: @Sendable () -> Void = { [self] in
            _ = unsafe Self.slot.pointer(orNew: ObjectIdentifier(self))
            while !runStep() {}
        }
        do {
            try DetachedThread.start(name: Self.name, stackSize: Self.stackSize, work)
        } catch {
            // In little address space, or where all memory is locked, most callbacks get by with
            // the stack of the library's other threads.
            try DetachedThread.start(name: Self.name, work)
        }
    }

    /// Waits for a step and runs it; returns whether it was the last.
    private func runStep() -> Bool {
        _ = state.wait { $0.hasWork }
        let (step, isLast) = state.withLock { state -> (Step?, Bool) in
            state.steps.isEmpty ? (state.end, true) : (state.steps.removeFirst(), false)
        }
        step?()
        return isLast
    }

    /// Starts with the steps that have been added so far.
    package func resume() {
        state.withLock { $0.isSuspended = false }
        state.notifyAll()
    }

    /// Has the thread end after the steps that it has, and after `last`.
    package func end(_ last: @escaping @Sendable () -> Void) {
        state.withLock { $0.end = last }
        state.notifyAll()
    }

    package var isSerial: Bool { true }
    package var isSuspended: Bool { state.withLock { $0.isSuspended } }
    package var isMain: Bool { false }

    package func add(_ step: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.append(step) }
        state.notifyAll()
    }

    package func addFirst(_ step: @escaping @Sendable () -> Void) {
        state.withLock { $0.steps.insert(step, at: 0) }
        state.notifyAll()
    }
}
