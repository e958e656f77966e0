// SPDX-License-Identifier: Apache-2.0
//
// Bounds how many records of one path wait to be read by the server. It reads reports of local
// writes later, and a record stays in use until then. If the server does not keep up, the next
// write is filed, and waits for it.

package import FileCoordinationArbiter
package import FileCoordinationLedger

/// The local writes to one path whose ends are reported, and that the server may not have read.
package struct UnreadReports {
    /// So many writes are begun before the server must have read what was reported before them.
    ///
    /// A message is sent at least once in ``LastReport/mostSilent`` ends, and the record that it
    /// names may be returned with the next one.
    package static let half = LastReport.mostSilent + 8
    /// The most writes that the server may not have read.
    package static let most = 2 * half

    private var count = 0
    /// The record of the write before which `half` of these writes were begun.
    private var middle: RecordReference?

    /// Creates the state of a path to which nothing was written.
    package init() {}

    /// Adds a write that is about to begin.
    ///
    /// Returns false if the server must be asked, because it has not read enough of the others.
    package mutating func add(_ record: RecordReference, in ledger: LedgerWriter) -> Bool {
        if count == Self.most {
            // The server reads reports in their order.
            guard let middle, ledger.state(of: middle) == nil else { return false }
            count = Self.half
        }
        if count == Self.half { middle = record }
        count += 1
        return true
    }
}
