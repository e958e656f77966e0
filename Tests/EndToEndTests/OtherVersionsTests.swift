// SPDX-License-Identifier: Apache-2.0
//
// Programs of another version are refused, and named to those that come after them; and the daemon
// is replaced under running programs of its own version (Rule 18.7).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import XCTest

final class OtherVersionsTests: StageTestCase {
    private func daemon() throws -> Program {
        let daemon = try stage.start("daemon", [Products.daemon])
        try daemon.expect("serving", inside: true)
        return daemon
    }

    /// Programs exclude each other, wait in the queue, and present, while the daemon is replaced.
    func testTheDaemonIsReplaced() throws {
        let (file, other) = (try stage.file("f"), try stage.file("g"))
        let former = try daemon()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try a.ask("p present \(other)", "p registered")
        try b.ask("q present \(other)", "q registered")
        try a.ask("a write \(file)", "a granted")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        c.tell("c read \(file)")
        try stage.untilWaits(c)
        former.signal(SIGTERM)
        try former.awaitEnd()
        let latter = try daemon()
        try stage.until("the line is known") { report in
            report.arbiter.processID == latter.pid
                && report.claims.map(\.stage) == [.granted, .waiting, .waiting]
                && report.presenters.count == 2
        }
        try a.ask("a go", "a released")
        try b.expect("b granted")
        XCTAssertFalse(c.said("c granted"))
        try b.ask("b go", "b released")
        try c.ask("c go", "c released")
        try c.ask("w write \(other)", "w granted")
        try a.expect("p relinquish to writer")
        try b.expect("q relinquish to writer")
        try c.ask("w go", "w released")
        try a.expect("p reacquire from writer")
        try b.expect("q reacquire from writer")
    }

    /// A client of another version, older or newer, is refused with a sentence that names both
    /// versions, the server's program and its process, and what to do.
    func testAProgramOfAnotherVersion() throws {
        let server = try daemon()
        let own = ProtocolVersion.current
        for version in [1, own - 1, own + 1, 0x7FFF] {
            let line = try ArbiterLine(runtime: stage.runtime)
            let hello = [1, UInt8(version & 0xFF), UInt8(version >> 8), 1, 2, 3]
            XCTAssertTrue(line.send(hello))
            let refusal = try XCTUnwrap(line.refusal())
            XCTAssertEqual(refusal.code, .wrongVersion)
            let words = [
                "protocol \(version), ", "speaks \(ProtocolVersion.current):",
                "process \(server.pid) of \(Products.daemon)", "install one version of both",
            ]
            for word in words { XCTAssertTrue(refusal.text.contains(word), refusal.text) }
        }
    }

    /// While a program lives whose ledger has another layout, no server starts, because that
    /// program may have access; the error names it.
    func testAProgramWithALedgerOfAnotherLayout() throws {
        let file = try stage.file("f")
        let name = "4194303-a1.ledger"
        XCTAssertEqual(mkdir(stage.runtime, 0o700), 0)
        let runtime = try Directory.open(stage.runtime)
        let ledgers = try runtime.openSubdirectory("ledgers", creatingWithMode: 0o700)
        let stranger = try ledgers.openFile(name, [.read, .write, .create], mode: 0o600)
        // The magic number, layout 1, and the process at byte 32, as in all layouts.
        let header =
            Array("FCLEDGER".utf8) + [1] + [UInt8](repeating: 0, count: 23) + [0xFF, 0xFF, 0x3F, 0]
        XCTAssertEqual(pwrite(stranger.number, header, header.count, 0), header.count)
        XCTAssertTrue(try FileLock.tryLock(stranger))
        let writer = try stage.start(
            "writer", [Products.filecoord, "write", file, "--", "echo", "granted"])
        XCTAssertEqual(try writer.awaitEnd(), 69 << 8)
        try writer.expect("another version", inside: true)
        XCTAssertTrue(writer.lines.contains { $0.contains("(process 4194303)") })
        let daemon = try stage.start("daemon", [Products.daemon])
        XCTAssertEqual(try daemon.awaitEnd(), 69 << 8)
        try daemon.expect("(process 4194303)", inside: true)
        // Its end is what is waited for; nothing else is left to do.
        try FileLock.unlock(stranger)
        let a = try stage.peer("A")
        try a.ask("b write \(file)", "b granted")
        XCTAssertEqual(try ledgers.names().count { $0 == name }, 0)
        try a.ask("b go", "b released")
    }
}
