// SPDX-License-Identifier: Apache-2.0
//
// Which process waits for which (Rules 2 and 3).

import XCTest

class ExclusionTests: StageTestCase {
    /// Two processes are told to do one thing each; asserts that the second waits for the first.
    func assertWaits(_ second: String, for first: String) throws {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a " + first, "a granted")
        b.tell("b " + second)
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b granted"), "\(second) beside \(first)")
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
    }

    /// Asserts that the second is granted while the first holds.
    func assertOverlaps(_ second: String, with first: String) throws {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a " + first, "a granted")
        try b.ask("b " + second, "b granted")
        try a.ask("a go", "a released")
        try b.ask("b go", "b released")
    }

    //  A                       B
    //  write(f) granted
    //                          read(f) waits
    //  puts "new"
    //  returns
    //                          granted, finds "new"
    //
    /// Rule 2.2.
    func testAReaderWaitsForAWriterAndSeesWhatItWrote() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
    }

    //  A                       B
    //  read(f) granted
    //                          write(f) waits
    //  returns
    //                          granted
    //
    /// Rule 2.2.
    func testAWriterWaitsForAReader() throws {
        let file = try stage.file("f")
        try assertWaits("write \(file)", for: "read \(file)")
    }

    //  A                       B
    //  write(f) granted
    //                          write(f) waits
    //  returns
    //                          granted
    //
    /// Rule 2.3.
    func testAWriterWaitsForAWriter() throws {
        let file = try stage.file("f")
        try assertWaits("write \(file)", for: "write \(file)")
    }

    //  A                       B
    //  read(f) granted
    //                          read(f) granted
    //
    /// Rule 2.1.
    func testReadersOverlap() throws {
        let file = try stage.file("f")
        try assertOverlaps("read \(file)", with: "read \(file)")
    }

    //  A                       B
    //  write(f) granted
    //                          write(g) granted
    //
    /// Rule 2.15.
    func testWritersOfDifferentItemsOverlap() throws {
        try assertOverlaps("write \(stage.path("g"))", with: "write \(stage.path("f"))")
    }

    //  A                       B                       C
    //  write(f) + write(g)
    //                          read(f) waits
    //                                                  read(g) waits
    //  returns
    //                          granted                 granted
    //
    /// Rule 2.13.
    func testTwoItemsAreOneClaim() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("a writewrite \(f) \(g)", "a granted")
        b.tell("b read \(f)")
        c.tell("c read \(g)")
        try stage.untilWaits(b)
        try stage.untilWaits(c)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try c.expect("c granted")
    }

    //  A                       B                       C
    //  write(f) granted
    //                          read(g)+write(f) waits
    //                                                  write(g) waits: B came first
    //                                                  (B holds nothing while it waits)
    //  returns
    //                          granted
    //                          returns
    //                                                  granted
    //
    /// Rules 2.13 and 2.14.
    func testReadAndWriteWaitTogetherAndHoldNothingMeanwhile() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        let d = try stage.peer("D")
        try a.ask("a write \(f)", "a granted")
        b.tell("b readwrite \(g) \(f)")
        try stage.untilWaits(b)
        // A read of what B only reads blocks no other claim (Rule 2.1).
        try d.ask("d read \(g)", "d granted")
        try d.ask("d go", "d released")
        c.tell("c write \(g)")
        try stage.untilWaits(c)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        XCTAssertFalse(c.said("c granted"))
        try b.ask("b go", "b released")
        try c.expect("c granted")
    }

    //  A                       B                       C
    //  read(f) granted
    //                          write(f) waits
    //                                                  read(f) waits behind B
    //  returns
    //                          granted
    //                          returns
    //                                                  granted
    //
    /// Rule 2.14.
    func testFirstComeFirstServed() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("a read \(file)", "a granted")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        c.tell("c read \(file)")
        try stage.untilWaits(c)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try stage.untilWaits(c)
        XCTAssertFalse(c.said("c granted"))
        try b.ask("b put new", "b put")
        try b.ask("b go", "b released")
        XCTAssertEqual(try c.expect("c granted"), "c granted new")
    }

    //  A, thread 1             A, thread 2
    //  write(f), coordinator c
    //                          write(f), coordinator c: granted as well
    //
    /// Rules 2.10 and 2.11.
    func testOneCoordinatorDoesNotExcludeItself() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("1 write \(file) using=c", "1 granted")
        try a.ask("2 write \(file) using=c", "2 granted")
        try a.ask("2 go", "2 released")
        try a.ask("1 go", "1 released")
    }

    //  A                       B
    //  write(f), purpose x
    //                          write(f), purpose x: granted as well
    //                          write(f), purpose y: waits
    //
    /// Rule 2.10.
    func testEqualPurposesOverlapAcrossProcesses() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("x coordinator purpose=org.example.x", "x made")
        try b.ask("x coordinator purpose=org.example.x", "x made")
        try b.ask("y coordinator purpose=org.example.y", "y made")
        try a.ask("a write \(file) using=x", "a granted")
        try b.ask("b write \(file) using=x", "b granted")
        b.tell("c write \(file) using=y")
        try stage.untilWaits(b)
        try b.ask("b go", "b released")
        try stage.untilWaits(b)
        try a.ask("a go", "a released")
        try b.expect("c granted")
    }

    //  A                       B
    //  write(f), a purpose of 1,501 bytes
    //                          write(f), the same one: granted as well
    //                          write(f), one that differs in its last byte: waits
    //
    /// Rule 2.10, for purposes of which records have only a digest.
    func testLongPurposesWithTheSameBeginningExcludeEachOther() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let beginning = String(repeating: "p", count: 1500)
        try a.ask("x coordinator purpose=\(beginning)x", "x made")
        try b.ask("x coordinator purpose=\(beginning)x", "x made")
        try b.ask("y coordinator purpose=\(beginning)y", "y made")
        try a.ask("a write \(file) using=x", "a granted")
        try b.ask("b write \(file) using=x", "b granted")
        b.tell("c write \(file) using=y")
        try stage.untilWaits(b)
        try b.ask("b go", "b released")
        try a.ask("a go", "a released")
        try b.expect("c granted")
    }

    //  A, thread 1             A, thread 2
    //  write(f), made with P
    //                          write(f), another one made with P: granted as well
    //
    /// Rule 2.11.
    func testCoordinatorsOfOnePresenterOverlap() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("p present \(file)", "p registered")
        try a.ask("c coordinator presenter=p", "c made")
        try a.ask("d coordinator presenter=p", "d made")
        try a.ask("1 write \(file) using=c", "1 granted")
        try a.ask("2 write \(file) using=d", "2 granted")
        try a.ask("1 go", "1 released")
        try a.ask("2 go", "2 released")
        XCTAssertFalse(a.lines.contains { $0.hasPrefix("p relinquish") }, "own presenter asked")
    }

    //  A, thread 1             A, thread 2
    //  write(f), nil
    //                          write(f), another nil: waits
    //  returns
    //                          granted
    //
    /// Rule 2.12.
    func testTwoCoordinatorsWithoutPresenterExcludeEachOtherInOneProcess() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("1 write \(file)", "1 granted")
        a.tell("2 write \(file)")
        try stage.untilWaits(a)
        XCTAssertFalse(a.said("2 granted"))
        try a.ask("1 go", "1 released")
        try a.expect("2 granted")
    }

    //  A                       B
    //  read(f) granted
    //                          write(f) waits
    //    nested write(f), same coordinator: granted, past B
    //    nested read(f) in that
    //  returns from all
    //                          granted
    //
    /// Rules 2.17, 3.1 and 3.2, in every order.
    func testNestedCallsOfOneCoordinatorNeverBlockThemselves() throws {
        let file = try stage.file("f")
        for outer in ["read", "write"] {
            for inner in ["read", "write"] {
                let a = try stage.peer("A")
                let b = try stage.peer("B")
                try a.ask("1 \(outer) \(file) using=c", "1 granted")
                b.tell("b write \(file)")
                try stage.untilWaits(b)
                try a.ask("1 nest 2 \(inner) \(file) using=c", "2 granted")
                try a.ask("2 nest 3 \(outer) \(file) using=c", "3 granted")
                try a.ask("3 go", "3 released")
                try a.ask("2 go", "2 released")
                XCTAssertFalse(b.said("b granted"), "\(inner) in \(outer)")
                try a.ask("1 go", "1 released")
                try b.expect("b granted")
                try b.ask("b go", "b released")
                try a.leave()
                try b.leave()
            }
        }
    }

    //  A                       B
    //  write(f), throws nothing, changes nothing, many times
    //                          the same
    //
    /// Rule 2.20: a claim ends when its accessor returns, so that the next one always comes.
    func testManyShortClaimsInTurn() throws {
        let file = try stage.file("f", "0")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        a.tell("a count \(file) 200")
        b.tell("b count \(file) 200")
        try a.expect("a counted")
        try b.expect("b counted")
        XCTAssertEqual(stage.text(file), "400")
    }
}

/// The same with the daemon.
final class ExclusionWithDaemonTests: ExclusionTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
