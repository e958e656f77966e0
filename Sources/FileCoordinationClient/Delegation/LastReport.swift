// SPDX-License-Identifier: Apache-2.0
//
// Saves messages about writes that have ended. A server that has handled a client's report returns
// the record first, and then looks at the client's other records. So while the record of the last
// report is not returned, another end needs no message: the server will see it. Both sides first
// write and then look, the client at the record of the last report, the server at the records that
// have ended. One of them sees what the other one has written.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import Synchronization

/// The last report of a write's end that a client has sent, and whether the server has handled it.
package final class LastReport: Sendable {
    /// No report that counts was sent.
    private static let none = UInt64.max

    /// Of so many ends one after the other, one is reported at the latest.
    ///
    /// Until then, their records stay in use.
    package static let mostSilent = 48

    /// The record's generation in the high half, and its index.
    private let sent = Atomic(none)
    private let silent = Atomic(0)
    /// Whether the server looks at other records after it has returned one.
    private let isTrusted = Atomic(false)

    /// Creates the memory of a client that has sent no report.
    package init() {}

    /// Whether this process has a server, as far as it knows.
    var hasServer: Bool { isTrusted.load(ordering: .sequentiallyConsistent) }

    /// Begins to rely on a server that looks by itself, with its first message.
    package func trust() { isTrusted.store(true, ordering: .sequentiallyConsistent) }

    /// Stops relying on a server whose connection has ended.
    ///
    /// - Returns: whether the last report was not handled, as far as is known.
    package func forget(in ledger: LedgerWriter) -> Bool {
        isTrusted.store(false, ordering: .sequentiallyConsistent)
        let last = sent.exchange(Self.none, ordering: .sequentiallyConsistent)
        return last != Self.none && Self.isUnread(last, in: ledger)
    }

    /// Whether the end of a write must be reported by a message.
    ///
    /// The caller has released the record before, and sends the message if this is true.
    package func mustSend(_ record: RecordReference, in ledger: LedgerWriter) -> Bool {
        let last = sent.load(ordering: .sequentiallyConsistent)
        if last != Self.none, isTrusted.load(ordering: .sequentiallyConsistent),
            Self.isUnread(last, in: ledger),
            silent.wrappingAdd(1, ordering: .relaxed).newValue < Self.mostSilent
        {
            return false
        }
        silent.store(0, ordering: .relaxed)
        let bits = UInt64(record.generation) << 32 | UInt64(record.index)
        sent.store(bits, ordering: .sequentiallyConsistent)
        return true
    }

    /// Whether the server has not returned the record of a report.
    private static func isUnread(_ bits: UInt64, in ledger: LedgerWriter) -> Bool {
        let record = RecordReference(
            index: UInt32(truncatingIfNeeded: bits), generation: UInt32(bits >> 32))
        return ledger.state(of: record) == .released
    }
}
