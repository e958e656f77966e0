// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes that follow a final link, hop by hop (Rules 1.4 to 1.6 and 2.25).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class LinkTests: StageTestCase {
    //  A                            B                      C
    //  read(d/f0) ... read(d/f9)
    //                               write(e/f5) granted
    //                                                      d is moved away, and is a link to e now
    //  read(d/f5) waits, read(d/new) waits
    //                               returns
    //  granted
    //
    /// Rule 1.15: the client notices it also if it has remembered much of the directory.
    func testADirectoryThatHasBecomeALinkIsNoticed() throws {
        try stage.folder("d")
        try stage.folder("e")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        for number in 0..<10 {
            let file = try stage.file("d/f\(number)")
            try a.ask("a read \(file)", "a granted")
            try a.ask("a go", "a released")
        }
        try b.ask("b writewrite \(stage.path("e/f5")) \(stage.path("e/new"))", "b granted")
        rename(stage.path("d"), stage.path("away"))
        symlink(stage.path("e"), stage.path("d"))
        a.tell("one read \(stage.path("d/f5"))")
        a.tell("two read \(stage.path("d/new"))")
        try stage.until(a, has: 2, .waiting)
        try b.ask("b go", "b released")
        for name in ["one", "two"] {
            try a.expect("\(name) granted")
            try a.ask("\(name) go", "\(name) released")
        }
    }

    //  A                               B
    //  write(target) granted
    //                                  read(one, resolvesSymbolicLink): waits, at the target
    //  returns
    //                                  granted, with the target's URL
    //
    /// Rule 1.5: through a chain, the last of which is relative.
    func testAReadFollowsAChainOfLinksAndWaitsWhereItLeads() throws {
        try stage.folder("d")
        let target = try stage.file("d/f", "text")
        symlink(stage.path("two"), stage.path("one"))
        symlink("d/f", stage.path("two"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(target)", "a granted")
        b.tell("b read \(stage.path("one")) options=resolvesSymbolicLink")
        try stage.until("B waits at the target") { status in
            status.claims.contains {
                $0.processID == b.pid && $0.stage == .waiting
                    && $0.items.first?.path.description == target
            }
        }
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(target)")
        // The claim is on the target now, and no more on the link.
        try a.ask("a write \(stage.path("one"))", "a granted")
        try a.ask("a go", "a released")
        try b.ask("b go", "b released")
    }

    /// Rule 1.5: the link is read when the claim on it is granted, not when it is filed.
    func testTheLinkCountsAsItIsWhenTheClaimIsGranted() throws {
        let (first, second) = (try stage.file("first", "1"), try stage.file("second", "2"))
        let link = stage.path("link")
        symlink(first, link)
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(link)", "a granted")
        b.tell("b read \(link) options=resolvesSymbolicLink")
        try stage.untilWaits(b)
        unlink(link)
        symlink(second, link)
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted 2")
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(second)")
        try b.ask("b go", "b released")
    }

    //  presenter of the target         reader
    //                                  read(link, resolvesSymbolicLink)
    //  is asked to save
    //
    /// Rule 1.5: presenters at the target are asked; and in the asynchronous form, too (13.4).
    func testPresentersOfTheTargetAreAsked() throws {
        let target = try stage.file("f")
        symlink(target, stage.path("link"))
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(target) unsaved=unsaved", "p registered")
        let order = "\(stage.path("link")) options=resolvesSymbolicLink"
        XCTAssertEqual(try reader.ask("r read \(order)", "r granted"), "r granted unsaved")
        try reader.ask("r go", "r released")
        try presenter.expect("p reacquire from reader")
        try reader.ask("l later read:\(stage.path("link")):resolvesSymbolicLink", "l asked")
        XCTAssertEqual(try reader.expect("l granted"), "l granted unsaved")
        XCTAssertEqual(try reader.ask("l url", "l urls"), "l urls \(target)")
        try reader.ask("l go", "l returns")
        XCTAssertEqual(presenter.count("p save"), 2)
    }

    /// Rules 1.5, 1.10 and 17.3: a loop is an error, and a link to nowhere leads there.
    func testALoopIsAnErrorAndALinkToNowhereIsNone() throws {
        symlink(stage.path("there"), stage.path("here"))
        symlink(stage.path("here"), stage.path("there"))
        symlink(stage.path("nowhere"), stage.path("lost"))
        let a = try stage.peer("A")
        try a.ask(
            "a read \(stage.path("here")) options=resolvesSymbolicLink",
            "a failed NSCocoaErrorDomain 256")
        try a.ask("a read \(stage.path("lost")) options=resolvesSymbolicLink", "a granted")
        XCTAssertEqual(try a.ask("a url", "a urls"), "a urls \(stage.path("nowhere"))")
        try a.ask("a go", "a released")
        // No claim of the refused read is left.
        try a.ask("a write \(stage.path("here"))", "a granted")
        try a.ask("a go", "a released")
    }

    //  A                               B                       presenter of the target
    //  write(target) granted
    //                                  write(one, resolvesSymbolicLink): waits, at the target
    //  returns
    //                                                          is asked to relinquish
    //                                  granted, with the target's URL
    //
    /// Rule 2.25: the link itself is read, whatever is to happen to the target.
    func testAWriteFollowsAChainOfLinksIfAsked() throws {
        try stage.folder("d")
        let target = try stage.file("d/f", "text")
        symlink(stage.path("two"), stage.path("one"))
        symlink("d/f", stage.path("two"))
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        let presenter = try stage.peer("presenter")
        try presenter.ask("p present \(target)", "p registered")
        try presenter.ask("q present \(stage.path("one"))", "q registered")
        try a.ask("a write \(target)", "a granted")
        b.tell("b write \(stage.path("one")) options=forMerging,resolvesSymbolicLink")
        try stage.until("B waits at the target") { status in
            status.claims.contains {
                $0.processID == b.pid && $0.stage == .waiting
                    && $0.items.first?.path.description == target
            }
        }
        try a.ask("a go", "a released")
        try b.expect("b granted")
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(target)")
        try presenter.expect("p save")
        XCTAssertEqual(presenter.count("q save"), 0)
        try b.ask("b put new", "b put")
        try b.ask("b go", "b released")
        XCTAssertEqual(try String(contentsOfFile: target, encoding: .utf8), "new")
        // Where there is no link, it makes no difference.
        try b.ask("b write \(target) options=resolvesSymbolicLink", "b granted")
        try b.ask("b go", "b released")
        try b.ask(
            "x batch write:\(target) writing=resolvesSymbolicLink",
            "x failed FileCoordinationErrorDomain")
    }

    /// Rule 2.25: the target counts as it is when the claim on the link is granted, and the link
    /// may have become a file by then.
    func testAWriteOfALinkThatHasBecomeAFileIsAWriteOfThat() throws {
        let (target, link) = (try stage.file("f"), stage.path("link"))
        symlink(target, link)
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        let c = try stage.peer("C")
        try a.ask("a write \(link)", "a granted")
        b.tell("b write \(link) options=resolvesSymbolicLink")
        try stage.untilWaits(b)
        unlink(link)
        try stage.file("link", "text")
        try a.ask("a go", "a released")
        try b.expect("b granted")
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(link)")
        c.tell("c read \(link)")
        try stage.untilWaits(c)
        try b.ask("b go", "b released")
        try c.expect("c granted")
    }

    func testCancellingEndsAWaitAtTheTarget() throws {
        let target = try stage.file("f")
        symlink(target, stage.path("link"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(target)", "a granted")
        try b.ask("c coordinator", "c made")
        b.tell("b read \(stage.path("link")) options=resolvesSymbolicLink using=c")
        try stage.until("B waits at the target") { status in
            status.claims.contains {
                $0.processID == b.pid && $0.items.first?.path.description == target
            }
        }
        try b.ask("x cancel c", "x cancelled")
        try b.expect("b failed NSCocoaErrorDomain 3072")
        try a.ask("a go", "a released")
    }
}

/// The same with the daemon.
final class LinkWithDaemonTests: LinkTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
