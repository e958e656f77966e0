// SPDX-License-Identifier: Apache-2.0
//
// cancel(), among processes (Rule 12).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class CancellingTests: StageTestCase {
    private static let cancelled = "NSCocoaErrorDomain 3072"

    //  A                       B                       C
    //  write(f) granted
    //                          read(f) waits
    //                                                  read(f) waits
    //                          cancel: returns 3072
    //                          read(g): 3072 at once
    //  returns
    //                                                  granted
    //
    /// Rules 12.1, 12.2, 12.4, 12.6, 17.1 and 17.5.
    func testCancellingEndsAWaitForGood() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("a write \(f)", "a granted")
        b.tell("b read \(f) using=c")
        c.tell("c read \(f)")
        try stage.untilWaits(b)
        try stage.untilWaits(c)
        try b.ask("x cancel c", "x cancelled")
        XCTAssertEqual(try b.expect("b failed"), "b failed \(Self.cancelled)")
        try stage.until(b, has: 0, .waiting)
        XCTAssertEqual(try b.ask("d read \(g) using=c", "d failed"), "d failed \(Self.cancelled)")
        XCTAssertEqual(
            try b.ask("e later using=c write:\(g)", "e failed"), "e failed \(Self.cancelled)")
        XCTAssertFalse(c.said("c granted"))
        try a.ask("a go", "a released")
        try c.expect("c granted")
    }

    //  A
    //  write(f), coordinator c: granted
    //  cancel c
    //  nested write(g), coordinator c: 3072
    //  returns without error
    //
    /// Rules 12.3 and 12.7.
    func testARunningAccessorIsNotDisturbed() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(f) using=c", "a granted")
        b.tell("b read \(f)")
        try stage.untilWaits(b)
        try a.ask("x cancel c", "x cancelled")
        XCTAssertEqual(
            try a.ask("a nest n write \(g) using=c", "n failed"), "n failed \(Self.cancelled)")
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"))
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
    }

    //  A                       B
    //  write(f) granted
    //                          read(f), coordinator c: waits
    //                          read(f), coordinator d with the same purpose: waits
    //                          cancel c
    //  returns
    //                          d granted
    //
    /// Rule 12.6.
    func testCoordinatorsOfEqualPurposeAreNotCancelled() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try b.ask("c coordinator purpose=org.example", "c made")
        try b.ask("d coordinator purpose=org.example", "d made")
        try a.ask("a write \(file)", "a granted")
        b.tell("1 read \(file) using=c")
        b.tell("2 read \(file) using=d")
        try stage.until(b, has: 2, .waiting)
        try b.ask("x cancel c", "x cancelled")
        XCTAssertEqual(try b.expect("1 failed"), "1 failed \(Self.cancelled)")
        try a.ask("a go", "a released")
        try b.expect("2 granted")
    }

    //  A                       B
    //  write(f) granted
    //                          later read(f) waits
    //                          cancel: accessor gets 3072
    //
    /// Rule 12.2.
    func testALaterAccessGetsTheErrorInItsAccessor() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        try b.ask("b later using=c read:\(file)", "b asked")
        try stage.untilWaits(b)
        try b.ask("x cancel c", "x cancelled")
        XCTAssertEqual(try b.expect("b failed"), "b failed \(Self.cancelled)")
        XCTAssertEqual(b.count("b failed"), 1)
        XCTAssertFalse(b.said("b granted"))
    }

    //  presenter               B
    //  relinquish to writer
    //                          write(f) waits for the answer
    //                          cancel: 3072
    //  answers at last
    //  reacquires
    //
    /// Rules 8.4, 8.6 and 12.5.
    func testCancellingWhilePresentersAreAskedLetsThemReacquire() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let b = try stage.peer("B")
        try presenter.ask("p present \(file) hold=relinquish", "p registered")
        b.tell("b write \(file) using=c")
        try presenter.expect("p relinquish to writer")
        try stage.until(b, has: 1, .asking)
        try b.ask("x cancel c", "x cancelled")
        XCTAssertEqual(try b.expect("b failed"), "b failed \(Self.cancelled)")
        XCTAssertFalse(presenter.said("p reacquire from writer"))
        presenter.tell("x answer p")
        try presenter.expect("p reacquire from writer")
        XCTAssertFalse(presenter.said("p did change"))
    }

    //  presenter               B
    //  relinquishes, is asked to save and does not answer
    //                          read(f) waits for the answer
    //                          cancel: 3072
    //  reacquires
    //                          read(f) again, another coordinator: asked again
    //
    /// Rules 8.4 and 12.5.
    func testCancellingAfterRelinquishingLetsThemReacquireAtOnce() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let b = try stage.peer("B")
        try presenter.ask("p present \(file) hold=save", "p registered")
        b.tell("b read \(file) using=c")
        try presenter.expect("p save")
        try b.ask("x cancel c", "x cancelled")
        try b.expect("b failed \(Self.cancelled)")
        try presenter.expect("p reacquire from reader")
        b.tell("d read \(file)")
        try presenter.expect("p save")
        // The answer to the first question comes late, and is no answer to the second.
        presenter.tell("x answer p")
        try stage.until(b, has: 1, .asking)
        presenter.tell("x answer p")
        try b.expect("d granted")
    }
}

/// The same with the daemon.
final class CancellingWithDaemonTests: CancellingTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
