// SPDX-License-Identifier: Apache-2.0
//
// Holds among real processes: granted and released, handed to others that join them and to others
// that know nothing of them, and the death of the process that has one (Rule 18.13).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class AccessHoldTests: StageTestCase {
    /// Programs that hold "f", or want to.
    private func peers(_ names: String...) throws -> (file: String, [Program]) {
        let file = try stage.file("f")
        return (file, try names.map { try stage.peer($0) })
    }

    //  A                       B                       C
    //  hold(f) held
    //                          hold(f) waits
    //  release, again
    //                          held
    //  release again                                   hold(f) waits
    //                          killed
    //                                                  held
    //
    /// Rules 18.13 and 18.8: a hold excludes until it is released, once, or its process dies.
    func testAHoldLastsUntilItIsReleasedOrItsProcessDies() throws {
        let (file, programs) = try peers("A", "B", "C")
        let (a, b, c) = (programs[0], programs[1], programs[2])
        try a.ask("a hold \(file)", "a held \(file)")
        b.tell("b hold \(file)")
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b held"))
        try a.ask("a release", "a released false")
        try b.expect("b held \(file)")
        // A second release takes nothing from another holder.
        try a.ask("a release", "a released false")
        c.tell("c hold \(file)")
        try stage.untilWaits(c)
        b.end()
        try c.expect("c held \(file)")
        try c.ask("c drop", "c dropped")
        try a.ask("a drop", "a dropped")
        try stage.untilNoClaimHolds()
    }

    /// Rule 18.1: the deadline bounds the wait, and leaves nothing in the queue.
    func testADeadlineEndsTheWaitForAHold() throws {
        let (file, programs) = try peers("A", "B")
        let (a, b) = (programs[0], programs[1])
        try a.ask("a hold \(file)", "a held")
        try b.ask("b hold \(file) timeout=0.05", "b timed out")
        XCTAssertEqual(stage.report()?.claims.map(\.processID), [a.pid])
        try a.ask("a drop", "a dropped")
        try b.ask("b hold \(file) timeout=30", "b held")
    }

    //  X            A                  W               B
    //  hold(f)
    //               hold(f) waits
    //                                  hold(f) waits
    //  release
    //               held; join token ─────────────────────► join: held, though W waits
    //               release
    //                                                   release
    //                                  held
    //
    /// Rules 2.10 and 2.17: if a holder hands its hold
    /// over before it releases, the item is never free.
    func testAHoldIsHandedOverPastThoseWhoWait() throws {
        let (file, programs) = try peers("X", "A", "W", "B")
        let (x, a, w, b) = (programs[0], programs[1], programs[2], programs[3])
        try x.ask("x hold \(file)", "x held")
        a.tell("a hold \(file)")
        try stage.untilWaits(a)
        w.tell("w hold \(file)")
        try stage.untilWaits(w)
        try x.ask("x release", "x released")
        try a.expect("a held")
        let joinToken = try a.ask("a joinToken", "a joinToken").split(separator: " ")[2]
        try b.ask("b join \(joinToken)", "b held \(file)")
        // A's death ends only A's part of the hold: B still has the access.
        a.end()
        try stage.until("B alone holds") { report in
            report.claims.filter { $0.stage == .granted }.map(\.processID) == [b.pid]
        }
        XCTAssertFalse(w.said("w held"))
        try b.ask("b release", "b released")
        try w.expect("w held")
    }

    /// While another program has the access, the token of
    /// a released hold gives no access: its user waits.
    func testAJoinTokenOfAHoldThatIsOverWaitsLikeAnyOther() throws {
        let (file, programs) = try peers("A", "B", "C")
        let (a, b, c) = (programs[0], programs[1], programs[2])
        try a.ask("a hold \(file)", "a held")
        let joinToken = try a.ask("a joinToken", "a joinToken").split(separator: " ")[2]
        try a.ask("a release", "a released")
        try b.ask("b hold \(file)", "b held")
        try c.ask("c join \(joinToken) timeout=0.05", "c timed out")
        try c.ask("c join hold1,junk", "c failed FileCoordinationErrorDomain 3")
    }

    //  A                       C             B
    //  hold(f) held
    //  keep while C runs
    //  killed
    //                                        hold(f) waits
    //                          killed
    //                                        held
    //
    /// Rule 18.13: the access lasts until the end of a process that knows nothing of it.
    func testAHoldOutlivesItsProgramForAsLongAsAnotherRuns() throws {
        let (file, programs) = try peers("A", "B", "C")
        let (a, b, c) = (programs[0], programs[1], programs[2])
        try a.ask("a hold \(file)", "a held")
        try a.ask("a keep \(c.pid)", "a kept")
        a.end()
        b.tell("b hold \(file)")
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b held"))
        c.end()
        try b.expect("b held")
        try b.ask("b drop", "b dropped")
        // The keeper may have served until it ended. B needs no arbiter now, so there may be none.
        try stage.untilStatusShowsNoClaim()
    }

    //  A                       keeper          C             B
    //  hold(f) held
    //  keep while C runs
    //  killed
    //                          serves
    //                                                        hold(g) held, dropped
    //                                          killed
    //                          ends
    //                                                        (no arbiter, and no need of one)
    //                                                        hold(f) held
    //
    /// Rules 18.5, 18.7 and 18.13: a keeper may serve; it ends with the process that it waits for.
    func testAKeeperThatServesEndsWithWhatItKeeps() throws {
        let (file, programs) = try peers("A", "B", "C")
        let (a, b, c) = (programs[0], programs[1], programs[2])
        try a.ask("a hold \(file)", "a held")
        try a.ask("a keep \(c.pid)", "a kept")
        a.end()
        // No other program has a claim, or has ever had one.
        let report = try stage.until("the keeper alone holds") { report in
            report.arbiter.processID != a.pid && report.claims.map(\.stage) == [.granted]
                && report.claims[0].processID != a.pid
        }
        let keeper = report.claims[0].processID
        XCTAssertEqual(report.arbiter.processID == keeper, Self.serving == .embedded)
        try b.ask("b hold \(stage.path("g"))", "b held")
        try b.ask("b drop", "b dropped")
        XCTAssertTrue(stage.processesOfThisStage().contains(keeper))
        c.end()
        try stage.untilEnded(keeper)
        try stage.untilStatusShowsNoClaim()
        try b.ask("b hold \(file)", "b held")
    }

    /// Rule 18.13: like a lock on an inherited descriptor,
    /// a hold lasts until the last copy is closed.
    func testAHoldLastsAsLongAsACopyOfItsDescriptor() throws {
        let (file, programs) = try peers("A", "B")
        let (a, b) = (programs[0], programs[1])
        try a.ask("a hold \(file)", "a held")
        let children = try (0..<2).map { _ in
            let line = try a.ask("a spawn", "a spawned")
            return try XCTUnwrap(line.split(separator: " ").last.flatMap { pid_t($0) })
        }
        a.end()
        b.tell("b hold \(file)")
        try stage.untilWaits(b)
        kill(children[0], SIGKILL)
        try stage.untilWaits(b)
        XCTAssertFalse(b.said("b held"))
        kill(children[1], SIGKILL)
        try b.expect("b held")
    }

    /// A release ends this program's part of the hold.
    ///
    /// A keeper keeps its part until its process ends.
    func testReleasingIsNotTakingAway() throws {
        let (file, programs) = try peers("A", "B", "C")
        let (a, b, c) = (programs[0], programs[1], programs[2])
        try a.ask("a hold \(file)", "a held")
        try a.ask("a keep \(c.pid)", "a kept")
        try a.ask("a release", "a released")
        try a.ask("a keep \(c.pid)", "a not handed down")
        b.tell("b hold \(file)")
        try stage.untilWaits(b)
        c.end()
        try b.expect("b held")
    }

    /// If the program that keeps holds cannot be started,
    /// nothing is handed down and the hold stays.
    func testWithoutAKeeperTheHoldStays() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A", environment: ["FILECOORD": "/nonexistent"])
        let b = try stage.peer("B")
        try a.ask("a hold \(file)", "a held")
        try a.ask("a keep \(b.pid)", "a not handed down")
        try a.ask("a spawn", "a not handed down")
        try a.ask("a keep 0", "a not handed down")
        try b.ask("b hold \(file) timeout=0.05", "b timed out")
        try a.ask("a release", "a released")
        try b.ask("b hold \(file) timeout=30", "b held")
    }
}

final class AccessHoldDaemonTests: AccessHoldTests {
    override class var serving: Serving { .daemon }

    func testADaemonServers() throws { try assertDaemonServes() }
}
