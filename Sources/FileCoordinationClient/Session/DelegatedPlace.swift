// SPDX-License-Identifier: Apache-2.0
//
// One place that this process may have delegated: by itself, or with everything that is directly
// inside its directory. Whichever it is, its own claims there are kept apart here.

import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// One place, and what this process does there.
package final class DelegatedPlace: Sendable {
    let path: ItemPath
    /// What it was when it was used first.
    let isDirectory: Bool
    /// What every claim of this process on it says, but for the number of its purpose.
    private let template: ClaimTemplate?
    private let state: Lock<State>

    private struct State {
        var readers = 0
        var isWritten = false
        /// Claims of this process that were filed and may run: the server may have delegated the
        /// place while one of them does.
        var filed = 0
        /// How many were filed.
        var filings = 0
        /// Whose local write that is, if it is one.
        ///
        /// Not retained: its call holds it until the place is free again.
        var writer: Unmanaged<LocalAccess>?
        /// How many local writes have reported their ends since a claim was filed.
        var reports = 0
        /// The place's own slot.
        var slot: Int?
        /// The slot of its directory.
        var directorySlot: Int?
    }

    /// What says that a claim is granted: a slot, and the word in it.
    package struct Grant: Sendable {
        /// The slot.
        package let slot: Int
        /// The word.
        package let word: SlotWord
        /// Whether the place is this process's in its turn only.
        package var isInTicketQueue: Bool { word.ticketQueue != nil }
        /// Whether the end of a write is reported, because a presenter is to be told of it.
        var reportsWrites: Bool { word.terms.contains(.reportsWrites) }
    }

    /// - Parameter prefix: what the purposes begin with that this process makes up.
    init(_ item: AccessItem, slot: Int?, directorySlot: Int?, purposePrefix prefix: [UInt8]) {
        path = item.path
        isDirectory = item.isDirectory
        template = ClaimTemplate(item, purposePrefix: prefix)
        state = Lock(State(slot: slot, directorySlot: directorySlot))
    }

    /// So many local writes report their ends before one is filed with the server.
    private static let mostReports = 64

    /// Writes the record of a claim here; nil if there is no room for it.
    func writeRecord(
        _ access: Access, purposeNumber: UInt64, at now: UInt64, in ledger: LedgerWriter
    ) -> RecordReference? {
        guard let template else { return nil }
        return ledger.writeLocally(
            template.bytes, outcomeCapacity: ClaimLogEntry.outcomesLength(1), at: now
        ) { body in
            let bytes = body.assumingMemoryBound(to: UInt8.self)
            ProcessIdentity.writeNumber(purposeNumber, to: bytes + ClaimTemplate.purposeOffset)
            (bytes[template.accessOffset], bytes[template.accessOffset + 1]) =
                ClaimTemplate.encoding(of: access)
        }
    }

    /// Makes the place busy, if it is delegated and no access of this process is in the way;
    /// returns what says so.
    ///
    /// - Parameters:
    ///   - mayWait: whether it may be where the place is this process's in its turn only.
    ///   - writer: whose local write it is going to be, if it is one.
    func begin(
        isWriting: Bool, mayWait: Bool = false, by writer: Unmanaged<LocalAccess>? = nil,
        in ledger: LedgerWriter
    ) -> Grant? {
        state.withLock { state in
            let isFree =
                !state.isWritten && state.filed == 0 && (!isWriting || state.readers == 0)
            guard isFree,
                let grant = Self.grant(state.slot, isWriting, mayWait: mayWait, ledger)
                    ?? Self.grant(state.directorySlot, isWriting, mayWait: false, ledger)
            else { return nil }
            if isWriting {
                if grant.reportsWrites {
                    // The server reads reports in its own time, and a record stays in use until
                    // it has. A claim that waits for the server waits for that, too.
                    guard state.reports < Self.mostReports else { return nil }
                    state.reports += 1
                }
                state.isWritten = true
                state.writer = writer
            } else {
                state.readers += 1
            }
            return grant
        }
    }

    private static func grant(
        _ slot: Int?, _ isWriting: Bool, mayWait: Bool, _ ledger: LedgerWriter
    ) -> Grant? {
        guard let slot else { return nil }
        let word = ledger.delegation(inSlot: slot)
        guard word.isDelegated || mayWait && word.ticketQueue != nil, word.lets(write: isWriting),
            word.epoch == ledger.ledgerEpoch
        else { return nil }
        return Grant(slot: slot, word: word)
    }

    /// Makes it free again.
    package func end(isWriting: Bool) {
        state.withLock { state in
            if isWriting {
                state.isWritten = false
                state.writer = nil
            } else {
                state.readers -= 1
            }
        }
    }

    /// Records that a claim is going to be filed: until it is over none is local.
    ///
    /// - Returns: whether no local claim runs at this time.
    @discardableResult
    func beginFiled() -> Bool {
        state.withLock { state in
            state.filed += 1
            state.filings += 1
            state.reports = 0
            return !state.isWritten && state.readers == 0
        }
    }

    /// Records that one is over.
    func endFiled() { state.withLock { $0.filed -= 1 } }

    /// The local write that makes it busy.
    var writer: LocalAccess? {
        state.withLock { state in
            let writer = state.writer?.takeUnretainedValue()
            writer?.markShown()
            return writer
        }
    }

    // MARK: Slots

    /// The place's own slot, if it has one.
    package var slot: Int? { state.withLock { $0.slot } }

    /// How many of its claims were filed.
    var filings: Int { state.withLock { $0.filings } }

    /// Gives it a slot of its own, for good.
    func setSlot(_ slot: Int) { state.withLock { $0.slot = slot } }

    /// Tells it the slot of its directory, for good.
    func setDirectorySlot(_ slot: Int) { state.withLock { $0.directorySlot = slot } }

    /// The slot of its directory, if that has one.
    var directorySlot: Int? { state.withLock { $0.directorySlot } }
}
