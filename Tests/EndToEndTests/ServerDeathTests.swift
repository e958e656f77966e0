// SPDX-License-Identifier: Apache-2.0
//
// No process notices the death of the arbiter, except by the time that it takes (Rules
// 15.9 and 18.7).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

/// A holder, two waiters in order, and a presenter, none of whom serves.
struct Scene {
    let server: Program?
    var arbiter: pid_t
    let presenter: Program
    let holder: Program
    let second: Program
    let third: Program
    let file: String
    let presented: String

    var programs: [Program] { [presenter, holder, second, third] }

    /// Brings all programs into place.
    init(on stage: Stage, server: Program?) throws {
        self.server = server
        file = try stage.file("f", "0")
        presented = try stage.file("d/g")
        presenter = try stage.peer("presenter")
        holder = try stage.peer("holder")
        second = try stage.peer("second")
        third = try stage.peer("third")
        try presenter.ask("p present \(presented)", "p registered")
        try presenter.ask("d present \(stage.path("d")) kind=listener", "d registered")
        try holder.ask("1 write \(file)", "1 granted")
        second.tell("2 write \(file)")
        try stage.untilWaits(second)
        third.tell("3 write \(file)")
        try stage.untilWaits(third)
        arbiter = try stage.arbiter()
    }

    /// Waits until there is another arbiter that knows the waiting claims.
    func awaitSuccessor(on stage: Stage) throws {
        try stage.until("another arbiter knows the line") { report in
            report.arbiter.processID != arbiter
                && report.claims.map(\.processID) == [holder.pid, second.pid, third.pid]
                && report.claims.map(\.stage) == [.granted, .waiting, .waiting]
                && report.presenters.map(\.processID) == [presenter.pid, presenter.pid]
        }
    }

    /// Plays on: all programs get what they were to get, in order and without an error.
    func finish(on stage: Stage) throws {
        XCTAssertFalse(second.said("2") || third.said("3"))
        let reporter = try stage.peer("reporter")
        try reporter.ask("w write \(presented)", "w granted")
        try reporter.ask("w put new", "w put")
        try reporter.ask("w go", "w released")
        try presenter.expect("p relinquish to writer")
        try presenter.expect("p did change")
        try presenter.expect("p reacquire from writer")
        try presenter.expect("d did change \(presented)")
        XCTAssertFalse(second.said("2") || third.said("3"))
        try holder.ask("1 put 1", "1 put")
        try holder.ask("1 go", "1 released")
        XCTAssertEqual(try second.expect("2 granted"), "2 granted 1")
        try stage.untilWaits(third)
        XCTAssertFalse(third.said("3"))
        try second.ask("2 put 2", "2 put")
        try second.ask("2 go", "2 released")
        XCTAssertEqual(try third.expect("3 granted"), "3 granted 2")
        try third.ask("3 go", "3 released")
        try stage.untilNoClaimHolds()
    }
}

class ServerDeathTests: StageTestCase {
    /// Sets the scene, with a server that plays no part in it.
    func scene() throws -> Scene {
        try stage.folder("d")
        let server = Self.serving == .embedded ? try stage.firstProgram("server") : nil
        let scene = try Scene(on: stage, server: server)
        if let server { XCTAssertEqual(scene.arbiter, server.pid) }
        return scene
    }

    //  server        presenter     holder        second        third         reporter
    //                of g          write(f)
    //                                            write(f) waits
    //                                                          write(f) waits
    //  killed
    //                                                                        write(g)
    //                relinquish,
    //                did change
    //                              returns
    //                                            granted
    //                                            returns
    //                                                          granted
    //
    /// Rule 18.7.
    func testTheArbiterIsKilled() throws {
        let scene = try scene()
        kill(scene.arbiter, SIGKILL)
        try scene.awaitSuccessor(on: stage)
        try scene.finish(on: stage)
    }

    /// Rule 18.7: a normal end is the same event.
    func testTheArbiterEndsNormally() throws {
        let scene = try scene()
        if let server = scene.server {
            try server.leave()
        } else {
            kill(scene.arbiter, SIGTERM)
        }
        try scene.awaitSuccessor(on: stage)
        try scene.finish(on: stage)
    }

    /// Rules 7.14, 18.7: a presenter without a method
    /// for its directory itself is told to look, too.
    func testAPresenterOfADirectoryIsToldToLookAfterTheArbiterDied() throws {
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
        let folder = try stage.folder("d")
        let presenter = try stage.peer("presenter")
        try presenter.ask("d present \(folder) kind=lister", "d registered")
        kill(try stage.arbiter(), SIGKILL)
        try presenter.expect("d did change \(folder)")
    }

    /// Rule 18.7: the daemon's death, again and again.
    func testSeveralArbitersAreKilledInARow() throws {
        try XCTSkipIf(
            Self.serving == .embedded, "The next embedded server may be any of the others.")
        var scene = try scene()
        for _ in 1...6 {
            kill(scene.arbiter, SIGKILL)
            try scene.awaitSuccessor(on: stage)
            scene.arbiter = try stage.arbiter()
            // A program serves itself if each daemon that it starts is killed at once.
            if scene.programs.contains(where: { $0.pid == scene.arbiter }) { break }
        }
        try scene.finish(on: stage)
    }

    //  server        holder        1             2             ...
    //                write(f)      write(f) waits write(f) waits
    //  killed
    //                the process that serves now is killed, three times
    //                              those that are left are granted in their order
    //
    /// Rules 15.8 and 18.7.
    func testAllProgramsThatComeToServeAreKilled() throws {
        let file = try stage.file("f")
        var line: [Program] = []
        for number in 0..<8 {
            let program = try stage.peer("\(number)")
            program.tell("w write \(file)")
            try stage.until("\(number) is in the queue") { report in
                report.claims.map(\.processID) == (line + [program]).map(\.pid)
            }
            line.append(program)
        }
        for _ in 1...4 {
            let arbiter = try stage.arbiter()
            kill(arbiter, SIGKILL)
            for program in line where program.pid == arbiter { program.end() }
            line.removeAll { $0.pid == arbiter }
            try stage.until("the line is as before") { report in
                report.arbiter.processID != arbiter
                    && report.claims.map(\.processID) == line.map(\.pid)
                    && report.claims.map(\.stage.rawValue)
                        == [ClaimStage.granted.rawValue]
                        + line.dropFirst().map { _ in ClaimStage.waiting.rawValue }
            }
        }
        while !line.isEmpty {
            let first = line.removeFirst()
            try first.expect("w granted")
            for other in line { XCTAssertFalse(other.said("w")) }
            try first.ask("w go", "w released")
        }
    }

    //  server        holder        second
    //                write(f)
    //                              write(f) waits
    //                stopped
    //  killed
    //                              still waits
    //                goes on
    //                returns
    //                              granted
    //
    /// Rules 18.6 and 18.7: the ledger is read without its owner's help.
    func testAStoppedHolderKeepsItsClaimWhenTheArbiterDies() throws {
        let scene = try scene()
        scene.holder.signal(SIGSTOP)
        try stage.until("the holder is stopped") { $0.claims.first?.isStopped == true }
        kill(scene.arbiter, SIGKILL)
        try scene.awaitSuccessor(on: stage)
        let report = try XCTUnwrap(stage.report())
        XCTAssertEqual(report.claims.first?.isStopped, true)
        scene.holder.signal(SIGCONT)
        try scene.finish(on: stage)
    }

    //  server        presenter of d    writer           reader
    //                                  write(d/g)
    //                                                   read(d/g) waits
    //  stopped
    //                                  changes, returns: no server is told of it
    //  killed
    //                did change d/g
    //                                                   granted
    //
    /// Rules 7.4 and 18.7: the next arbiter reports the change that it finds in the ledger.
    func testAnUnreportedWriteIsReportedByTheNextArbiter() throws {
        try stage.folder("d")
        let file = try stage.file("d/g")
        let server = try stage.firstProgram("server")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        let reader = try stage.peer("reader")
        try presenter.ask("d present \(stage.path("d")) kind=listener", "d registered")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(file)", "w granted")
        reader.tell("r read \(file) ")
        try stage.untilWaits(reader)
        let arbiter = try stage.arbiter()
        if Self.serving == .embedded { XCTAssertEqual(arbiter, server.pid) }
        kill(arbiter, SIGSTOP)
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        XCTAssertFalse(presenter.said("d did change"))
        kill(arbiter, SIGKILL)
        try presenter.expect("d did change \(file)")
        try presenter.expect("p did change")
        try presenter.expect("p reacquire from writer")
        XCTAssertEqual(try reader.expect("r granted"), "r granted new")
    }

    //  server        presenter         writer
    //                                  write(f)
    //                relinquish, does not answer
    //  killed
    //                answers, is asked again, answers
    //                                  granted
    //
    /// Rules 8.6 and 18.7.
    func testAPresenterIsAskedAgainByTheNextArbiter() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) hold=relinquish", "p registered")
        writer.tell("w write \(file)")
        try presenter.expect("p relinquish to writer")
        kill(try stage.arbiter(), SIGKILL)
        try stage.until(writer, has: 1, .asking)
        presenter.tell("x answer p")
        try presenter.expect("p relinquish to writer")
        XCTAssertFalse(writer.said("w granted"))
        presenter.tell("x answer p")
        try writer.expect("w granted")
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        try presenter.expect("p did change")
    }

    //  server        presenter         reader
    //                                  read(f) granted
    //                relinquished
    //  killed
    //                                  returns
    //                reacquires
    //
    /// Rules 8.3 and 18.7.
    func testARelinquishedPresenterReacquiresUnderTheNextArbiter() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file)", "p registered")
        try reader.ask("r read \(file)", "r granted")
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGKILL)
        try stage.until("another arbiter knows them") { report in
            report.arbiter.processID != arbiter && report.claims.map(\.stage) == [.granted]
                && report.presenters.count == 1
        }
        XCTAssertFalse(presenter.said("p reacquire from reader"))
        try reader.ask("r go", "r released")
        try presenter.expect("p reacquire from reader")
        XCTAssertEqual(presenter.count("p relinquish to reader"), 1)
        XCTAssertEqual(presenter.count("p reacquire from reader"), 1)
    }

    //  server        holder        waiter
    //                write(f)
    //                              write(f) waits
    //  stopped
    //                              cancel: 3072, at once
    //
    /// Rules 12.1 and 18.7: cancelling needs no arbiter.
    func testCancellingWorksWithoutAnArbiter() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let holder = try stage.peer("holder")
        let waiter = try stage.peer("waiter")
        try holder.ask("h write \(file)", "h granted")
        waiter.tell("w write \(file) using=c")
        try stage.untilWaits(waiter)
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        try waiter.ask("x cancel c", "x cancelled")
        XCTAssertEqual(try waiter.expect("w failed"), "w failed NSCocoaErrorDomain 3072")
        kill(arbiter, SIGCONT)
        try stage.until(waiter, has: 0, .waiting)
        try holder.ask("h go", "h released")
    }

    //  server        holder        early         late
    //                write(f)
    //  stopped
    //                              write(f)
    //                                            write(f)
    //  killed
    //                              waits first, whosever ledger is read first
    //
    /// Rules 2.14 and 18.7: claims without a serial
    /// number are granted in the order of their filing.
    func testClaimsThatNoArbiterHasSeenKeepTheirOrder() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let holder = try stage.peer("holder")
        // Ledgers are read in the order of their names, which begin with the process.
        let pair = [try stage.peer("1"), try stage.peer("2")]
            .sorted { "\($0.pid)-" < "\($1.pid)-" }
        let (late, early) = (pair[0], pair[1])
        try holder.ask("h write \(file)", "h granted")
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        try early.ask("w later write:\(file)", "w asked")
        try late.ask("w later write:\(file)", "w asked")
        kill(arbiter, SIGKILL)
        try stage.until("the line is in the order of filing") { report in
            report.arbiter.processID != arbiter
                && report.claims.map(\.processID) == [holder, early, late].map(\.pid)
        }
        try holder.ask("h go", "h released")
        try early.expect("w granted")
        XCTAssertFalse(late.said("w granted"))
        try early.ask("w go", "w returns")
        try late.expect("w granted")
        try late.ask("w go", "w returns")
    }

    //  server        later
    //                write(f), on a queue that stands still: granted
    //  killed
    //                queue runs: accessor, once
    //
    /// Rules 13.1, 13.2 and 18.7.
    func testALaterAccessOutlivesTheArbiter() throws {
        let file = try stage.file("f")
        _ = try stage.firstProgram("server")
        let holder = try stage.peer("holder")
        let later = try stage.peer("later")
        try holder.ask("h write \(file)", "h granted")
        try later.ask("1 later write:\(file)", "1 asked")
        try stage.untilWaits(later)
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGKILL)
        // When these accesses are over, the next arbiter
        // has told the client whatever there is to tell.
        for label in ["2", "3"] {
            try later.ask("\(label) later read:\(stage.path("other"))", "\(label) granted")
            try later.ask("\(label) go", "\(label) returns")
        }
        try stage.until(later, .waiting)
        XCTAssertFalse(later.said("1 granted"))
        try holder.ask("h go", "h released")
        try later.expect("1 granted")
        try later.ask("1 go", "1 returns")
        XCTAssertEqual(later.count("1 granted"), 1)
        try stage.untilNoClaimHolds()
    }
}

/// The same with the daemon.
final class ServerDeathWithDaemonTests: ServerDeathTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
