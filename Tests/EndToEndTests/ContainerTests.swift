// SPDX-License-Identifier: Apache-2.0
//
// Programs of one user in a container and outside of it, which share a runtime directory and a tree
// (Rule 18.14): other process, network and mount namespaces. A process number means nothing on the
// other side: a process that has the same number there by chance must not be taken for the client.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class ContainerTests: StageTestCase {
    /// Waits until a process has a claim at this stage.
    ///
    /// - Parameters:
    ///   - process: its number outside; an arbiter inside knows that only of those outside.
    ///   - state: the stage.
    /// - Throws: an error if that takes too long.
    private func until(_ process: pid_t, is state: ClaimStage) throws {
        let marked = ProcessNumber.inAnotherNamespace(Container.innerNumber(of: process) ?? 0)
        try stage.until("process \(process) has a claim \(state)") { report in
            report.claims.contains {
                [process, marked].contains($0.processID) && $0.stage == state
            }
        }
    }

    /// Both sides have to wait for each other, whichever side the arbiter is on.
    private func assertMeet(_ inside: Container.Inmate, _ outside: Program) throws {
        let file = try stage.file("f")
        let sides = [(inside.program, inside.pid), (outside, outside.pid)]
        for ((first, firstID), (second, secondID)) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            try first.ask("x write \(file)", "x granted")
            second.tell("y write \(file)")
            try until(secondID, is: .waiting)
            try until(firstID, is: .granted)
            try first.ask("x put \(firstID)", "x put")
            try first.ask("x go", "x released")
            XCTAssertEqual(try second.expect("y granted"), "y granted \(firstID)")
            try second.ask("y go", "y released")
        }
        try stage.untilNoClaimHolds()
    }

    /// Has a program coordinate before all others, so that it serves if there is no daemon.
    private func come(_ program: Program) throws {
        try program.ask("s write \(try stage.file("s"))", "s granted")
        try program.ask("s go", "s released")
    }

    /// Rule 18.14: the arbiter is outside.
    func testTheArbiterIsOutside() throws {
        let outside = try stage.peer("outside")
        try come(outside)
        let inside = try Container(stage).peer("inside")
        try assertMeet(inside, outside)
    }

    /// Rule 18.14: the arbiter is in the container, or was started from there.
    func testTheArbiterIsInside() throws {
        let inside = try Container(stage).peer("inside")
        try come(inside.program)
        let outside = try stage.peer("outside")
        try assertMeet(inside, outside)
    }

    /// Rule 18.14: neither sees the other.
    func testTwoContainers() throws {
        let file = try stage.file("f")
        let one = try Container(stage).peer("one")
        let other = try Container(stage).peer("other")
        try one.program.ask("x write \(file)", "x granted")
        other.program.tell("y write \(file)")
        try stage.until("one waits for the other") { report in
            report.claims.map(\.stage) == [.granted, .waiting]
        }
        XCTAssertFalse(other.program.said("y granted"))
        try one.end()
        try other.program.expect("y granted")
    }

    /// Rule 18.8: a holder's death frees, on either side.
    func testAHolderIsKilled() throws {
        let file = try stage.file("f")
        for isInside in [true, false] {
            let container = try Container(stage)
            let inside = try container.peer("inside")
            let another = try container.peer("another")
            let outside = try stage.peer("outside")
            let waiter = isInside ? outside : another.program
            try (isInside ? inside.program : outside).ask("x write \(file)", "x granted")
            waiter.tell("y write \(file)")
            try until(isInside ? outside.pid : another.pid, is: .waiting)
            if isInside { try inside.end() } else { outside.end() }
            try waiter.expect("y granted")
            try waiter.ask("y go", "y released")
            try stage.untilNoClaimHolds()
            try another.end()
            outside.end()
        }
    }

    //  inside (servers)        outside                 another outside
    //  write(f) granted
    //                          write(g) granted
    //                                                  write(g): waits
    //  is killed
    //                          returns
    //                                                  granted
    //
    /// Rule 18.7: an arbiter's death is invisible, on either side.
    func testTheArbiterIsKilled() throws {
        let (file, other) = (try stage.file("f"), try stage.file("g"))
        for isInside in [true, false] {
            let container = try Container(stage)
            let inmate = isInside ? try container.peer("server") : nil
            let server = try inmate?.program ?? stage.peer("server")
            try server.ask("x write \(file)", "x granted")
            let inside = try container.peer("inside")
            let outside = try stage.peer("outside")
            try inside.program.ask("x write \(other)", "x granted")
            outside.tell("y write \(other)")
            try until(outside.pid, is: .waiting)
            if let inmate { try inmate.end() } else { server.end() }
            if Self.serving == .daemon {
                let pid = try XCTUnwrap(
                    stage.processesOfThisStage().first {
                        stage.text("/proc/\($0)/comm") == "filecoordinatio\n"
                    })
                kill(pid, SIGKILL)
            }
            XCTAssertFalse(outside.said("y granted"))
            try until(outside.pid, is: .waiting)
            try inside.program.ask("x put new", "x put")
            try inside.program.ask("x go", "x released")
            XCTAssertEqual(try outside.expect("y granted"), "y granted new")
            try outside.ask("y go", "y released")
            try inside.end()
            outside.end()
        }
    }

    //  inside                  outside                 another inside
    //  write(f) granted
    //                          (a process that has the number of
    //                          the last one is stopped)
    //                                                  write(f): waits
    //                          write(f): waits behind it
    //  returns
    //                                                  granted
    //
    /// Rule 18.6: the arbiter does not check a process
    /// of its own side that has the waiter's number.
    func testANumberOfAnotherProcess() throws {
        let file = try stage.file("f")
        let namesake = try stage.start("namesake", ["/bin/sleep", "1000"])
        try namesake.stop()
        let server = try stage.peer("server")
        try come(server)
        let container = try Container(stage)
        let holder = try container.peer("holder")
        try XCTSkipUnless(
            container.number(next: namesake.pid), "This kernel does not let numbers be chosen.")
        let waiter = try container.peer("waiter")
        XCTAssertEqual(waiter.innerPid, namesake.pid)
        try holder.program.ask("x write \(file)", "x granted")
        waiter.program.tell("y write \(file)")
        try until(waiter.pid, is: .waiting)
        server.tell("z write \(file)")
        try stage.untilWaits(server)
        // Time for the arbiter to check several times whether the processes in the way are stopped.
        XCTAssertThrowsError(try server.expect("z granted", within: 1.5))
        let report = try stage.until("an arbiter answers") { _ in true }
        XCTAssertFalse(report.claims.contains { $0.isStopped })
        try holder.program.ask("x go", "x released")
        try waiter.program.expect("y granted")
        XCTAssertFalse(server.said("z granted"))
        try waiter.program.ask("y go", "y released")
        try server.expect("z granted")
    }

    /// Rule 18.6: a stopped waiter in a container is seen from outside, and skipped.
    func testAWaiterIsStopped() throws {
        let file = try stage.file("f")
        let holder = try stage.peer("holder")
        try holder.ask("x write \(file)", "x granted")
        let inside = try Container(stage).peer("inside")
        inside.program.tell("y write \(file)")
        try until(inside.pid, is: .waiting)
        try inside.stop()
        let outside = try stage.peer("outside")
        outside.tell("z write \(file)")
        try stage.untilWaits(outside)
        try stage.until("it is seen stopped") { $0.claims.contains { $0.isStopped } }
        try holder.ask("x go", "x released")
        try outside.expect("z granted")
        kill(inside.pid, SIGCONT)
        try outside.ask("z go", "z released")
        try inside.program.expect("y granted")
    }

    /// Rule 18.7a: a stopped server in a container is deposed from outside.
    func testTheServerIsStoppedInside() throws {
        try XCTSkipUnless(Self.serving == .embedded, "The daemon is in either place.")
        let file = try stage.file("f")
        let inside = try Container(stage).peer("inside")
        try come(inside.program)
        try inside.stop()
        let outside = try stage.peer("outside")
        try outside.ask("x write \(file)", "x granted")
        inside.program.tell("y write \(file)")
        kill(inside.pid, SIGCONT)
        try until(inside.pid, is: .waiting)
        try outside.ask("x go", "x released")
        try inside.program.expect("y granted")
    }

    /// Rule 18.7a: a program in a container cannot see that a server outside is stopped.
    ///
    /// It does not depose that server, but waits, and
    /// is granted its claim when the server runs again.
    func testTheServerIsStoppedOutside() throws {
        try XCTSkipUnless(Self.serving == .embedded, "The daemon is in either place.")
        let file = try stage.file("f")
        let outside = try stage.peer("outside")
        try come(outside)
        let container = try Container(stage)
        let inside = try container.peer("inside")
        try outside.ask("x write \(file)", "x granted")
        try outside.stop()
        inside.program.tell("y write \(file)")
        XCTAssertThrowsError(try inside.program.expect("y granted", within: 2.5))
        outside.signal(SIGCONT)
        try until(inside.pid, is: .waiting)
        try outside.ask("x go", "x released")
        try inside.program.expect("y granted")
    }

    /// Rules 18.6 and 18.7a: if a container's /proc shows the processes outside, programs check the
    /// right process, not the one with its number there.
    ///
    /// A stopped server outside is deposed.
    func testAContainerWithOthersProcesses() throws {
        try XCTSkipUnless(Self.serving == .embedded, "The daemon is in either place.")
        let file = try stage.file("f")
        let outside = try stage.peer("outside")
        try come(outside)
        let container = try Container(stage, hasOwnProcesses: false)
        let inside = try container.peer("inside")
        try assertMeet(inside, outside)
        try outside.stop()
        try inside.program.ask("x write \(file)", "x granted")
        outside.tell("y write \(file)")
        outside.signal(SIGCONT)
        try until(outside.pid, is: .waiting)
        // The server inside sees its own processes rightly, too.
        let another = try container.peer("another")
        another.program.tell("z write \(file)")
        try until(another.pid, is: .waiting)
        try inside.program.ask("x go", "x released")
        try outside.expect("y granted")
        try outside.ask("y go", "y released")
        try another.program.expect("z granted")
    }

    /// Rule 18.5: status shows a process by its number on the reader's side.
    ///
    /// A process that the reader cannot see is shown as one in another namespace.
    func testNumbers() throws {
        let file = try stage.file("f")
        let outside = try stage.peer("outside")
        try outside.ask("x write \(file)", "x granted")
        let container = try Container(stage)
        let inside = try container.peer("inside")
        inside.program.tell("y write \(file)")
        // To a reader outside, both processes have their numbers outside.
        let report = try stage.until("both are there") { $0.claims.count == 2 }
        XCTAssertEqual(report.claims.map(\.processID), [outside.pid, inside.pid])
        XCTAssertEqual(report.claims[1].waitsFor.map(\.processID), [outside.pid])
        let inner = try XCTUnwrap(inside.innerPid)
        XCTAssertNotEqual(inner, inside.pid)
        // To a reader inside, the process outside is in another namespace.
        let status = try container.start("status", [Products.filecoord, "status"])
        try status.expect("(pid \(outside.pid) in another namespace)", inside: true)
        try status.expect("(pid \(inner))", inside: true)
        let json = try container.start("json", [Products.filecoord, "status", "--json"])
        let line = try json.expect("\"pidNamespace\":\"other\"", inside: true)
        XCTAssertTrue(line.contains("\"pid\":\(outside.pid),"), line)
        XCTAssertTrue(line.contains("\"pid\":\(inner),"), line)
        // Errors name the holder outside in the same way.
        let refused = try container.start(
            "refused", ["/bin/sh", "-c", "\(Products.filecoord) read -n '\(file)' 2>&1; true"])
        try refused.expect("(pid \(outside.pid) in another namespace)", inside: true)
        // A reader in a third container does not see the process inside, and gets its number there.
        let third = try Container(stage).peer("third")
        third.program.tell("z write \(file)")
        let asked = try Container(stage).start("status", [Products.filecoord, "status"])
        try asked.expect("(pid \(inner) in another namespace)", inside: true)
    }

    /// Rule 18.5: an arbiter inside does not see a reader outside.
    ///
    /// That reader gets the right numbers of processes outside nevertheless, and is told that
    /// others are in another namespace.
    func testNumbersOfAnArbiterInside() throws {
        try XCTSkipUnless(Self.serving == .embedded, "The daemon sees as much as its starter.")
        let file = try stage.file("f")
        let inside = try Container(stage).peer("inside")
        try inside.program.ask("x write \(file)", "x granted")
        let outside = try stage.peer("outside")
        outside.tell("y write \(file)")
        let report = try stage.until("both are there") { $0.claims.count == 2 }
        let inner = ProcessNumber.inAnotherNamespace(try XCTUnwrap(inside.innerPid))
        XCTAssertEqual(report.claims.map(\.processID), [inner, outside.pid])
        XCTAssertEqual(report.arbiter.processID, inner)
    }

    /// Rule 18.8: a ledger of a container is not named by a process outside.
    func testALedgerOfAContainer() throws {
        let inside = try Container(stage).peer("inside")
        try inside.program.ask("x write \(try stage.file("f"))", "x granted")
        let inner = try XCTUnwrap(inside.innerPid)
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.runtime + "/ledgers")
        let name = try XCTUnwrap(names.first { $0.hasPrefix("\(inner)-") })
        let line = try ArbiterLine(runtime: stage.runtime)
        line.send(ClientMessage.hello(Hello(ledgerName: Array(name.utf8))).encode())
        let refusal = try XCTUnwrap(line.refusal())
        XCTAssertEqual(refusal.code, .badLedger, refusal.text)
        try inside.program.ask("x go", "x released")
    }

    /// Rule 18.14: in a user namespace in which the user has another number.
    func testTheUserHasAnotherNumber() throws {
        try Namespaces.skipUnlessUsersArePermitted()
        let file = try stage.file("f")
        let outside = try stage.peer("outside")
        try come(outside)
        let inside = try stage.peer(
            "inside", through: ["/usr/bin/unshare", "--user", "--map-user=7", "--"])
        try outside.ask("x write \(file)", "x granted")
        inside.tell("y write \(file)")
        try stage.untilWaits(inside)
        try outside.ask("x go", "x released")
        try inside.expect("y granted")
        outside.tell("z write \(file)")
        try stage.untilWaits(outside)
        try inside.ask("y go", "y released")
        try outside.expect("z granted")
    }

    /// Rule 18.14: in a user namespace in which the user has no number, nothing tells its directory
    /// from another user's; that is said.
    func testTheUserHasNoNumber() throws {
        try Namespaces.skipUnlessUsersArePermitted()
        let inside = try stage.peer("inside", through: ["/usr/bin/unshare", "--user", "--"])
        try inside.ask(
            "w write \(stage.path("f")) explain", "w failed FileCoordinationErrorDomain 1")
        let sentence = try inside.expect("w because File coordination is not available:")
        XCTAssertTrue(sentence.contains("has no number in its user namespace"), sentence)
    }

    /// Rule 2.0: nor is a directory used whose owner has no number there.
    func testTheOwnerHasNoNumber() throws {
        try Namespaces.skipUnlessUsersArePermitted()
        mkdir(stage.runtime, 0o700)
        chown(stage.runtime, 1, 1)
        let inside = try stage.peer(
            "inside", through: ["/usr/bin/unshare", "--user", "--map-user=7", "--"])
        try inside.ask(
            "w write \(stage.path("f")) explain", "w failed FileCoordinationErrorDomain 1")
        let sentence = try inside.expect("w because File coordination is not available:")
        XCTAssertTrue(sentence.contains("belongs to a user who has no number"), sentence)
    }
}

/// The same with the daemon.
final class ContainerWithDaemonTests: ContainerTests {
    override class var serving: Serving { .daemon }

    /// Rule 18.14.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
