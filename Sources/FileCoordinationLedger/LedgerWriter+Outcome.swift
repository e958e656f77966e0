// SPDX-License-Identifier: Apache-2.0
//
// The log of a claim, in which the client writes announcements and the outcomes. It only grows, and
// existing bytes never change: a server that reads concurrently sees a prefix of it.

public import FileCoordinationArbiter
internal import FileCoordinationSystem

extension LedgerWriter {
    /// Appends to the log of a granted claim, and keeps `reserve` bytes free at the end.
    ///
    /// Only one thread at a time may do so for a claim, and not while it is released. The caller
    /// must then tell the server to look at the record. Returns false if the claim is not granted.
    public func appendOutcome(
        _ reference: RecordReference, _ bytes: [UInt8], reserving reserve: Int
    ) throws(LedgerError) -> Bool {
        guard state(of: reference) == .granted else { return false }
        // A server may not know this claim. It must handle the announcement even if the claim ends
        // right after it, so a report of the release is requested.
        _ = memory.run(
            RequestReleaseReport(
                record: Int(reference.index), epoch: .maximum, isForTicketQueue: false))
        try appendOutcome(bytes, index: Int(reference.index), reserve: reserve)
        return true
    }

    /// Appends to the log of a claim that is released next and whose end need not be reported.
    package func appendOutcome(_ bytes: [UInt8], index: Int, reserve: Int) throws(LedgerError) {
        let base = unsafe memory.mapping.base
        var place = outcomes[index]
        let needed = place.length + bytes.count + reserve
        guard needed <= LedgerLayout.maximumBodyLength else {
            throw .bodyTooLarge(needed, limit: LedgerLayout.maximumBodyLength)
        }
        if needed > place.capacity {
            // Reserves room for more, if there is any.
            var capacity = min(2 * needed, LedgerLayout.maximumBodyLength)
            let fresh = try allocation.withLock { (books) throws(LedgerError) in
                do throws(LedgerError) {
                    return try block(capacity, for: index, in: &books)
                } catch {
                    capacity = needed
                    return try block(capacity, for: index, in: &books)
                }
            }
            unsafe base.copy(base.bytes(at: place.start, count: place.length), to: fresh)
            place.start = fresh
            place.capacity = capacity
        }
        Failpoint.reach(.before, .appendsOutcome)
        defer { Failpoint.reach(.after, .appendsOutcome) }
        unsafe base.copy(bytes, to: place.start + place.length)
        place.length += bytes.count
        outcomes[index] = place
        // Both change at once, after the bytes are written.
        memory.outcomeExtent(index).store(place.extent)
    }
}
