// SPDX-License-Identifier: Apache-2.0
//
// Two settings of the whole process: how long its presenters may take to answer, and what happens
// to its waits when it was stopped (Rules 18.3, 18.6).

package import FileCoordinationSystem

/// What happens to waiting calls when this process was stopped and continues.
package enum Suspension {
    package static let cancelsWaits = Lock(false)
}

/// How long the presenters of this process may take to answer.
package enum PresenterAnswerTimeout {
    package static let duration = Lock<Duration?>(.seconds(30))

    /// The duration in nanoseconds; nil for no limit.
    static var nanoseconds: UInt64? {
        duration.withLock { $0 }.map { duration in
            MonotonicClock.nanoseconds(in: duration)
        }
    }
}
