// SPDX-License-Identifier: Apache-2.0
//
// A server that is stopped in the middle of its work, when it has read only some of its messages,
// and for so short a time that it keeps its role.

#if DEBUG
import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class ServerAbsenceTests: StageTestCase {
    override class var serving: Serving { .daemon }

    /// Starts an arbiter that is stopped at a failpoint: by default, before it handles the first
    /// answer of a presenter.
    private func arbiter(
        stoppedAt place: String = "before.handlesAnswered:1"
    ) throws -> Program {
        let arming = ["FILECOORDINATION_FAILPOINT": place + ":stop"]
        let daemon = try stage.start("daemon", [Products.daemon], environment: arming)
        try daemon.expect("serving", inside: true)
        return daemon
    }

    /// One program holds f, another one presents g, and the arbiter is stopped while it reads that
    /// the latter has relinquished g.
    private func scene() throws -> (holder: Program, presenter: Program, daemon: Program) {
        let daemon = try arbiter()
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let (holder, presenter) = (try stage.peer("holder"), try stage.peer("presenter"))
        try holder.ask("f write \(f)", "f granted")
        try presenter.ask("p present \(g)", "p registered")
        return (holder, presenter, daemon)
    }

    //  arbiter       holder        other
    //                write(f)
    //                              later write(f)
    //                returns
    //  grants it, and is stopped before it says so
    //                              granted
    //
    /// Rule 18.7a: a program that waits for no answer, and presents nothing, sees the grant.
    func testAGrantThatIsNotSaidIsSeen() throws {
        let daemon = try arbiter(stoppedAt: "before.saysGranted:1")
        defer { daemon.signal(SIGCONT) }
        let file = try stage.file("f")
        let (holder, other) = (try stage.peer("holder"), try stage.peer("other"))
        try holder.ask("f write \(file)", "f granted")
        try other.ask("f later write:\(file)", "f asked")
        try stage.untilWaits(other)
        try holder.ask("f go", "f released")
        try stage.untilStopped(daemon)
        try other.expect("f granted")
        try other.ask("f go", "f returns")
    }

    /// Lets a program continue, after a pause that is long enough for the arbiter to notice it.
    private func goOn(_ program: Program) {
        let end = Date() + 0.03
        while Date() < end { poll(nil, 0, 5) }
        program.signal(SIGCONT)
    }

    /// Lets the arbiter continue; asserts which program gets f first.
    private func assertOrder(
        _ first: Program, _ second: Program, holder: Program, daemon: Program
    ) throws {
        goOn(daemon)
        try stage.untilWaits(first)
        try stage.untilWaits(second)
        try holder.ask("f go", "f released")
        try first.expect("f granted")
        XCTAssertFalse(second.said("f granted"))
        try first.ask("f go", "f returns")
        try second.expect("f granted")
        try second.ask("f go", "f returns")
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }

    //  arbiter       holder        presenter     other
    //                write(f)      of g
    //                write(g)
    //  stopped       asks:         lets go
    //                                            returns from something else
    //                                            later write(f)
    //                              later write(f)
    //  goes on with what the presenter said
    //                returns
    //                                            granted
    //
    /// Rule 2.14: the claim that the arbiter reads first when it continues was not filed first.
    func testTheClaimThatIsReadFirstHasNotComeFirst() throws {
        let (holder, presenter, daemon) = try scene()
        let other = try stage.peer("other")
        try other.ask("o write \(stage.path("h")) options=forMoving", "o granted")
        holder.tell("g write \(stage.path("g"))")
        try stage.untilStopped(daemon)
        // The program sends two messages, of which only the second has a time of its own.
        try other.ask("o go", "o released")
        try other.ask("f later write:\(stage.path("f"))", "f asked")
        try presenter.ask("f later write:\(stage.path("f"))", "f asked")
        try assertOrder(other, presenter, holder: holder, daemon: daemon)
    }

    //  arbiter       mover
    //                write(x), to move it
    //  stopped
    //                moves it to y, says so, returns
    //                makes another x
    //                later write(x)
    //  goes on
    //                granted: x
    //
    /// Rule 11.4: a claim is not redirected by a move that
    /// its client announced before it filed the claim.
    func testWhatWasSaidBeforeIsHeardBefore() throws {
        let (holder, presenter, daemon) = try scene()
        let (x, y) = (try stage.file("x"), stage.path("y"))
        let (mover, other) = (try stage.peer("mover"), try stage.peer("other"))
        try other.ask("o write \(stage.path("h"))", "o granted")
        try mover.ask("m write \(x) options=forMoving", "m granted")
        holder.tell("g write \(stage.path("g"))")
        try stage.untilStopped(daemon)
        try other.ask("f later write:\(stage.path("f"))", "f asked")
        try mover.ask("m rename \(x) \(y)", "m renamed")
        try mover.ask("m didmove \(x) \(y)", "m announced")
        try mover.ask("m go", "m released")
        try stage.file("x", "new")
        try mover.ask("n later write:\(x)", "n asked")
        try presenter.ask("f later write:\(stage.path("f"))", "f asked")
        goOn(daemon)
        try mover.expect("n granted")
        XCTAssertEqual(try mover.ask("n url", "n urls"), "n urls \(x)")
        try mover.ask("n go", "n returns")
        try holder.ask("f go", "f released")
        try other.expect("f granted")
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }

    /// Waits until a program has said to the server which it is, although the server does not
    /// answer: it has more sockets than it inherited, and all its threads sleep at the same time.
    private func untilConnected(_ program: Program, inherited: Int) throws {
        let end = Date() + Program.patience
        while true {
            let switches = switchesOfSleepingThreads(of: program)
            // No thread has run between the two looks, so there was a time at which all slept.
            if sockets(of: program) > inherited, let switches,
                switches == switchesOfSleepingThreads(of: program)
            {
                return
            }
            guard Date() < end else { throw StageError("\(program.name) does not connect") }
            poll(nil, 0, 1)
        }
    }

    private func sockets(of program: Program) -> Int {
        let place = "/proc/\(program.pid)/fd"
        return names(in: place).count { name in
            // It may have been closed meanwhile.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(place)/\(name)")
            return target?.hasPrefix("socket:") == true
        }
    }

    /// Returns how often each thread has given up its processor; nil if one does not sleep.
    private func switchesOfSleepingThreads(of program: Program) -> [String: [Substring]]? {
        let place = "/proc/\(program.pid)/task"
        var found: [String: [Substring]] = [:]
        for thread in names(in: place) {
            let lines = (stage.text("\(place)/\(thread)/status") ?? "").split(separator: "\n")
            guard lines.contains(where: { $0.hasPrefix("State:\tS") }) else { return nil }
            found[thread] = lines.filter { $0.contains("ctxt_switches") }
        }
        return found
    }

    private func names(in directory: String) -> [String] {
        // A process that has ended has none.
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// Rule 2.14: the same with a client that the arbiter does not know yet.
    func testAClientThatComesForTheFirstTimeComesBeforeThoseReadFirst() throws {
        let (holder, presenter, daemon) = try scene()
        let newcomer = try stage.peer("newcomer")
        let inherited = sockets(of: newcomer)
        holder.tell("g write \(stage.path("g"))")
        try stage.untilStopped(daemon)
        try newcomer.ask("f later write:\(stage.path("f"))", "f asked")
        // Before it has connected, the server cannot know that it was first.
        try untilConnected(newcomer, inherited: inherited)
        try presenter.ask("f later write:\(stage.path("f"))", "f asked")
        try assertOrder(newcomer, presenter, holder: holder, daemon: daemon)
    }

    /// Rule 2.14: the same if the arbiter is stopped while it catches up after a pause.
    func testAPauseWhileItCatchesUpIsNoticedToo() throws {
        let (holder, presenter, daemon) = try scene()
        let newcomer = try stage.peer("newcomer")
        let inherited = sockets(of: newcomer)
        presenter.signal(SIGSTOP)
        try stage.untilStopped(presenter)
        holder.tell("g write \(stage.path("g"))")
        try stage.until(holder, .asking)
        // The answer comes after a pause, so the arbiter catches up.
        goOn(presenter)
        try stage.untilStopped(daemon)
        try newcomer.ask("f later write:\(stage.path("f"))", "f asked")
        try untilConnected(newcomer, inherited: inherited)
        try presenter.ask("f later write:\(stage.path("f"))", "f asked")
        try assertOrder(newcomer, presenter, holder: holder, daemon: daemon)
    }
}
#endif
