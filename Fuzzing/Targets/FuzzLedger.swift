// SPDX-License-Identifier: Apache-2.0
//
// A ledger that a fuzzer writes: valid at first, and then with any bytes anywhere. The changes are
// recorded, so that they can be undone without touching the rest of the 24 MiB.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A client's ledger, under a pen that obeys no rule.
final class FuzzLedger: Sendable {
    let directory: Directory
    let writer: LedgerWriter

    typealias Header = LedgerLayout.Header
    typealias Record = LedgerLayout.Record

    init(in directory: Directory, epochs: EpochFile) throws(LedgerError) {
        self.directory = directory
        writer = try LedgerWriter(directory: directory, globalEpoch: epochs, programName: "fuzz")
        // Honest writers make room before they write; here that is any place.
        for index in 0..<4 { record(index).storeBytes(of: 0, as: UInt64.self) }
    }

    var base: UnsafeMutableRawPointer { writer.memory.mapping.base }

    /// Where a record begins.
    func record(_ index: Int) -> UnsafeMutableRawPointer {
        base + LedgerLayout.record(index % LedgerLayout.recordCount)
    }

    /// A record's word, as it is.
    func word(_ index: Int) -> RecordWord {
        RecordWord(rawValue: writer.memory.word(.record(index)).load())
    }

    /// Stores a record's word, as no client of ours would: without looking.
    func setWord(_ index: Int, _ word: RecordWord) {
        writer.memory.word(.record(index)).store(word.rawValue)
    }

    /// Says that records up to here may be in use.
    func raiseMark(to count: UInt64) {
        let mark = writer.memory.word(.recordMark)
        if mark.load() < count { mark.store(count) }
    }

    /// Copies bytes to a place in the file, as far as it goes.
    func write(_ bytes: [UInt8], at offset: Int) {
        let count = min(bytes.count, LedgerLayout.fileLength - offset)
        guard count > 0 else { return }
        bytes.withUnsafeBytes {
            (base + offset).copyMemory(
                from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: count)
        }
    }

    /// Fills a record with a body that is there and true, all but its word.
    func fill(_ index: Int, kind: RecordKind, body: [UInt8], wantsMessage: Bool = false) {
        let record = record(index)
        for offset in stride(from: Record.word + 8, to: Record.inline, by: 8) {
            record.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
        }
        let flags = wantsMessage ? LedgerLayout.Kind.wantsMessage : 0
        record.storeBytes(
            of: UInt32(kind.rawValue) | flags, toByteOffset: Record.kind, as: UInt32.self)
        record.storeBytes(
            of: MonotonicClock.now.nanoseconds, toByteOffset: Record.filedAt, as: UInt64.self)
        record.storeBytes(
            of: UInt32(body.count), toByteOffset: Record.bodyLength, as: UInt32.self)
        let isInline = body.count <= LedgerLayout.Record.inlineLength / 2
        // A place of its own in the heap for each of the first records.
        let place = LedgerLayout.heap + index * 8192
        record.storeBytes(
            of: UInt32(isInline ? 0 : place), toByteOffset: Record.bodyOffset, as: UInt32.self)
        write(body, at: isInline ? LedgerLayout.record(index) + Record.inline : place)
        // The log has its place behind the body.
        let log = UInt64(place + 4096)
        record.storeBytes(of: log << 32, toByteOffset: Record.outcomeLength, as: UInt64.self)
    }

    /// Appends to the log of a record that ``fill(_:kind:body:wantsMessage:)`` has filled.
    func appendToLog(_ index: Int, _ bytes: [UInt8]) {
        let record = record(index)
        let extent = record.load(fromByteOffset: Record.outcomeLength, as: UInt64.self)
        let length = Int(UInt32(truncatingIfNeeded: extent))
        let place = Int(extent >> 32)
        guard place >= LedgerLayout.heap, length + bytes.count <= 4096,
            place + length + bytes.count <= LedgerLayout.fileLength
        else { return }
        write(bytes, at: place + length)
        record.storeBytes(
            of: extent + UInt64(bytes.count), toByteOffset: Record.outcomeLength, as: UInt64.self)
    }

    /// Makes a range zero again.
    func erase(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<LedgerLayout.fileLength)
        (base + range.lowerBound).initializeMemory(as: UInt8.self, repeating: 0, count: range.count)
    }
}
