// SPDX-License-Identifier: Apache-2.0
//
// Programs that send messages, or write ledgers, that
// no client of ours does: they harm only themselves.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import XCTest

final class HostileClientTests: StageTestCase {
    /// A holder and a waiter who must not notice anything, and the daemon's log.
    private struct Bystanders {
        let daemon: Program
        let a: Program
        let b: Program

        init(on stage: Stage) throws {
            daemon = try stage.daemon()
            a = try stage.peer("A")
            b = try stage.peer("B")
            try a.ask("a write \(stage.path("f"))", "a granted")
            b.tell("b read \(stage.path("f"))")
            try stage.untilWaits(b)
        }

        func assertUndisturbed(on stage: Stage) throws {
            XCTAssertEqual(try stage.arbiter(), daemon.pid)
            try stage.untilWaits(b)
            XCTAssertEqual(b.lines, ["ready"])
            try a.ask("a go", "a released")
            try b.expect("b granted")
            try b.ask("b go", "b released")
            // Their present connections work, too.
            try a.ask("a write \(stage.path("f"))", "a granted")
            b.tell("b read \(stage.path("f"))")
            try stage.untilWaits(b)
            try a.ask("a go", "a released")
            try b.expect("b granted")
            XCTAssertFalse(daemon.lines.contains { $0.contains("Fatal") })
        }
    }

    /// A hello with any name in it, as no encoder of ours would make it.
    private func hello(_ name: [UInt8], version: UInt16 = ProtocolVersion.current) -> [UInt8] {
        let length = UInt16(name.count)
        return [
            1, UInt8(version & 0xFF), UInt8(version >> 8), UInt8(length & 0xFF), UInt8(length >> 8),
        ]
            + name
    }

    private func ledgerName(of program: Program) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.runtime + "/ledgers")
        return try XCTUnwrap(names.first { $0.hasPrefix("\(program.pid)-") })
    }

    /// Sends `messages` on a new connection; asserts that the arbiter closes it for `code`, with a
    /// text that the daemon's log repeats.
    private func assertRefused(
        _ messages: [[UInt8]], _ code: Refusal.Code, _ bystanders: Bystanders, line: UInt = #line
    ) throws {
        let connection = try ArbiterLine(runtime: stage.runtime)
        for message in messages { connection.send(message) }
        let refusal = try XCTUnwrap(connection.refusal(), "no refusal", line: line)
        XCTAssertEqual(refusal.code, code, refusal.text, line: line)
        XCTAssertNil(connection.receive(), "still open", line: line)
        try bystanders.daemon.expect(
            // The log is in fields, so quotes are escaped.
            "closed the connection of process \(getpid()): "
                + refusal.text.replacingOccurrences(of: "\"", with: "\\\""), inside: true)
    }

    //  A             B             hostile
    //  write(f)      read(f) waits
    //                              says something unheard of: refused
    //  returns
    //                granted
    //
    /// Rule 18.8, for everything that can come through the socket.
    func testWhatNoClientSaysClosesTheConnection() throws {
        let bystanders = try Bystanders(on: stage)
        let greeting = hello([])
        // Bytes that are no message.
        try assertRefused([[0xFF, 0x00, 0x12]], .malformed, bystanders)
        try assertRefused([Array(repeating: 0xAA, count: 4000)], .malformed, bystanders)
        // Half a message, and half of a second message after a whole one.
        try assertRefused([[1, 1]], .malformed, bystanders)
        try assertRefused([greeting, [2, 7, 0, 0]], .malformed, bystanders)
        // More bytes than one whole message.
        try assertRefused([greeting, [6, 0]], .malformed, bystanders)
        // A huge one.
        try assertRefused([Array(repeating: 1, count: 100_000)], .malformed, bystanders)
        // Another version, however the rest of it may look.
        try assertRefused([hello(Array("future".utf8), version: 99)], .wrongVersion, bystanders)
        try assertRefused([[1, 0, 1]], .wrongVersion, bystanders)
        // The wrong order, and records without a ledger.
        try assertRefused([ClientMessage.statusRequest.encode()], .malformed, bystanders)
        let record = RecordReference(index: 3, generation: 1)
        try assertRefused([greeting, ClientMessage.filed(record).encode()], .malformed, bystanders)
        try assertRefused([greeting, ClientMessage.ended(record).encode()], .malformed, bystanders)
        // Names of ledgers that are not the sender's.
        try assertRefused([hello(Array("../f.ledger".utf8))], .malformed, bystanders)
        try assertRefused([hello(Array("..".utf8))], .malformed, bystanders)
        // Without a word: a client whose ledger has just lost its name comes again, and passes it.
        let nameless = try ArbiterLine(runtime: stage.runtime)
        nameless.send(hello(Array("no.ledger".utf8)))
        XCTAssertNil(nameless.receive(), "still open")
        let others = try ledgerName(of: bystanders.a)
        try assertRefused([hello(Array(others.utf8))], .badLedger, bystanders)
        try bystanders.assertUndisturbed(on: stage)
    }

    /// Rule 18.8: records that do not exist, or were never filed.
    func testRecordsThatDoNotExist() throws {
        let bystanders = try Bystanders(on: stage)
        let directory = try Directory.open(stage.runtime)
        let ledger = try LedgerWriter(
            directory: directory.openSubdirectory("ledgers", creatingWithMode: 0o700),
            globalEpoch: EpochFile(directory: directory))
        let connection = try ArbiterLine(runtime: stage.runtime)
        connection.send(hello(Array(ledger.fileName.utf8)))
        for index: UInt32 in [0, 7, 16383, 16384, 99_999, .max] {
            let record = RecordReference(index: index, generation: 1)
            connection.send(ClientMessage.filed(record).encode())
            connection.send(ClientMessage.ended(record).encode())
            connection.send(ClientMessage.explain(record).encode())
            connection.send(
                ClientMessage.answered(presenter: record, claim: .max, failure: [1, 2]).encode())
        }
        try bystanders.assertUndisturbed(on: stage)
        withExtendedLifetime(ledger) {}
    }

    /// Rule 18.8: connections that say nothing, or go without a word, cost no other client
    /// anything.
    func testSilentConnections() throws {
        let bystanders = try Bystanders(on: stage)
        var silent: [ArbiterLine] = []
        for _ in 1...100 { silent.append(try ArbiterLine(runtime: stage.runtime)) }
        for line in silent.prefix(50) { line.send(hello([])) }
        silent.removeFirst(25)
        try bystanders.assertUndisturbed(on: stage)
        XCTAssertEqual(silent.count, 75)
    }

    /// Rule 18.8: a program that asks for status and does
    /// not read it is disconnected, and delays no client.
    func testAConnectionThatNeverReads() throws {
        let bystanders = try Bystanders(on: stage)
        let deaf = try ArbiterLine(runtime: stage.runtime)
        deaf.send(hello([]))
        for _ in 1...2000 {
            guard deaf.sendAtOnce(ClientMessage.statusRequest.encode()) else { break }
        }
        try bystanders.assertUndisturbed(on: stage)
    }

    // MARK: Ledgers

    /// A victim holds a claim, waits for another and presents; its ledger is damaged; all others go
    /// on.
    private func assertHarmsOnlyItself(_ damage: (FileHandle) throws -> Void) throws {
        let bystanders = try Bystanders(on: stage)
        let victim = try stage.peer("victim")
        try victim.ask("p present \(stage.path("h"))", "p registered")
        try victim.ask("v write \(stage.path("g"))", "v granted")
        victim.tell("w write \(stage.path("f"))")
        try stage.untilWaits(victim)
        let path = try stage.runtime + "/ledgers/" + ledgerName(of: victim)
        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path))
        try damage(file)
        try file.close()
        // Makes the arbiter look at what there is now.
        victim.tell("v go")
        victim.tell("x read \(stage.path("i"))")
        let names = try ledgerName(of: victim)
        let impostor = try ArbiterLine(runtime: stage.runtime)
        impostor.send(hello(Array(names.utf8)))
        _ = impostor.refusal()
        try stage.until("the arbiter still answers") {
            $0.arbiter.processID == bystanders.daemon.pid
        }
        // The victim may still run; its death frees all that it held.
        victim.end()
        let c = try stage.peer("C")
        try c.ask("c write \(stage.path("g"))", "c granted")
        try c.ask("c go", "c released")
        try c.ask("c write \(stage.path("h"))", "c granted")
        try c.ask("c go", "c released")
        try stage.until("the victim is gone") { report in
            !report.claims.contains { $0.processID == victim.pid } && report.presenters.isEmpty
        }
        try bystanders.assertUndisturbed(on: stage)
    }

    private static let records: UInt64 = 12288

    /// Rule 18.8.
    func testATruncatedLedgerHarmsItsClientAlone() throws {
        try assertHarmsOnlyItself { try $0.truncate(atOffset: 0) }
    }

    /// Rule 18.8.
    func testALedgerThatEndsInItsRecordsHarmsItsClientAlone() throws {
        try assertHarmsOnlyItself { try $0.truncate(atOffset: Self.records + 100) }
    }

    /// Rule 18.8.
    func testARandomLedgerHarmsItsClientAlone() throws {
        var generator = SystemRandomNumberGenerator()
        let noise = Data((0..<65536).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try assertHarmsOnlyItself { file in
            try file.seek(toOffset: Self.records)
            try file.write(contentsOf: noise)
        }
    }

    /// Rule 18.8: also where the bodies, the header and the protocol's own words are.
    func testALedgerOfOnesHarmsItsClientAlone() throws {
        try assertHarmsOnlyItself { file in
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(repeating: 0xFF, count: 200_000))
        }
    }

    /// Rule 18.8: claims in the ledger whose bodies cannot be read any more.
    func testLedgerBodiesOfNoiseHarmTheirClientAlone() throws {
        try assertHarmsOnlyItself { file in
            for record in 0..<8 {
                try file.seek(toOffset: Self.records + UInt64(record) * 512 + 40)
                try file.write(contentsOf: Data(repeating: 0x7F, count: 472))
            }
        }
    }

    /// Rule 18.7: a file among the ledgers that is no
    /// ledger does not keep a server from taking over.
    func testStrangeFilesAmongTheLedgers() throws {
        let bystanders = try Bystanders(on: stage)
        let ledgers = stage.runtime + "/ledgers/"
        try Data().write(to: URL(fileURLWithPath: ledgers + "1-a.ledger"))
        try Data(repeating: 0xFF, count: 5000).write(
            to: URL(fileURLWithPath: ledgers + "1-b.ledger"))
        mkdir(ledgers + "1-c.ledger", 0o700)
        symlink("/dev/zero", ledgers + "1-d.ledger")
        mkfifo(ledgers + "1-e.ledger", 0o600)
        symlink(try ledgerName(of: bystanders.a), ledgers + "1-f.ledger")
        bystanders.daemon.end()
        let successor = try stage.daemon()
        try stage.until("the line is as before") { report in
            report.claims.map(\.stage) == [.granted, .waiting]
        }
        XCTAssertFalse(bystanders.b.said("b granted"))
        try bystanders.a.ask("a go", "a released")
        try bystanders.b.expect("b granted")
        // Embedded servers may have served in between.
        _ = successor
    }
}
