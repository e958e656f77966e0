// SPDX-License-Identifier: Apache-2.0
//
// Deadlocks are found when they close, and explained (Rule 18.4), among processes.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class CycleTests: StageTestCase {
    private let deadlock = "failed FileCoordinationErrorDomain 5"

    //  A
    //  write(f) granted
    //  read(f), another coordinator, same thread: fails
    //
    /// Rules 3.3 and 18.4.
    func testACallThatWaitsForItsOwnAccessorFails() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        a.tell("a nest n read \(file) explain")
        try a.expect("n \(deadlock)")
        let words = try a.expect("n because")
        XCTAssertTrue(words.contains("pid \(a.pid)") && words.contains(file), words)
        try a.ask("a go", "a released")
    }

    //  A                       B
    //  write(f) granted        write(g) granted
    //  write(g) waits
    //                          write(f): fails, names both
    //                          returns
    //  granted
    //
    /// Rules 3.4, 13.5 and 18.4: mirror images in two processes.
    func testTwoThatNestInOppositeOrder() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(f)", "a granted")
        try b.ask("b write \(g)", "b granted")
        a.tell("a nest n write \(g)")
        try stage.untilWaits(a)
        b.tell("b nest n write \(f) explain")
        try b.expect("n \(deadlock)")
        let words = try b.expect("n because")
        for part in ["pid \(a.pid)", "pid \(b.pid)", f, g] {
            XCTAssertTrue(words.contains(part), words)
        }
        try b.ask("b go", "b released")
        try a.expect("n granted")
        try a.ask("n go", "n released")
        try a.ask("a go", "a released")
    }

    /// Rule 18.4: asynchronous calls, and calls of other threads, hold up no accessor.
    func testNoAlarmWhereOneCallCanGoOn() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(f)", "a granted")
        try b.ask("b write \(g)", "b granted")
        a.tell("a nest n write \(g)")
        try stage.untilWaits(a)
        try b.ask("b nest l later write:\(f)", "l asked")
        b.tell("t write \(f)")
        try stage.until("B has two that wait") { report in
            report.claims.count { $0.processID == b.pid && $0.stage == .waiting } == 2
        }
        try b.ask("b go", "b released")
        try a.expect("n granted")
        try a.ask("n go", "n released")
        try a.ask("a go", "a released")
        try b.expect("l granted")
        try b.ask("l go", "l returns")
        try b.expect("t granted")
        try b.ask("t go", "t released")
    }
}

/// The same with the daemon.
final class CycleWithDaemonTests: CycleTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
