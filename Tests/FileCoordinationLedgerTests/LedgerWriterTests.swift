// SPDX-License-Identifier: Apache-2.0
//
// A client and a server, one after the other, over a real ledger.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import InstantLiterals
import Testing

struct LedgerWriterTests {
    @Test func `A claim is filed, granted, released and reaped`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        #expect(reader.isAlive && reader.programName == "test")
        #expect(writer.ledgerEpoch == world.epoch && reader.ledgerEpoch == world.epoch)

        let claim = try writer.write(kind: .claim, body: [5, 6], outcomeCapacity: 8)
        #expect(reader.scan().isEmpty)
        #expect(writer.state(of: claim) == nil)
        #expect(writer.file(claim) == .filed)
        let snapshot = try #require(reader.scan().first)
        #expect(snapshot.reference == claim && snapshot.state == .filed)
        #expect(reader.body(claim) == [5, 6])
        #expect(reader.setSerial(claim, 41) == 41)
        #expect(reader.setSerial(claim, 42) == 41)
        #expect(writer.serial(of: claim) == 41)
        #expect(reader.grant(claim, world.epoch) == .granted)
        #expect(reader.grant(claim, world.epoch) == .refused)
        #expect(writer.waitWhileAsked(claim, deadline: nil) == .granted)
        #expect(writer.cancel(claim) == false)
        #expect(try writer.release(claim, outcome: [9, 9, 9]) == .released)
        #expect(reader.outcome(claim) == [9, 9, 9])
        #expect(reader.reap(claim, world.epoch))
        #expect(!reader.reap(claim, world.epoch))
        #expect(writer.state(of: claim) == nil)

        let next = try writer.write(kind: .claim, body: [])
        #expect(next.index == claim.index && next.generation == claim.generation + 1)
        #expect(reader.body(claim) == nil)
    }

    @Test func `A ledger without a name grows, and is handed over`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        #expect(writer.isInPlace(in: world.directory))
        try world.directory.remove(writer.fileName)
        #expect(!writer.isInPlace(in: world.directory))
        // More than there was room for at first.
        let claims = try (0..<300).map { _ in
            try writer.write(kind: .claim, body: [UInt8](repeating: 3, count: 600))
        }
        for claim in claims { writer.file(claim) }
        let reader = try LedgerReader(
            file: writer.descriptor, name: writer.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
        #expect(reader.isAlive && reader.scan().count == 300)
        // One server takes the ledger over; a second one that has seen the same epoch cannot.
        let next = try #require(ServerEpoch(rawValue: world.epoch.rawValue + 1))
        #expect(reader.ledgerEpoch == world.epoch)
        #expect(reader.claim(from: world.epoch, to: next))
        #expect(!reader.claim(from: world.epoch, to: next))
        try reader.raise(to: next)
        #expect(reader.grant(claims[0], world.epoch) == .refused)
        #expect(reader.grant(claims[0], next) == .granted)
    }

    @Test func `A deadline passes, the claim is given up, and no server can grant it`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        #expect(writer.waitWhileAsked(claim, deadline: MonotonicClock.now) == .filed)
        #expect(writer.cancel(claim))
        #expect(!writer.cancel(claim))
        #expect(reader.grant(claim, world.epoch) == .refused)
        #expect(writer.state(of: claim) == .cancelled)
        #expect(try writer.release(claim) == .notGranted)
    }

    @Test func `A new server's raise stops the old one, and wakes no thread for nothing`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let old = try world.reader(of: writer)
        let new = try world.reader(of: writer)
        let asked = try writer.write(kind: .claim, body: [1])
        let held = try writer.write(kind: .claim, body: [2], wantsMessage: true)
        writer.file(asked)
        writer.file(held)
        #expect(old.grant(held, world.epoch) == .grantedWantsMessage)

        let epoch = try world.epochFile.raise()
        try new.raise(to: epoch)
        #expect(old.grant(asked, world.epoch) == .refused)
        #expect(throws: LedgerError.deposed) { try old.raise(to: world.epoch) }
        #expect(new.scan().map(\.epoch) == [epoch, epoch])
        #expect(writer.ledgerEpoch == epoch)
        #expect(new.grant(asked, epoch) == .granted)
        #expect(!writer.releaseLocally(held))
        #expect(try writer.release(held) == .released)
        #expect(!old.reap(held, world.epoch))
        #expect(new.reap(held, epoch))

        // A claim that is filed after the raise belongs to the new server at once.
        let later = try writer.write(kind: .claim, body: [3])
        writer.file(later)
        #expect(old.grant(later, world.epoch) == .refused)
        #expect(new.grant(later, epoch) == .granted)
    }

    @Test func `What is not over is not reaped`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        #expect(!reader.reap(claim, world.epoch))
        #expect(reader.grant(claim, world.epoch) == .granted)
        #expect(!reader.reap(claim, world.epoch))
        #expect(writer.state(of: claim) == .granted)
    }

    @Test func `Who is deposed learns it from a ledger in which nothing is filed, too`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let old = try world.reader(of: writer)
        let epoch = try world.epochFile.raise()
        try world.reader(of: writer).raise(to: epoch)
        #expect(throws: LedgerError.deposed) { try old.raise(to: world.epoch) }
        #expect(writer.ledgerEpoch == epoch)
    }

    @Test func `A record that was used locally is used again, and by one claim at a time`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let delegation = try #require(try reader.delegate(slot: 4, world.epoch))
        func claim(_ byte: UInt8) throws -> RecordReference {
            let record = try #require(
                writer.writeLocally([byte], outcomeCapacity: 8, at: 1) { _ in })
            #expect(writer.claimLocally(record, slot: 4, delegation: delegation) == .granted)
            return record
        }
        let (one, other) = (try claim(1), try claim(2))
        #expect(one.index != other.index)
        #expect(writer.releaseWrittenLocally(one))
        #expect(!writer.releaseWrittenLocally(one))
        let next = try claim(3)
        #expect(next.index == one.index)
        #expect(next.generation != one.generation)
        #expect(writer.releaseWrittenLocally(other))
        #expect(writer.releaseWrittenLocally(next))
        let (first, second) = (try claim(4), try claim(5))
        #expect(Set([first.index, second.index]) == [one.index, other.index])
        // The server asks for a report of the release, so the claim is released like any other.
        #expect(try reader.revoke(slot: 4, delegation, world.epoch).count == 2)
        #expect(!writer.releaseWrittenLocally(first))
        #expect(try writer.release(first) == .released)
    }

    @Test func `A delegated place is claimed without the server until it is taken back`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let delegation = try #require(try reader.delegate(slot: 4, world.epoch))
        #expect(writer.delegation(inSlot: 4) == delegation)
        let quiet = try writer.write(kind: .claim, body: [1])
        #expect(writer.claimLocally(quiet, slot: 4, delegation: delegation) == .granted)
        #expect(writer.releaseLocally(quiet))
        #expect(writer.state(of: quiet) == nil)
        let held = try writer.write(kind: .claim, body: [2])
        #expect(writer.claimLocally(held, slot: 4, delegation: delegation) == .granted)
        #expect(try reader.revoke(slot: 4, delegation, world.epoch).map(\.reference) == [held])
        #expect(try writer.release(held) == .released)
        let late = try writer.write(kind: .claim, body: [3])
        #expect(writer.claimLocally(late, slot: 4, delegation: delegation) == .filed)

        // A new server's epoch takes all delegations back.
        let again = try #require(try reader.delegate(slot: 4, world.epoch))
        try reader.raise(to: try world.epochFile.raise())
        let stale = try writer.write(kind: .claim, body: [4])
        #expect(writer.claimLocally(stale, slot: 4, delegation: again) == .filed)
    }

    @Test func `Bodies and outcomes of any size come through`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        for (body, outcome) in [(0, 0), (432, 0), (433, 0), (10, 500), (100_000, 20), (432, 432)] {
            let claim = try writer.write(
                kind: .claim, body: pattern(body), outcomeCapacity: outcome / 2)
            writer.file(claim)
            #expect(reader.body(claim) == pattern(body))
            #expect(reader.grant(claim, world.epoch) == .granted)
            _ = try writer.release(claim, outcome: pattern(outcome))
            #expect(reader.body(claim) == pattern(body))
            #expect(reader.outcome(claim) == pattern(outcome))
            reader.reap(claim, world.epoch)
        }
        #expect(throws: LedgerError.self) {
            try writer.write(
                kind: .claim,
                body: [UInt8](repeating: 1, count: LedgerLayout.maximumBodyLength + 1))
        }
    }

    private func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    @Test func `A full ledger says so, and has room again when records are reaped`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        var claims: [RecordReference] = []
        for _ in 0..<LedgerLayout.recordCount {
            claims.append(try writer.write(kind: .claim, body: []))
        }
        #expect(throws: LedgerError.full) { try writer.write(kind: .claim, body: []) }
        writer.file(claims[7])
        writer.cancel(claims[7])
        #expect(throws: LedgerError.full) { try writer.write(kind: .claim, body: []) }
        #expect(reader.reap(claims[7], world.epoch))
        #expect(try writer.write(kind: .claim, body: []).index == 7)
    }

    @Test func `The heap gives blocks back`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let body = [UInt8](repeating: 1, count: LedgerLayout.maximumBodyLength)
        for _ in 0..<20 {
            writer.discard(try writer.write(kind: .claim, body: body))
        }
    }

    @Test func `A ledger is gone with its writer`() throws {
        let world = try LedgerWorld()
        var writer: LedgerWriter? = try world.writer()
        let reader = try world.reader(try #require(writer?.fileName))
        #expect(try world.directory.names().filter(LedgerName.isFinal).count == 1)
        #expect(reader.isAlive)
        writer = nil
        #expect(!reader.isAlive)
        #expect(try world.directory.names().filter(LedgerName.isFinal).isEmpty)
    }

    @Test func `What a presenter has relinquished is to be seen`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let presenter = try writer.write(kind: .presenter, body: [])
        writer.file(presenter)
        writer.setRelinquished(presenter, reader: true)
        #expect(reader.scan().first?.hasRelinquishedToReader == true)
        writer.setRelinquished(presenter, reader: false, writer: true)
        #expect(reader.scan().first?.hasRelinquishedToReader == false)
        #expect(reader.scan().first?.hasRelinquishedToWriter == true)
    }
}
