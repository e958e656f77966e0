// SPDX-License-Identifier: Apache-2.0
//
// Why an access failed, as a value from which a face makes its own kind of error, such as an
// NSError, or a message and an exit status.

package import FileCoordinationSystem
package import FileCoordinationWire

/// Why a call got no access, or a presenter was not registered.
package enum AccessFailure: Error {
    /// The system failed, or a limit was reached.
    case system(FailureReason)
    /// An item of the call cannot be resolved; `item` is its index in the call.
    case place(PlaceError, item: Int)
    /// A presenter refused (Rule 9.1), with its error as the presenter's process encoded it; empty
    /// for ``/FileCoordinationArbiter/PresenterFailure/noAnswer``.
    case refused([UInt8])
    /// An item is not as the caller has seen it (Rule 18.16).
    case stale(Staleness, item: Int)
    /// An item cannot be looked at, so that it is not known whether it is as the caller has seen
    /// it.
    case unexamined(SystemError, item: Int)
    /// The copy of an item for uploading could not be made (Rule 15.3).
    case copy(any Error, item: Int)
    /// The claims of these processes wait for each other in a cycle (Rule 18.4).
    case deadlock([Party])
    /// The deadline passed (Rule 18.1); these processes hold the items or wait before.
    case timedOut(after: Duration, [Party])
    /// A user ended the wait by hand, with `filecoord release`; the texts, which process and why,
    /// come from another program.
    case dismissed(by: String, reason: String)
    /// The coordinator or the task was cancelled (Rule 12.2).
    case cancelled
}
