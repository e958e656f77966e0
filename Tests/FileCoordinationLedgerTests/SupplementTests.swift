// SPDX-License-Identifier: Apache-2.0
//
// The supplement of a record, and the label of a client: where they are stored, and that servers
// which do not know them find everything else in its old place.

import FileCoordinationArbiter
import FileCoordinationSystem
import Testing

@testable import FileCoordinationLedger

struct SupplementTests {
    @Test func `Labels and supplements are where they always were`() {
        #expect(LedgerLayout.Header.label == 576)
        #expect(LedgerLayout.Header.labels == 640)
        #expect(LedgerLayout.Header.labelRoom == 128)
        #expect(LedgerLayout.Kind.hasSupplement == 0x200)
        #expect(LedgerLayout.Record.supplementLength == 508)
        #expect(LedgerLayout.maximumLabelLength == 120)
        #expect(LedgerLayout.maximumSupplementLength == 400)
    }

    @Test func `A supplement is at the end of its record, byte by byte`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let claim = try writer.write(
            kind: .claim, body: [1, 2, 3], outcomeCapacity: 5, supplement: [7, 8])
        writer.file(claim)
        let record = Array(try world.contents(of: writer.fileName, count: 12800)[12288...])
        #expect(Array(record[32..<36]) == [1, 2, 0, 0])
        #expect(Array(record[80..<83]) == [1, 2, 3])
        #expect(Array(record[506...]) == [7, 8, 2, 0, 0, 0])
        // The outcome is in the record. How much room it has is known to the client alone.
        #expect(Array(record[52..<58]) == [0, 0, 0, 0, 0, 0])
    }

    @Test(arguments: [(3, 5), (200, 40), (300, 300), (420, 8), (5000, 5), (5000, 420)])
    func `Body, outcome and supplement do not touch each other`(
        _ lengths: (body: Int, outcome: Int)
    ) throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        for supplement in [1, 100, 400] {
            let body = [UInt8](repeating: 1, count: lengths.body)
            let beside = [UInt8](repeating: 2, count: supplement)
            let outcome = [UInt8](repeating: 3, count: lengths.outcome)
            let claim = try writer.write(
                kind: .claim, body: body, outcomeCapacity: lengths.outcome, supplement: beside)
            writer.file(claim)
            #expect(reader.grant(claim, world.epoch) == .granted)
            #expect(try writer.appendOutcome(claim, outcome, reserving: 0))
            #expect(reader.body(claim) == body)
            #expect(reader.supplement(claim) == beside)
            #expect(reader.outcome(claim) == outcome)
        }
    }

    @Test func `A record without a supplement has none, though its former use had one`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let first = try writer.write(kind: .claim, body: [1], supplement: [9])
        writer.file(first)
        #expect(writer.cancel(first))
        #expect(reader.reap(first, world.epoch))
        let second = try writer.write(kind: .claim, body: [1])
        writer.file(second)
        #expect(second.index == first.index)
        #expect(reader.supplement(second) == nil)
        #expect(reader.supplement(first) == nil)
    }

    @Test func `A client's label can be set again, and is read as it was set last`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        #expect(reader.label.isEmpty)
        for text in ["nightly", "a", "", String(repeating: "x", count: 120)] {
            writer.setLabel(Array(text.utf8))
            #expect(reader.label == Array(text.utf8))
        }
    }

    @Test func `A label of nonsense is none`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        writer.memory.mapping.word(at: LedgerLayout.Header.label).store(0xFFFF_FFFF_FFFF_FFFF)
        #expect(reader.label.isEmpty)
        let claim = try writer.write(kind: .claim, body: [1], supplement: [9])
        writer.file(claim)
        let record = writer.memory.mapping.base + LedgerLayout.record(Int(claim.index))
        record.store(UInt32(500), at: LedgerLayout.Record.supplementLength)
        #expect(reader.supplement(claim) == nil)
    }
}
