// SPDX-License-Identifier: Apache-2.0
//
// The asynchronous method, among processes (Rule 13).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class LaterAccessTests: StageTestCase {
    //  A                       B
    //  read(f) granted
    //                          later write(f)+read(g) waits
    //  returns
    //                          accessor starts
    //  read(f) waits
    //                          returns
    //  granted
    //
    /// Rules 13.1, 13.2 and 13.4.
    func testTheAccessorRunsOnceAndHoldsUntilItReturns() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a read \(f)", "a granted")
        try b.ask("b later write:\(f) read:\(g)", "b asked")
        try stage.untilWaits(b)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        a.tell("a read \(f)")
        try stage.untilWaits(a)
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(f) \(g)")
        try b.ask("b go", "b returns")
        try a.expect("a granted")
        XCTAssertEqual(b.count("b granted"), 1)
    }

    //  A                       B
    //  later write(f), on a queue that stands still: granted
    //                          read(f) waits
    //  queue runs: accessor starts, returns
    //                          granted
    //
    /// Rule 13.2.
    func testTheClaimIsHeldWhileTheQueueStandsStill() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a later queue=suspended write:\(file)", "a asked")
        try stage.until(a, has: 1, .granted)
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        XCTAssertFalse(a.said("a granted"))
        try a.ask("a resume", "a granted")
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a put new", "a put")
        try a.ask("a go", "a returns")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
    }

    //  A
    //  later write(f) 1, 2, 3, each with a coordinator of its own: granted in that order
    //
    /// Rule 2.14.
    func testLaterAccessesComeInTheirOrder() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try b.ask("b write \(file)", "b granted")
        for number in 1...3 {
            try a.ask("\(number) later write:\(file)", "\(number) asked")
            try stage.until(a, has: number, .waiting)
        }
        try b.ask("b go", "b released")
        for number in 1...3 {
            try a.expect("\(number) granted")
            try stage.until(a, has: 3 - number, .waiting)
            XCTAssertFalse(a.said("\(number + 1) granted"))
            try a.ask("\(number) go", "\(number) returns")
        }
    }

    //  A
    //  later write(f) 1 and 2 with one coordinator: both granted
    //
    /// Rule 13.5.
    func testLaterAccessesOfOneCoordinatorOverlap() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("1 later using=c write:\(file)", "1 granted")
        try a.ask("2 later using=c write:\(file)", "2 granted")
        try a.ask("1 go", "1 returns")
        try a.ask("2 go", "2 returns")
        try stage.untilNoClaimHolds()
    }

    /// Rule 13.1: the error of an invalid call reaches the accessor, and the access is over.
    func testMistakesReachTheAccessor() throws {
        let a = try stage.peer("A")
        XCTAssertEqual(
            try a.ask("1 later write:/\(String(repeating: "x", count: 5000))", "1 failed"),
            "1 failed NSCocoaErrorDomain 514")
        try a.ask("2 later", "2 granted")
    }
}

/// The same with the daemon.
final class LaterAccessWithDaemonTests: LaterAccessTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
