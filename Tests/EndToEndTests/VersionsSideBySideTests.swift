// SPDX-License-Identifier: Apache-2.0
//
// Programs and servers of two versions of the protocol, side by side, and the daemon replaced under
// running programs (Rule 18.7). The old programs are today's, told to speak the first version only.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class VersionsSideBySideTests: StageTestCase {
    private let old = ["FILECOORDINATION_PROTOCOL": "1"]

    private func daemon(_ environment: [String: String] = [:]) throws -> Program {
        let daemon = try stage.start("daemon", [Products.daemon], environment: environment)
        try daemon.expect("serving", inside: true)
        return daemon
    }

    private func version() throws -> UInt16 {
        try stage.until("an arbiter answers") { _ in true }.arbiter.protocolVersion
    }

    /// An old and a new program exclude each other, wait in the queue, and present, while the
    /// daemon is replaced by one of the other version.
    private func assertReplaced(_ first: [String: String], by second: [String: String]) throws {
        let (file, other) = (try stage.file("f"), try stage.file("g"))
        let former = try daemon(first)
        let before = try version()
        let older = try stage.peer("older", environment: old)
        let newer = try stage.peer("newer")
        let third = try stage.peer("third", environment: old)
        try older.ask("p present \(other)", "p registered")
        try newer.ask("q present \(other)", "q registered")
        try older.ask("a write \(file)", "a granted")
        newer.tell("b write \(file)")
        try stage.untilWaits(newer)
        third.tell("c read \(file)")
        try stage.untilWaits(third)
        former.signal(SIGTERM)
        try former.awaitEnd()
        let latter = try daemon(second)
        try stage.until("the line is known") { report in
            report.arbiter.processID == latter.pid
                && report.claims.map(\.stage) == [.granted, .waiting, .waiting]
                && report.presenters.count == 2
        }
        XCTAssertNotEqual(try version(), before)
        try older.ask("a go", "a released")
        try newer.expect("b granted")
        XCTAssertFalse(third.said("c granted"))
        try newer.ask("b go", "b released")
        try third.ask("c go", "c released")
        try third.ask("w write \(other)", "w granted")
        try older.expect("p relinquish to writer")
        try newer.expect("q relinquish to writer")
        try third.ask("w go", "w released")
        try older.expect("p reacquire from writer")
        try newer.expect("q reacquire from writer")
    }

    func testTheDaemonIsReplacedByANewerOne() throws { try assertReplaced(old, by: [:]) }

    func testTheDaemonIsReplacedByAnOlderOne() throws { try assertReplaced([:], by: old) }

    /// A client does not send an old server what only the second version can say: the wait goes on
    /// until a program ends it, and nothing else goes wrong.
    func testANewProgramAndAnOldServer() throws {
        let file = try stage.file("f")
        _ = try daemon(old)
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(file) calls=save:write:\(file) timeout=0.5", "p registered")
        try b.ask("r read \(file)", "r granted")
        XCTAssertFalse(a.said("p.inside failed"))
        try b.ask("r go", "r released")
        try a.ask("p.inside go", "p.inside released")
    }

    /// A client of an unknown version is refused with an error that names the versions.
    func testAProgramOfAnUnknownVersion() throws {
        _ = try daemon()
        let line = try ArbiterLine(runtime: stage.runtime)
        XCTAssertTrue(line.send([1, 0xFF, 0x7F, 1, 2, 3]))
        let refusal = try XCTUnwrap(line.refusal())
        XCTAssertEqual(refusal.code, .wrongVersion)
        XCTAssertTrue(refusal.text.contains("1 to \(ProtocolVersion.current)"), refusal.text)
    }
}
