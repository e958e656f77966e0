// SPDX-License-Identifier: Apache-2.0
//
// The thread on which PresenterAdvice examines classes, and which classes it has examined. The
// thread exists only while there is something to examine, and none of the program's signals go to
// it.

#if !canImport(Darwin)
import FileCoordinationSystem

/// Examines classes, one after the other, on a thread of its own.
final class PresenterExaminer: Sendable {
    /// A forked child has none of its parent's threads.
    static let ofProcess = PerProcess { PresenterExaminer() }

    private struct State {
        /// The classes that were examined.
        var examined: Set<ObjectIdentifier> = []
        /// The classes for whose presenters the default attributes were read.
        var withDefaultAttributes: Set<ObjectIdentifier> = []
        /// The examinations that the thread has not begun.
        var waiting: [@Sendable () -> Void] = []
        var hasThread = false
    }

    private let state = Lock(State())

    // MARK: Classes

    /// Whether a class was not examined yet.
    func isNew(_ type: AnyClass) -> Bool {
        state.withLock { !$0.examined.contains(ObjectIdentifier(type)) }
    }

    /// Records that a class is examined now; returns whether it was not before.
    func begin(_ type: AnyClass) -> Bool {
        state.withLock { $0.examined.insert(ObjectIdentifier(type)).inserted }
    }

    /// Records that the default attributes were read of a presenter of this class.
    func markDefaultAttributes(of type: Any.Type) {
        state.withLock { _ = $0.withDefaultAttributes.insert(ObjectIdentifier(type)) }
    }

    /// Whether that was recorded of one of these classes.
    func haveDefaultAttributes(_ types: [AnyClass]) -> Bool {
        state.withLock { state in
            types.contains { state.withDefaultAttributes.contains(ObjectIdentifier($0)) }
        }
    }

    // MARK: The thread

    /// Calls `examination` on the thread, after those that were passed before.
    func run(_ examination: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.waiting.append(examination)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        // If no thread can be started, there are no warnings.
        let thread: Void? = try? DetachedThread.start(name: "file-advice", stackSize: 1 << 20) {
            while let next = self.next() { next() }
        }
        guard thread == nil else { return }
        state.withLock { state in
            state.waiting = []
            state.hasThread = false
        }
    }

    /// Returns what to examine next; nil if the thread is to end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.hasThread = !state.waiting.isEmpty
            return state.hasThread ? state.waiting.removeFirst() : nil
        }
    }
}
#endif
