// SPDX-License-Identifier: Apache-2.0
//
// Two settings of the whole process: how long its presenters may take to answer, and what happens
// to its waits when it was stopped (Rules 18.3, 18.6). They have no lock, which a fork could copy
// while a thread holds it.

import FileCoordinationSystem
import Synchronization

/// What happens to waiting calls when this process was stopped and continues.
package enum Suspension {
    // A number, because only its literal is initialised without a lock in every build.
    private static let cancels = Atomic<UInt8>(0)

    /// Whether they are cancelled.
    package static var cancelsWaits: Bool {
        get { cancels.load(ordering: .relaxed) != 0 }
        set { cancels.store(newValue ? 1 : 0, ordering: .relaxed) }
    }
}

/// How long the presenters of this process may take to answer.
package enum PresenterAnswerTimeout {
    private static let none = UInt64.max
    // A literal, so that the static is initialised without a lock.
    private static let value = Atomic<UInt64>(30_000_000_000)

    /// The duration, with a precision of nanoseconds; nil for no limit.
    package static var duration: Duration? {
        get {
            let value = value.load(ordering: .relaxed)
            return value == none ? nil : .nanoseconds(value)
        }
        set { value.store(newValue?.nanoseconds ?? none, ordering: .relaxed) }
    }
}
