// SPDX-License-Identifier: Apache-2.0
//
// Conditions that otherwise come only after days: epochs that run out, a daemon without any client,
// and a program that locks its memory.

import FileCoordinationWire
import XCTest

final class LongRunTests: StageTestCase {
    /// Rule 18.7: each server takes a number, of which there are 16,777,215.
    func testEpochsBeginAnewWhereNoProgramCoordinates() throws {
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        a.end()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: stage.runtime + "/epoch"))
        file.write(Data([0xFE, 0xFF, 0xFF, 0]))
        try file.close()
        for number in 1...4 {
            let b = try stage.peer("B\(number)")
            try b.ask("b write \(stage.path("f"))", "b granted")
            try b.ask("b go", "b released")
            b.end()
        }
        // The relocation log of the last number is gone, so that no server believes it.
        let logs = try FileManager.default.contentsOfDirectory(atPath: stage.runtime)
            .filter { $0.hasPrefix("places.") }.compactMap { UInt32($0.dropFirst(7)) }
        XCTAssertTrue(logs.allSatisfy { $0 < 16 }, "\(logs)")
    }

    /// Rule 18.7: as long as a process of an epoch lives, numbers do not begin anew.
    func testEpochsDoNotBeginAnewUnderAProgramThatCoordinates() throws {
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        a.end()
        let path = stage.runtime + "/epoch"
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        file.write(Data([0xFF, 0xFF, 0x7F, 0]))
        try file.close()
        let holder = try stage.peer("holder")
        try holder.ask("a write \(stage.path("f"))", "a granted")
        let b = try stage.peer("B")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        let epoch = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(4)
        XCTAssertGreaterThan(epoch.reversed().reduce(0) { $0 << 8 | UInt32($1) }, 0x7FFFFF)
        try holder.ask("a go", "a released")
        try b.expect("b granted")
    }

    /// An idle daemon ends although its last client does not read its connection any more.
    func testTheDaemonLeavesAfterAClientThatDoesNotHear() throws {
        let daemon = try stage.daemon("--idle-exit", "1")
        let line = try ArbiterLine(runtime: stage.runtime)
        line.stopListening()
        line.send(ClientMessage.hello(Hello(ledgerName: [])).encode())
        XCTAssertEqual(try daemon.awaitEnd(), 0)
    }

    /// Rule 18.12: if a program locks its memory, the empty part of its ledger takes no memory.
    func testAProgramLocksItsMemory() throws {
        let a = try stage.peer("A")
        let answer = try a.ask("l lockall", "l lockall")
        try XCTSkipUnless(answer == "l lockall 0", "Memory may not be locked here")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let map = stage.kernelText("/proc/\(a.pid)/smaps").split(separator: "\n")
        let ledger = try XCTUnwrap(map.firstIndex { $0.hasSuffix(".ledger") })
        let line = try XCTUnwrap(map[ledger...].first { $0.hasPrefix("Rss:") })
        let size = try XCTUnwrap(Int(line.filter(\.isNumber)))
        XCTAssertLessThan(size, 1024, "kilobytes of the ledger are in memory")
    }
}
