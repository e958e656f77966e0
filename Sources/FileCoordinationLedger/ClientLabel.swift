// SPDX-License-Identifier: Apache-2.0
//
// The label of a client: a short text for people. It is in the ledger's header, so that records
// need none of their own (Rule 18.15). The client can set it again while servers read it. Therefore
// it has two places; a word says which one is valid, and a reader that sees the word change reads
// again.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Sets the label of this process: at most ``LedgerLayout/maximumLabelLength`` bytes of UTF-8.
    ///
    /// Must not be called on two threads at once.
    public func setLabel(_ label: [UInt8]) {
        precondition(label.count <= LedgerLayout.maximumLabelLength, "A label is short")
        typealias Header = LedgerLayout.Header
        let word = memory.mapping.word(at: Header.label)
        let sequence = UInt32(truncatingIfNeeded: word.load() >> 32) &+ 1
        // A server that copies a former label from this place sees the word changed if it has read
        // a byte of the new one.
        AtomicWord.fenceReleasing()
        unsafe memory.mapping.base.copy(label, to: LedgerReader.labelPlace(sequence))
        word.store(UInt64(sequence) << 32 | UInt64(label.count))
    }
}

extension LedgerReader {
    /// How often the label is read if the client changes it meanwhile.
    private static let attempts = 4

    /// The client's label, as the client wrote it; empty if it has none.
    public var label: [UInt8] {
        let word = memory.mapping.word(at: LedgerLayout.Header.label)
        for _ in 0..<Self.attempts {
            let before = word.load()
            let length = Int(UInt32(truncatingIfNeeded: before))
            guard length > 0, length <= LedgerLayout.maximumLabelLength else { return [] }
            let place = Self.labelPlace(UInt32(truncatingIfNeeded: before >> 32))
            let bytes = unsafe memory.mapping.base.bytes(at: place, count: length)
            // The copy is made before the second look.
            AtomicWord.fenceAcquiring()
            if word.load() == before { return bytes }
        }
        return []
    }

    /// Returns the offset of the label with this sequence number.
    static func labelPlace(_ sequence: UInt32) -> Int {
        LedgerLayout.Header.labels + Int(sequence & 1) * LedgerLayout.Header.labelRoom
    }
}
