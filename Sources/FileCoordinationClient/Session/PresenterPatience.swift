// SPDX-License-Identifier: Apache-2.0
//
// How long this process's presenters may take, and what becomes of its waits when it was stopped:
// one setting each for the whole process (Rules 18.3, 18.6).

package import FileCoordinationSystem

/// What happens to waits when this process was stopped.
package enum Suspension {
    package static let cancelsWaits = Lock(false)
}

/// How long the presenters of this process may take to answer.
package enum PresenterPatience {
    package static let duration = Lock<Duration?>(.seconds(30))

    /// The same as the arbiter counts it.
    static var nanoseconds: UInt64? {
        duration.withLock { $0 }.map { duration in
            MonotonicClock.nanoseconds(in: duration)
        }
    }
}
