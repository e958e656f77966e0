// SPDX-License-Identifier: Apache-2.0
//
// Processes that are stopped or frozen while others wait for them (Rules 15.7 and 18.6).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class StoppedTests: StageTestCase {
    /// Sets the scene: a program serves that is never stopped.
    private func server() throws {
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
    }

    //  A                 B              C
    //  write(f) granted
    //                    write(f)
    //                                   write(f)
    //                    stopped
    //  returns
    //                                   granted: B's grant is taken back
    //                    continued
    //                                   returns
    //                    granted
    //
    /// Rule 18.6: a waiter that is stopped is skipped, keeps its number and gets no error.
    func testAStoppedWaiterIsSkipped() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        let (c, d) = (try stage.peer("C"), try stage.peer("D"))
        try a.ask("a write \(file)", "a granted")
        for program in [b, c, d] {
            program.tell("w write \(file)")
            try stage.untilWaits(program)
        }
        try b.stop()
        try a.ask("a go", "a released")
        try c.expect("w granted")
        b.signal(SIGCONT)
        try c.ask("w go", "w released")
        try b.expect("w granted")
        XCTAssertFalse(d.said("w granted"))
        try b.ask("w go", "w released")
        try d.expect("w granted")
        try d.ask("w go", "w released")
    }

    /// Rule 18.6: a claim does not hold that is granted while its process is stopped.
    func testOneThatIsGrantedInItsSleepDoesNotHold() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try a.ask("a write \(file)", "a granted")
        try b.ask("w later write:\(file)", "w asked")
        try stage.untilWaits(b)
        try b.stop()
        try a.ask("a go", "a released")
        try stage.until(b, .granted)
        c.tell("w write \(file)")
        try c.expect("w granted")
        b.signal(SIGCONT)
        try c.ask("w go", "w released")
        try b.expect("w granted")
        try b.ask("w go", "w returns")
    }

    /// Rule 18.6: a holder that is stopped keeps its claim, and status shows it.
    func testAStoppedHolderKeepsItsClaim() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try a.ask("a write \(file)", "a granted")
        try a.stop()
        b.tell("w write \(file)")
        try stage.untilWaits(b)
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        // By now it was looked at: the stopped claim in between is skipped.
        try b.stop()
        try stage.until("B is stepped over") { report in
            let claim = report.claims.first { $0.processID == b.pid }
            return claim?.isStopped == true && claim?.waitsFor.isEmpty == true
        }
        try stage.until("A is shown") { report in
            report.claims.contains { $0.processID == a.pid && $0.isStopped && $0.stage == .granted }
        }
        XCTAssertFalse(c.said("w granted"))
        b.signal(SIGCONT)
        a.signal(SIGCONT)
        try a.ask("a go", "a released")
        try b.expect("w granted")
        try b.ask("w go", "w released")
        try c.expect("w granted")
        try c.ask("w go", "w released")
    }

    //  presenter            reader               writer
    //  stopped
    //                       read(f)
    //                       granted, after two seconds
    //                       returns
    //                                            write(f): granted at once
    //  continued
    //  did change
    //
    /// Rule 18.6: a stopped presenter is passed over, long before its bound, and told to reload.
    func testAStoppedPresenterIsPassedOver() throws {
        let file = try stage.file("f")
        try server()
        let (presenter, other) = (try stage.peer("presenter"), try stage.peer("other"))
        try presenter.ask("p present \(file) timeout=600", "p registered")
        try presenter.stop()
        try other.ask("r read \(file)", "r granted")
        try stage.until("it is shown") { report in
            report.presenters.contains { $0.isStopped && $0.isUnresponsive }
        }
        try other.ask("r go", "r released")
        try other.ask("w write \(file)", "w granted")
        try other.ask("w go", "w released")
        XCTAssertFalse(presenter.said("p save"))
        presenter.signal(SIGCONT)
        try presenter.expect("p did change")
        try stage.until("it is asked again") { $0.presenters.allSatisfy { !$0.isUnresponsive } }
        try other.ask("w write \(file)", "w granted")
        try presenter.expect("p relinquish to writer")
        try other.ask("w go", "w released")
    }

    /// Rule 18.6: a presenter is told to reload when it continues, although it sends no message
    /// then and no claim waits any more.
    func testAStoppedPresenterThatGoesOnInSilence() throws {
        let file = try stage.file("f")
        try server()
        let (presenter, other) = (try stage.peer("presenter"), try stage.peer("other"))
        try presenter.ask("p present \(file) hold=relinquish timeout=600", "p registered")
        try presenter.stop()
        try other.ask("r read \(file)", "r granted")
        try other.ask("r go", "r released")
        try stage.untilNoClaimHolds()
        presenter.signal(SIGCONT)
        try presenter.expect("p did change")
    }

    /// Rule 18.6: a claim that asks presenters when its process is stopped is skipped as well.
    func testOneThatIsStoppedWhilePresentersAreAsked() throws {
        let file = try stage.file("f")
        try server()
        let (editor, b, c) = (try stage.peer("editor"), try stage.peer("B"), try stage.peer("C"))
        try editor.ask("p present \(file) hold=relinquish", "p registered")
        b.tell("w write \(file)")
        try editor.expect("p relinquish to writer")
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        try b.stop()
        try stage.until(c, .asking)
        // By its answer to the former question the
        // presenter relinquishes; it reacquires (Rule 8.6).
        editor.tell("x answer p")
        try editor.expect("p reacquire from writer")
        editor.tell("x answer p")
        try c.expect("w granted")
        try c.ask("w go", "w released")
        try editor.expect("p reacquire from writer")
        b.signal(SIGCONT)
        editor.tell("x answer p")
        try b.expect("w granted")
        XCTAssertEqual(editor.count("p relinquish to writer"), 3)
        try b.ask("w go", "w released")
    }

    /// Rules 18.6 and 18.7: the next server also skips
    /// a waiter that was stopped when the server died.
    func testAStoppedWaiterAndAServerThatDies() throws {
        let file = try stage.file("f")
        let former = Self.serving == .embedded ? try stage.firstProgram("server").pid : nil
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try a.ask("a write \(file)", "a granted")
        b.tell("w write \(file)")
        try stage.untilWaits(b)
        try b.stop()
        c.tell("w write \(file)")
        try stage.untilWaits(c)
        kill(try former ?? stage.arbiter(), SIGKILL)
        try a.ask("a go", "a released")
        try c.expect("w granted")
        b.signal(SIGCONT)
        try c.ask("w go", "w released")
        try b.expect("w granted")
        try b.ask("w go", "w released")
    }

    /// Rule 18.6: a program can choose Apple's behaviour:
    /// a wait fails if others were granted before.
    func testAWaitThatFailsBecauseOthersWentBefore() throws {
        let file = try stage.file("f")
        try server()
        let (a, b, c) = (try stage.peer("A"), try stage.peer("B"), try stage.peer("C"))
        try b.ask("s suspension cancels", "s set")
        try a.ask("a write \(file)", "a granted")
        for program in [b, c] {
            program.tell("w write \(file)")
            try stage.untilWaits(program)
        }
        try b.stop()
        try a.ask("a go", "a released")
        try c.expect("w granted")
        b.signal(SIGCONT)
        try b.expect("w failed NSCocoaErrorDomain 3072")
        try c.ask("w go", "w released")
    }

    /// Rule 18.6: a frozen control group does not show in the state of the process.
    func testAFrozenPresenterIsPassedOver() throws {
        let group = "/sys/fs/cgroup/freezer/fc-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        try XCTSkipUnless(mkdir(group, 0o700) == 0, "Groups cannot be made here: errno \(errno)")
        defer { rmdir(group) }
        let file = try stage.file("f")
        try server()
        let (presenter, other) = (try stage.peer("presenter"), try stage.peer("other"))
        try presenter.ask("p present \(file) timeout=600", "p registered")
        func say(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: group + "/" + name))
        }
        try say("\(presenter.pid)", to: "cgroup.procs")
        try say("FROZEN", to: "freezer.state")
        defer {
            try? say("THAWED", to: "freezer.state")
            presenter.end()
        }
        try other.ask("r read \(file)", "r granted")
        try other.ask("r go", "r released")
        try say("THAWED", to: "freezer.state")
        try presenter.expect("p did change")
    }
}

/// The same with the daemon.
final class StoppedWithDaemonTests: StoppedTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
