// SPDX-License-Identifier: Apache-2.0
//
// Why an access was not had, as a value: what a face needs to make its own kind of error of it,
// such as an NSError, or a line on standard error and an exit status.

package import FileCoordinationWire

/// Why a call got no access, or a presenter was not registered.
package enum AccessFailure: Error {
    /// The system itself failed, or a limit was reached.
    case system(FailureReason)
    /// An item of the call names no place; `item` is its number in the call.
    case place(PlaceError, item: Int)
    /// A presenter refused (Rule 9.1); its error, as its process encoded it.
    case refused([UInt8])
    /// The copy for uploading of an item could not be made (Rule 15.3).
    case copy(any Error, item: Int)
    /// Each waits for the next in a circle (Rule 18.4).
    case deadlock([Party])
    /// The deadline passed (Rule 18.1); these hold the items, or wait ahead.
    case timedOut(after: Duration, [Party])
    /// The coordinator or the task was cancelled (Rule 12.2).
    case cancelled
}
