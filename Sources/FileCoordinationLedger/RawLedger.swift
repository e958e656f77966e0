// SPDX-License-Identifier: Apache-2.0
//
// Access to the fields and bytes of a mapped ledger that are not words of the protocol. The
// record's word says who may write them; readers check that word before and after.

internal import FileCoordinationSystem

extension UnsafeMutableRawPointer {
    /// Writes a little-endian number at `offset`.
    func store<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number, at offset: Int) {
        unsafe storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// Reads a little-endian number at `offset`, exactly once.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, at offset: Int
    ) -> Number {
        unsafe Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Writes bytes at `offset`.
    func copy(_ bytes: [UInt8], to offset: Int) {
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe (self + offset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Reads `count` bytes at `offset`.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: self + offset, count: count))
    }
}

extension LedgerMemory {
    /// The word with a record's serial number.
    func serial(_ index: Int) -> AtomicWord { word(index, LedgerLayout.Record.serial) }

    /// The word with the time of the grant.
    func grantedAt(_ index: Int) -> AtomicWord { word(index, LedgerLayout.Record.grantedAt) }

    /// The word with the filing time.
    func filedAt(_ index: Int) -> AtomicWord { word(index, LedgerLayout.Record.filedAt) }

    /// The word that says what a presenter has relinquished.
    func presenterState(_ index: Int) -> AtomicWord {
        word(index, LedgerLayout.Record.presenterState)
    }

    /// The word that says whether an item is not at the path in the body.
    func relocated(_ index: Int) -> AtomicWord { word(index, LedgerLayout.Record.relocated) }

    /// The word with the length and offset of the outcome.
    func outcomeExtent(_ index: Int) -> AtomicWord {
        word(index, LedgerLayout.Record.outcomeLength)
    }

    /// Loads the record's word.
    func recordWord(_ index: Int) -> RecordWord {
        RecordWord(rawValue: word(.record(index)).load())
    }

    private func word(_ index: Int, _ offset: Int) -> AtomicWord {
        unsafe AtomicWord(at: mapping.base, offset: LedgerLayout.record(index) + offset)
    }
}
