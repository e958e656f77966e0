// SPDX-License-Identifier: Apache-2.0
//
// A path that may be delegated to this process, by itself or together with everything directly
// inside its directory. It tracks this process's own claims there, which must not conflict with
// each other either.

import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A local write, as the object of its path sees it.
protocol DelegatedWriter: AnyObject, Sendable {
    /// The number of the coordinator's purpose.
    var purposeNumber: UInt64 { get }
    /// The claim's record.
    var record: RecordReference { get }

    /// Records that another thread has got a reference to it.
    ///
    /// Called under the lock of its place.
    func markShown()

    /// Attaches the item's versions to this write.
    func keepVersions(in store: any VersionKeeping)
}

/// A path that may be delegated, and this process's claims on it.
package final class DelegatedPlace: Sendable {
    let path: ItemPath
    /// The item's kind at its first use.
    let isDirectory: Bool
    /// The record that every local claim on the item writes, except for the purpose number.
    private let template: ClaimTemplate?
    private let state: Lock<State>

    @safe private struct State {
        var readers = 0
        var isWritten = false
        /// The number of this process's filed claims that may be running.
        ///
        /// The server may delegate the path while one of them runs.
        var filed = 0
        /// The number of claims that were filed so far.
        var filings = 0
        /// The running local write, if there is one.
        ///
        /// Not retained: its call keeps it until the path is free again.
        unowned(unsafe) var writer: (any DelegatedWriter)?
        var reports = UnreadReports()
        /// The path's own slot.
        var slot: Int?
        /// The slot of the path's directory.
        var directorySlot: Int?
    }

    /// The delegation under which a claim is granted: a slot and its word.
    package struct Grant: Sendable {
        /// The slot.
        package let slot: Int
        /// The word.
        package let word: SlotWord
        /// Whether the process must wait for its turn in a ticket queue.
        package var isInTicketQueue: Bool { word.ticketQueue != nil }
        /// Whether the end of a write is reported, because a presenter is told about it.
        package var reportsWrites: Bool { word.terms.contains(.reportsWrites) }
    }

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - item: an access to it, whose encoding becomes the template of its claims.
    ///   - slot: the slot for a delegation of the path, if it has one.
    ///   - directorySlot: the slot for a delegation of its directory, if it has one.
    ///   - prefix: the prefix of the purposes that this process generates.
    init(_ item: AccessItem, slot: Int?, directorySlot: Int?, purposePrefix prefix: [UInt8]) {
        path = item.path
        isDirectory = item.isDirectory
        template = ClaimTemplate(item, purposePrefix: prefix)
        state = Lock(State(slot: slot, directorySlot: directorySlot))
    }

    /// Writes the record of a local claim; returns nil if the ledger has no room.
    func writeRecord(
        _ access: Access, purposeNumber: UInt64, at now: Instant, in ledger: LedgerWriter
    ) -> RecordReference? {
        guard let template else { return nil }
        return unsafe ledger.writeLocally(
            template.bytes, outcomeCapacity: ClaimLogEntry.outcomesLength(1), at: now
        ) { body in
            let bytes = unsafe body.assumingMemoryBound(to: UInt8.self)
            unsafe ProcessIdentity.writeNumber(
                purposeNumber, to: bytes + ClaimTemplate.purposeOffset)
            unsafe (bytes[template.accessOffset], bytes[template.accessOffset + 1]) =
                ClaimTemplate.encoding(of: access)
        }
    }

    /// Occupies the path for a local access, if it is delegated and no access of this process
    /// conflicts.
    ///
    /// - Parameters:
    ///   - isWriting: whether the access writes.
    ///   - mayWait: whether the caller can wait for a turn in a ticket queue.
    ///   - writer: the access, if it writes.
    ///   - ledger: this process's ledger.
    /// - Returns: the delegation; nil if the server must be asked.
    func begin(
        isWriting: Bool, mayWait: Bool = false, by writer: (any DelegatedWriter)? = nil,
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
                    // A claim that waits for the server makes this process wait until its
                    // reports are read.
                    guard let writer, state.reports.add(writer.record, in: ledger) else {
                        return nil
                    }
                }
                state.isWritten = true
                unsafe state.writer = writer
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

    /// Frees the path after a local access.
    package func end(isWriting: Bool) {
        state.withLock { state in
            if isWriting {
                state.isWritten = false
                unsafe state.writer = nil
            } else {
                state.readers -= 1
            }
        }
    }

    /// Records that a claim is about to be filed.
    ///
    /// Until it is over, no access here is local.
    ///
    /// - Returns: whether no local access runs here now.
    @discardableResult
    func beginFiled() -> Bool {
        state.withLock { state in
            state.filed += 1
            state.filings += 1
            state.reports = UnreadReports()
            return !state.isWritten && state.readers == 0
        }
    }

    /// Records that a filed claim is over.
    func endFiled() { state.withLock { $0.filed -= 1 } }

    /// The running local write, if there is one.
    var writer: (any DelegatedWriter)? {
        state.withLock { state in
            let writer = unsafe state.writer
            writer?.markShown()
            return writer
        }
    }

    // MARK: Slots

    /// The path's own slot, if it has one.
    package var slot: Int? { state.withLock { $0.slot } }

    /// The number of claims that were filed so far.
    var filings: Int { state.withLock { $0.filings } }

    /// Assigns the path its own slot, permanently.
    func setSlot(_ slot: Int) { state.withLock { $0.slot = slot } }

    /// Assigns the slot of the path's directory, permanently.
    func setDirectorySlot(_ slot: Int) { state.withLock { $0.directorySlot = slot } }

    /// The slot of the path's directory, if it has one.
    var directorySlot: Int? { state.withLock { $0.directorySlot } }
}
