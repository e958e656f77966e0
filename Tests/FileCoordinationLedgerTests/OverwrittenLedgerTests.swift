// SPDX-License-Identifier: Apache-2.0
//
// Another process overwrites words of a client's ledger. The client neither ends nor copies
// anything from or to a place outside its file: it uses its own numbers, and gets an error.

import FileCoordinationArbiter
import FileCoordinationSystem
import InstantLiterals
import Testing

@testable import FileCoordinationLedger

struct OverwrittenLedgerTests {
    private typealias Record = LedgerLayout.Record

    private let world: LedgerWorld
    private let writer: LedgerWriter
    private let reader: LedgerReader

    init() throws {
        world = try LedgerWorld()
        writer = try world.writer()
        reader = try world.reader(of: writer)
    }

    private func scribble(_ number: UInt32, at field: Int, _ claim: RecordReference) throws {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        let offset = LedgerLayout.record(Int(claim.index)) + field
        try world.scribble(bytes, at: offset, in: writer.fileName)
    }

    private static let numbers: [UInt32] = [1, 433, 1 << 20, 1 << 30, .max - 1, .max]

    @Test(arguments: numbers)
    func `A log goes on where it was, whatever the file says of it`(_ number: UInt32) throws {
        for (body, isLocal) in [(3, false), (3, true), (5000, false)] {
            let claim: RecordReference
            if isLocal {
                let record = writer.writeLocally(
                    [1, 2, 3], outcomeCapacity: 12, at: 0, adjust: { _ in })
                claim = try #require(record)
            } else {
                claim = try writer.write(kind: .claim, body: [UInt8](repeating: 7, count: body))
            }
            writer.file(claim)
            #expect(reader.grant(claim, world.epoch) == .granted)
            #expect(try writer.appendOutcome(claim, [1, 2, 3], reserving: 0))
            for field in [Record.bodyLength, Record.bodyOffset, Record.outcomeOffset] {
                try scribble(number, at: field, claim)
            }
            // Inside the record, and then in the heap.
            for more in [[4, 5], [UInt8](repeating: 6, count: 6000)] {
                try scribble(number, at: Record.outcomeLength, claim)
                #expect(try writer.appendOutcome(claim, more, reserving: 4))
            }
            let whole = [1, 2, 3, 4, 5] + [UInt8](repeating: 6, count: 6000)
            #expect(reader.outcome(claim) == whole)
            #expect(try writer.release(claim, outcome: [9]) == .released)
            #expect(reader.outcome(claim) == whole + [9])
            #expect(reader.reap(claim, world.epoch))
        }
    }

    /// Words of each state, and one that is none.
    private static let words = (0..<8).map { UInt64($0) | 0xFFFF_FFFF_FFFF_FF00 }

    @Test(arguments: words)
    func `A foreign word in a free record is an error, and the ledger is damaged`(
        _ word: UInt64
    ) throws {
        let record = try writer.write(kind: .claim, body: [1])
        let local = try #require(
            writer.writeLocally([1], outcomeCapacity: 12, at: 0, adjust: { _ in }))
        #expect(!writer.isDamaged)
        for reference in [record, local] {
            writer.memory.word(.record(Int(reference.index))).store(word)
        }
        #expect(writer.file(record) == .cancelled)
        let none = SlotWord(rawValue: 0)
        #expect(writer.claimLocally(local, slot: 0, delegation: none) == .cancelled)
        #expect(writer.isDamaged)
        #expect(throws: LedgerError.cutOff) { try writer.write(kind: .claim, body: [1]) }
    }

    @Test func `So is one in a record that is used again`() throws {
        let first = try writer.write(kind: .claim, body: [1])
        writer.discard(first)
        let word = writer.memory.word(.record(Int(first.index)))
        word.store(RecordWord(.granted, [], world.epoch, generation: 5).rawValue)
        let again = try writer.write(kind: .claim, body: [1])
        #expect(again.index == first.index)
        #expect(writer.file(again) == .cancelled)
        #expect(writer.isDamaged)
    }
}
