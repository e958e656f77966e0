// SPDX-License-Identifier: Apache-2.0
//
// Moves while arbiters and movers die: no editor loses its document, and none is told twice (Rules
// 11.4 and 18.7).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class MoveRecoveryTests: StageTestCase {
    /// A viewer of f, a mover that writes it, and a reader that waits for it; none of them serves.
    private struct Scene {
        let arbiter: pid_t
        let viewer: Program
        let mover: Program
        let reader: Program
        let f: String
        let g: String

        init(on stage: Stage) throws {
            f = try stage.file("f", "text")
            g = stage.path("g")
            stage.settle(f)
            viewer = try stage.peer("viewer")
            mover = try stage.peer("mover")
            reader = try stage.peer("reader")
            try viewer.ask("v present \(f) kind=listener", "v registered")
            try mover.ask("m write \(f) options=forMoving", "m granted")
            reader.tell("r read \(f)")
            try stage.untilWaits(reader)
            arbiter = try stage.arbiter()
            XCTAssertFalse([viewer.pid, mover.pid, reader.pid].contains(arbiter))
        }

        func move() throws {
            try mover.ask("m rename \(f) \(g)", "m renamed")
            try mover.ask("m didmove \(f) \(g)", "m announced")
        }

        func awaitSuccessor(on stage: Stage) throws {
            try stage.until("another arbiter knows all programs") { report in
                report.arbiter.processID != arbiter && !report.presenters.isEmpty
                    && report.claims.contains { $0.processID == reader.pid }
            }
        }

        /// The reader finds the document where it is, and the viewer has been told of it once.
        func finish(on stage: Stage) throws {
            XCTAssertEqual(try reader.expect("r granted"), "r granted text")
            XCTAssertEqual(try reader.ask("r url", "r urls"), "r urls \(g)")
            try reader.ask("r go", "r released")
            let writer = try stage.peer("writer")
            try writer.ask("w write \(g)", "w granted")
            try writer.ask("w put new", "w put")
            try writer.ask("w go", "w released")
            // Once for the write, and once for each arbiter that died.
            try viewer.expect("v did change")
            XCTAssertEqual(viewer.lines.filter { $0.hasPrefix("v did move") }, ["v did move \(g)"])
        }
    }

    private func scene() throws -> Scene {
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
        return try Scene(on: stage)
    }

    //  server        viewer        mover             reader
    //                              write(f)          read(f) waits
    //                              moves f to g
    //                did move
    //  killed
    //                              returns
    //                                                granted, at g
    //
    /// Rules 2.20, 11.4 and 18.7.
    func testTheArbiterDiesAfterAMove() throws {
        let scene = try scene()
        try scene.move()
        try scene.viewer.expect("v did move \(scene.g)")
        kill(scene.arbiter, SIGKILL)
        try scene.awaitSuccessor(on: stage)
        // The mover holds g, too, although its claim was for f.
        try stage.untilWaits(scene.reader)
        try scene.mover.ask("m go", "m released")
        try scene.finish(on: stage)
    }

    //  server        viewer        mover
    //  stopped
    //                              moves f to g, announces it
    //  killed
    //                did move
    //
    /// Rules 11.1 and 18.7: an announcement is not lost that the arbiter has not read when it dies.
    func testTheArbiterDiesBeforeItHearsOfAMove() throws {
        let scene = try scene()
        kill(scene.arbiter, SIGSTOP)
        try scene.move()
        kill(scene.arbiter, SIGKILL)
        try scene.viewer.expect("v did move \(scene.g)")
        try scene.awaitSuccessor(on: stage)
        try scene.mover.ask("m go", "m released")
        try scene.finish(on: stage)
    }

    /// Rules 11.1, 15.8 and 18.7: nor is it lost if the mover dies, too.
    func testArbiterAndMoverDieBeforeAMoveIsTold() throws {
        let scene = try scene()
        kill(scene.arbiter, SIGSTOP)
        try scene.move()
        scene.mover.end()
        kill(scene.arbiter, SIGKILL)
        try scene.viewer.expect("v did move \(scene.g)")
        try scene.finish(on: stage)
    }

    /// Rules 11.1 and 15.8: a mover that dies has moved what it has announced.
    func testAMoverDiesAfterItsAnnouncement() throws {
        let scene = try scene()
        try scene.move()
        try scene.viewer.expect("v did move \(scene.g)")
        scene.mover.end()
        try scene.finish(on: stage)
    }

    /// Rules 5.12, 11.4 and 18.7: each later server still knows that a presented directory, which
    /// has moved, is a directory.
    func testAMovedDirectoryIsStillPresentedAfterSeveralArbiters() throws {
        try XCTSkipIf(
            Self.serving == .embedded, "The next embedded server may be any of the others.")
        let (old, new) = (try stage.folder("old"), stage.path("new"))
        let viewer = try stage.peer("viewer")
        let mover = try stage.peer("mover")
        try viewer.ask("d present \(old) kind=listener", "d registered")
        try viewer.ask("o present \(old)/own kind=listener", "o registered")
        try viewer.ask("c coordinator presenter=o", "c made")
        try mover.ask("m write \(old) options=forMoving", "m granted")
        try mover.ask("m rename \(old) \(new)", "m renamed")
        try mover.ask("m go", "m released")
        try viewer.expect("d did move \(new)")
        try viewer.expect("o did move \(new)/own")
        for round in 1...3 {
            let arbiter = try stage.arbiter()
            kill(arbiter, SIGKILL)
            try stage.until("another arbiter knows the viewer") {
                $0.arbiter.processID != arbiter && $0.presenters.count == 2
            }
            try mover.ask("m write \(new)/f\(round)", "m granted")
            try mover.ask("m put text", "m put")
            try mover.ask("m go", "m released")
            try viewer.expect("d did appear \(new)/f\(round)")
        }
        XCTAssertEqual(viewer.count("d did move"), 1)
        XCTAssertEqual(viewer.count("o did move"), 1)
    }

    /// Rules 11.2 and 18.7: no arbiter tells a presenter of a move that it has made itself.
    func testWhoMovedItselfIsNotTold() throws {
        try XCTSkipIf(
            Self.serving == .embedded, "The next embedded server may be any of the others.")
        let (f, g) = (try stage.file("f"), stage.path("g"))
        let owner = try stage.peer("owner")
        let other = try stage.peer("other")
        try owner.ask("p present \(f) kind=listener", "p registered")
        try owner.ask("c coordinator presenter=p", "c made")
        try owner.ask("m write \(f) options=forMoving using=c", "m granted")
        try owner.ask("m rename \(f) \(g)", "m renamed")
        try owner.ask("m go", "m released")
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGKILL)
        try stage.until("another arbiter knows the owner") {
            $0.arbiter.processID != arbiter && $0.presenters.count == 1
        }
        try owner.expect("p did change")
        try other.ask("w write \(g)", "w granted")
        try other.ask("w put new", "w put")
        try other.ask("w go", "w released")
        try owner.expect("p did change")
        XCTAssertEqual(owner.count("p did move"), 0)
    }

    #if DEBUG
    //  server        owner, whose presenter             mover
    //                                                   moves f to g
    //                has not handled that yet
    //                write(f)
    //  dies while it redirects that
    //                granted, at g
    //
    /// Rules 11.7 and 18.7: the claim is granted, whatever
    /// the server had written of the redirection.
    func testTheArbiterDiesWhileItRedirectsAClaim() throws {
        try XCTSkipIf(Self.serving == .daemon, "Only a program of the test has a failpoint.")
        for failpoint in ["before.writesRelocations:2", "after.writesRelocations:2"] {
            let name = String(failpoint.prefix { $0 != "." })
            let server = try stage.peer(
                "server", environment: ["FILECOORDINATION_FAILPOINT": failpoint])
            try server.ask("1 read \(stage.path("first"))", "1 granted")
            try server.ask("1 go", "1 released")
            let (f, g) = (try stage.file(name), stage.path(name + "-moved"))
            let owner = try stage.peer("owner")
            let mover = try stage.peer("mover")
            try owner.ask("p present \(f) kind=listener hold=move", "p registered")
            try owner.ask("c coordinator presenter=p", "c made")
            XCTAssertEqual(try stage.arbiter(), server.pid)
            try mover.ask("m write \(f) options=forMoving", "m granted")
            try mover.ask("m rename \(f) \(g)", "m renamed")
            try mover.ask("m go", "m released")
            try owner.expect("p did move \(g)")
            owner.tell("w write \(f) using=c")
            try stage.untilEnded(server.pid)
            try owner.expect("w granted")
            XCTAssertEqual(try owner.ask("w url", "w urls"), "w urls \(g)")
            try owner.ask("w go", "w released")
            owner.tell("x letmove p")
            for program in [owner, mover] { program.end() }
        }
    }
    #endif
}

/// The same with the daemon.
final class MoveRecoveryWithDaemonTests: MoveRecoveryTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
