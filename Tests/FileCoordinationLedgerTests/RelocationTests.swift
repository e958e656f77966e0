// SPDX-License-Identifier: Apache-2.0
//
// The mark by which a claimant knows that an item was moved while it waited (Rule 11.4): it belongs
// to one use of a record, and to no other.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Testing

struct RelocationTests {
    private let world: LedgerWorld
    private let writer: LedgerWriter
    private let reader: LedgerReader

    init() throws {
        world = try LedgerWorld()
        writer = try world.writer()
        reader = try world.reader(of: writer)
    }

    /// A claim that waits, with something left over in its record from the one before it.
    private func filed() throws -> RecordReference {
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        return claim
    }

    private func end(_ claim: RecordReference) throws {
        #expect(reader.grant(claim, world.epoch) == .granted)
        #expect(try writer.release(claim) == .released)
        #expect(reader.reap(claim, world.epoch))
    }

    @Test func `A mark that is made before the grant is there afterwards`() throws {
        let moved = try filed()
        let other = try filed()
        #expect(!writer.isRelocated(moved))
        reader.markRelocated(moved)
        reader.markRelocated(moved)
        #expect(writer.isRelocated(moved) && !writer.isRelocated(other))
        #expect(reader.grant(moved, world.epoch) == .granted)
        #expect(writer.isRelocated(moved))
        // The next server raises the record, and the mark stays.
        try world.reader(of: writer).raise(to: try world.epochFile.raise())
        #expect(writer.isRelocated(moved) && !writer.isRelocated(other))
        #expect(reader.body(moved) == [1])
    }

    @Test func `A mark is gone with its claim`() throws {
        let former = try filed()
        reader.markRelocated(former)
        try end(former)
        #expect(!writer.isRelocated(former))
        let next = try writer.write(kind: .claim, body: [2])
        try #require(next.index == former.index)
        #expect(!writer.isRelocated(next))
        writer.file(next)
        #expect(!writer.isRelocated(next) && !writer.isRelocated(former))
    }

    @Test func `A server that was stopped between look and write marks no later claim`() throws {
        let former = try filed()
        let relocation = try #require(reader.relocationMarking(former))
        let grant = try #require(reader.grantMarking(former))
        // Meanwhile another server ends the claim, and the next claim uses the record.
        try end(former)
        let next = try filed()
        try #require(next.index == former.index)
        #expect(!relocation.write(1) && !grant.write(1))
        #expect(!writer.isRelocated(next))
        #expect(try #require(reader.snapshot(ofRecord: next.index)).grantedAt == nil)
        // A server that is not stopped can mark it.
        reader.markRelocated(next, isWritten: false)
        #expect(writer.isRelocationLost(next))
        #expect(reader.grant(next, world.epoch) == .granted)
        #expect(reader.snapshot(ofRecord: next.index)?.grantedAt != nil)
    }

    @Test func `A mark for another use of the record is none`() throws {
        let former = try filed()
        try end(former)
        // The record is marked when reaped, when written but not filed, and when filed.
        reader.markRelocated(former)
        let next = try writer.write(kind: .claim, body: [2])
        try #require(next.index == former.index)
        reader.markRelocated(former)
        writer.file(next)
        #expect(!writer.isRelocated(next))
        reader.markRelocated(former)
        reader.markRelocated(
            RecordReference(index: next.index, generation: next.generation &+ 1))
        #expect(!writer.isRelocated(next))
        reader.markRelocated(next)
        #expect(writer.isRelocated(next))
        #expect(!writer.isRelocated(former))
    }

    @Test func `A mark for a record that no ledger has is none`() throws {
        let claim = try filed()
        for index in [UInt32(LedgerLayout.recordCount), .max] {
            reader.markRelocated(RecordReference(index: index, generation: 0))
            reader.markRelocated(RecordReference(index: index, generation: claim.generation))
        }
        #expect(!writer.isRelocated(claim))
        #expect(reader.scan().count == 1)
    }
}
