// SPDX-License-Identifier: Apache-2.0
//
// Presenters that come and go, also while they are asked (Rules 5.1 to 5.8 and 15.8).

import FileCoordinationWire
import XCTest

class PresenterRegistrationTests: StageTestCase {
    //  presenter               writer
    //                          write(f)
    //  relinquish, does not answer
    //  is removed
    //                          granted
    //
    /// Rule 5.7.
    func testRemovalFreesWhoWaits() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) never=relinquish", "p registered")
        writer.tell("w write \(file)")
        try presenter.expect("p relinquish to writer")
        try presenter.ask("x remove p", "x removed")
        try writer.expect("w granted")
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        try presenter.ask("y present \(file)", "y registered")
        try writer.ask("w write \(file)", "w granted")
        XCTAssertEqual(presenter.count("p"), 2, "\(presenter.lines)")
    }

    /// Rules 5.7 and 5.8: a presenter may leave from inside its own callback.
    func testAPresenterMayLeaveWhileItIsAsked() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) leaves never=accommodate", "p registered")
        try writer.ask("w write \(file) options=forDeleting", "w granted")
        try presenter.expect("p left")
    }

    //  presenter               writer
    //                          write(f)
    //  relinquish, does not answer
    //  killed
    //                          granted
    //
    /// Rule 15.8.
    func testThePresentersDeathFreesWhoWaits() throws {
        let file = try stage.file("f")
        let writer = try stage.peer("writer")
        try writer.ask("w read \(file)", "w granted")
        try writer.ask("w go", "w released")
        let presenter = try stage.peer("presenter")
        try presenter.ask("p present \(file) never=relinquish", "p registered")
        writer.tell("w write \(file)")
        try presenter.expect("p relinquish to writer")
        presenter.end()
        try writer.expect("w granted")
    }

    //  A
    //  write(f) granted
    //    adds a presenter of f: returns at once
    //  returns
    //
    /// Rule 5.4.
    func testAddingAPresenterInsideAnAccessor() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file)", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("a nest p present \(file) unsaved=unsaved", "p registered")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted unsaved")
        try a.expect("p saved")
        assertSaid(a, ["p registered", "p relinquish to reader", "p save", "p saved"])
    }

    //  server      A
    //  is stopped
    //              adds p: waits for the server
    //              adds p on another thread: waits, too
    //  goes on
    //              both return
    //
    /// Rules 5.2 and 5.4: of two threads that add a presenter, none goes on before the server knows
    /// it.
    func testASecondThreadThatAddsAPresenterWaitsForTheServer() throws {
        let file = try stage.file("f")
        let (server, a) = (try stage.peer("server"), try stage.peer("A"))
        for program in [server, a] {
            try program.ask("w read \(file)", "w granted")
            try program.ask("w go", "w released")
        }
        let arbiter = try stage.arbiter()
        XCTAssertNotEqual(arbiter, a.pid)
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        a.tell("p present \(file)")
        while try a.ask("x presenters", "x presenters") != "x presenters 1" {}
        a.tell("x again p")
        // Without the wait, it is over long before these are.
        for _ in 0..<20 { try a.ask("x presenters", "x presenters") }
        XCTAssertFalse(a.said("x added"))
        kill(arbiter, SIGCONT)
        try a.expect("p registered")
        try a.expect("x added")
    }

    /// Rules 5.1 and 5.2: registering and removing are idempotent.
    func testRegisteringTwiceAndRemovingTwice() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("p present \(file)", "p registered")
        XCTAssertEqual(try a.ask("x presenters", "x presenters"), "x presenters 1")
        try a.ask("x again p", "x added")
        XCTAssertEqual(try a.ask("x presenters", "x presenters"), "x presenters 1")
        try a.ask("x remove p", "x removed")
        try a.ask("x remove p", "x removed")
        XCTAssertEqual(try a.ask("x presenters", "x presenters"), "x presenters 0")
        try stage.until("no presenters") { $0.presenters.isEmpty }
    }
}

/// The same with the daemon.
final class PresenterRegistrationWithDaemonTests: PresenterRegistrationTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
