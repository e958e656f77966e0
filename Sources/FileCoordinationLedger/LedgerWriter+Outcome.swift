// SPDX-License-Identifier: Apache-2.0
//
// What a client says about a claim that it was granted. It grows, and what is there never changes:
// a server that looks meanwhile sees a part of it, and never a mixture.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Says something more about a granted claim, and leaves room for `reserve` bytes at the end.
    ///
    /// At most one thread at a time may do so for one claim, and not while it is released. Tell the
    /// server to look at the record afterwards. False if the claim is not granted.
    public func appendOutcome(
        _ reference: RecordReference, _ bytes: [UInt8], reserving reserve: Int
    ) throws(LedgerError) -> Bool {
        guard state(of: reference) == .granted else { return false }
        // Of a claim that a server may know nothing of: what is said is to be handled, though the
        // claim be over a moment later.
        _ = memory.run(
            RequestReleaseReport(
                record: Int(reference.index), epoch: .maximum, isForTicketQueue: false))
        try appendOutcome(bytes, index: Int(reference.index), reserve: reserve)
        return true
    }

    /// The same for one that is released next, whose end no server need be told of.
    package func appendOutcome(_ bytes: [UInt8], index: Int, reserve: Int) throws(LedgerError) {
        typealias Record = LedgerLayout.Record
        let base = memory.mapping.base
        let record = base + LedgerLayout.record(index)
        let extent = memory.outcomeExtent(index).load()
        let length = Int(UInt32(truncatingIfNeeded: extent))
        var offset = Int(extent >> 32)
        let needed = length + bytes.count + reserve
        guard needed <= LedgerLayout.maximumBodyLength else {
            throw .bodyTooLarge(needed, limit: LedgerLayout.maximumBodyLength)
        }
        if needed > Int(record.load(UInt32.self, at: Record.outcomeCapacity)) {
            // Room for more of the same, if there is that much.
            var capacity = min(2 * needed, LedgerLayout.maximumBodyLength)
            let fresh = try allocation.withLock { (books) throws(LedgerError) in
                do throws(LedgerError) {
                    return try block(capacity, for: index, in: &books)
                } catch {
                    capacity = needed
                    return try block(capacity, for: index, in: &books)
                }
            }
            base.copy(base.bytes(at: start(ofOutcome: offset, index), count: length), to: fresh)
            record.store(UInt32(capacity), at: Record.outcomeCapacity)
            offset = fresh
        }
        Failpoint.reach(.before, .appendsOutcome)
        defer { Failpoint.reach(.after, .appendsOutcome) }
        base.copy(bytes, to: start(ofOutcome: offset, index) + length)
        // Both at once, and after the bytes.
        memory.outcomeExtent(index).store(UInt64(offset) << 32 | UInt64(length + bytes.count))
    }

    /// Where an outcome begins, from the beginning of the file.
    private func start(ofOutcome offset: Int, _ index: Int) -> Int {
        guard offset == 0 else { return offset }
        typealias Record = LedgerLayout.Record
        let start = LedgerLayout.record(index)
        let record = memory.mapping.base + start
        let isInline = record.load(UInt32.self, at: Record.bodyOffset) == 0
        let body = isInline ? Int(record.load(UInt32.self, at: Record.bodyLength)) : 0
        return start + LedgerLayout.inlineOutcome(behind: body)
    }
}
