// SPDX-License-Identifier: Apache-2.0
//
// A client that is broken, or means harm, harms itself alone.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Glibc
import Testing

struct HostileLedgerTests {
    @Test func `A file that is no ledger is refused`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let name = writer.fileName
        let header = try world.contents(of: name, count: 4096)
        // Magic, version, record count, length, record length, slot count, name length. The kernel
        // tells the owner.
        for offset in [0, 8, 12, 16, 24, 28, 193] {
            try world.scribble([header[offset] ^ 0x55], at: offset, in: name)
            #expect(throws: LedgerError.self) { try world.reader(name) }
            try world.scribble([header[offset]], at: offset, in: name)
        }
        _ = try world.reader(name)
    }

    @Test func `Links, directories, short files and other people's are refused`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        #expect(symlink(writer.fileName, world.path + "/link.ledger") == 0)
        #expect(mkdir(world.path + "/directory.ledger", 0o700) == 0)
        try FileSpace.truncate(
            try world.directory.openFile("short.ledger", [.write, .create]), length: 4096)
        #expect(mkfifo(world.path + "/pipe.ledger", 0o600) == 0)
        for name in ["link", "directory", "short", "pipe", "missing"] {
            #expect(throws: LedgerError.self) { try world.reader(name + ".ledger") }
        }
        #expect(throws: LedgerError.self) {
            try LedgerReader(
                directory: world.directory, name: writer.fileName,
                expectedOwner: CurrentProcess.effectiveUserID &+ 1)
        }
    }

    @Test func `Offsets and lengths that lead astray lead nowhere`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        let record = 12288
        for (length, offset) in [
            (UInt32(433), UInt32(0)), (.max, 0), (1, 1), (1, 12288), (1, .max),
            (2, UInt32(LedgerLayout.fileLength - 1)), (.max, .max),
        ] {
            try world.scribble(bytes(length) + bytes(offset), at: record + 40, in: writer.fileName)
            #expect(reader.body(claim) == nil)
            try world.scribble(bytes(length) + bytes(offset), at: record + 48, in: writer.fileName)
            for start in [0, 1, 433, LedgerLayout.fileLength, .max, .min] {
                #expect(reader.outcome(claim, from: start) == nil)
            }
        }
        let mark = [UInt8](repeating: 0xFF, count: 8)
        try world.scribble(mark, at: 128, in: writer.fileName)
        #expect(reader.scan().count == 1)
        try reader.raise(to: try world.epochFile.raise())
    }

    @Test func `A log that pretends to be elsewhere, or longer, shows nothing of others`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        #expect(reader.grant(claim, world.epoch) == .granted)
        #expect(try writer.appendOutcome(claim, [7, 8, 9], reserving: 0))
        let record = 12288
        // A log in the record begins where the body ends, so the body's length is checked.
        for length in [UInt32(425), 432, 433, .max] {
            try world.scribble(bytes(length) + bytes(0), at: record + 40, in: writer.fileName)
            #expect(reader.outcome(claim) == nil)
        }
        try world.scribble(bytes(1) + bytes(0), at: record + 40, in: writer.fileName)
        #expect(reader.outcome(claim) == [7, 8, 9])
        // A log may extend to the last byte of the record, or of the file, and not further.
        let heapEnd = UInt32(LedgerLayout.fileLength)
        for (length, offset, start, expected) in [
            (UInt32(424), UInt32(0), 0, 424), (424, 0, 424, 0), (425, 0, 0, nil),
            (.max, 0, 424, nil), (10, heapEnd - 10, 0, 10), (10, heapEnd - 10, 10, 0),
            (11, heapEnd - 10, 0, nil), (11, heapEnd - 10, 11, nil),
            (4 << 20, heapEnd - 4 << 20, 0, 4 << 20), (4 << 20 + 1, heapEnd - 5 << 20, 0, nil),
        ] {
            try world.scribble(bytes(length) + bytes(offset), at: record + 48, in: writer.fileName)
            #expect(
                reader.outcome(claim, from: start)?.count == expected,
                "\(length) bytes at \(offset), from \(start)")
        }
    }

    private func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    @Test func `A ledger that is cut off reads as zeros, and is known to be damaged`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        writer.file(claim)
        try FileSpace.truncate(
            try world.directory.openFile(writer.fileName, [.write]), length: 4096)
        #expect(reader.scan().isEmpty)
        #expect(reader.body(claim) == nil)
        #expect(reader.grant(claim, world.epoch) == .refused)
        #expect(reader.isDamaged)
    }

    @Test func `Scribbles never end the server`() throws {
        let world = try LedgerWorld()
        let writer = try world.writer()
        let reader = try world.reader(of: writer)
        var numbers = SeededNumbers(seed: 20_261_121)
        var claims: [RecordReference] = []
        for _ in 0..<16 {
            let claim = try writer.write(kind: .claim, body: [1, 2, 3], outcomeCapacity: 40)
            writer.file(claim)
            claims.append(claim)
        }
        var epoch = world.epoch
        for round in 0..<1000 {
            let offset = Int.random(in: 0..<12288 + 16 * 512, using: &numbers)
            // A mark that is too high only makes scans slow, and is tested above.
            if (128..<136).contains(offset) { continue }
            let byte = UInt8.random(in: 0...255, using: &numbers)
            try world.scribble([byte], at: offset, in: writer.fileName)
            for snapshot in reader.scan() {
                _ = reader.body(snapshot.reference)
                _ = reader.outcome(snapshot.reference)
                _ = reader.outcome(snapshot.reference, from: round)
                reader.markRelocated(snapshot.reference)
                _ = reader.grant(snapshot.reference, epoch)
                _ = reader.reap(snapshot.reference, epoch)
            }
            if round % 100 == 0, let next = ServerEpoch(rawValue: epoch.rawValue + 1) {
                epoch = next
                try? reader.raise(to: epoch)
            }
            _ = try? world.reader(writer.fileName)
        }
    }
}
