// SPDX-License-Identifier: Apache-2.0
//
// Deadlocks of several processes that involve presenters are detected as soon as the cycle is
// complete, and the error explains them (Rule 18.4).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class PresenterCycleTests: StageTestCase {
    private let deadlock = "failed FileCoordinationErrorDomain 5"

    /// Has `program` say why a call failed, and expects all of `parts` in it.
    private func assertExplained(
        _ program: Program, _ label: String, by parts: [String], line: UInt = #line
    ) throws {
        try program.expect("\(label) \(deadlock)")
        let words = try program.expect("\(label) because")
        for part in parts { XCTAssertTrue(words.contains(part), words, line: line) }
    }

    //  A (presents f, on a queue of its own)
    //  on that queue: read(f), for no presenter: would have to ask the presenter, there; fails
    //
    /// Rule 18.4: the commonest deadlock of all.
    func testACallOnTheQueueOfThePresenterThatItHasToAsk() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("p present \(file)", "p registered")
        a.tell("r onqueue p read \(file) explain")
        try assertExplained(a, "r", by: ["pid \(a.pid)", file, "presents", "savePresented"])
        // The queue is free again, and the presenter is not asked for the claim that failed.
        try a.ask("r read \(file)", "r granted")
        try a.ask("r go", "r released")
    }

    /// Rule 18.4: the same on the main thread; afterwards another process can read.
    func testACallOnTheMainThread() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(file) queue=main", "p registered")
        a.tell("w onqueue p write \(file) explain")
        try assertExplained(a, "w", by: ["pid \(a.pid)", file])
        try b.ask("r read \(file)", "r granted")
        try b.ask("r go", "r released")
    }

    //  A (presents f)                 B
    //                                 read(f)
    //  save: write(f), for no presenter, waits for the reader, who waits for the answer: fails
    //  answers
    //                                 granted
    //
    /// Rules 2.16 and 18.4: a callback does not use its presenter's coordinator, and waits for the
    /// claim for which it was called.
    func testACallbackThatWaitsForWhomItMakesWay() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(file) calls=save:write:\(file)", "p registered")
        b.tell("r read \(file)")
        try assertExplained(
            a, "p.inside", by: ["pid \(a.pid)", "pid \(b.pid)", file, "savePresented"])
        try b.expect("r granted")
        try b.ask("r go", "r released")
    }

    /// Rules 2.18 and 18.4: the same in an asynchronous callback, whose call blocks its thread.
    func testATaskOfACallbackThatWaitsForWhomItMakesWay() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(file) kind=async calls=save:write:\(file)", "p registered")
        b.tell("r read \(file)")
        try assertExplained(a, "p.inside", by: ["pid \(a.pid)", "pid \(b.pid)", file])
        try b.expect("r granted")
        try b.ask("r go", "r released")
    }

    //  A                        B                         C (presents p)
    //  write(a) granted
    //                                                     write(b) granted
    //                           read(a) and write(b) wait
    //  read(p) asks C's presenter
    //                                                     on its queue: write(a): fails
    //
    /// Rule 18.4: three processes and a presenter; all are named.
    func testThreeProcessesAndAPresenter() throws {
        let files = try ["a", "b", "p"].map { try stage.file($0) }
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try c.ask("p present \(files[2]) hold=save", "p registered")
        try a.ask("a write \(files[0])", "a granted")
        try c.ask("c write \(files[1])", "c granted")
        b.tell("b readwrite \(files[0]) \(files[1])")
        try stage.untilWaits(b)
        c.tell("w onqueue p write \(files[0]) explain")
        try stage.untilWaits(c)
        a.tell("a nest n read \(files[2]) explain")
        // The youngest claim that waits in the queue fails.
        try assertExplained(
            c, "w", by: ["pid \(a.pid)", "pid \(c.pid)", files[0], files[2], "presents"])
        try c.ask("x answer p", "p save")
        try a.expect("n granted")
        try a.ask("n go", "n released")
        try a.ask("a go", "a released")
        try c.ask("c go", "c released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
    }

    //  A (presents f)             B                  C
    //                                                write(g) granted
    //  on its queue: write(g) waits
    //                             read(f) asks A
    //                             (waits: no deadlock, C can go on)
    //                                                returns
    //  granted; returns; saves
    //                             granted
    //
    /// Rule 18.4: no false alarm.
    func testNoAlarmWhileOneCallCanGoOn() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("p present \(f)", "p registered")
        try c.ask("c write \(g)", "c granted")
        a.tell("w onqueue p write \(g)")
        try stage.untilWaits(a)
        b.tell("r read \(f)")
        try stage.until(b, .asking)
        // When this second claim waits, A has also sent that the presenter's queue is occupied.
        a.tell("t read \(g)")
        try stage.until(a, has: 2, .waiting)
        try c.ask("c go", "c released")
        try a.ask("w go", "w released")
        try b.expect("r granted")
        try b.ask("r go", "r released")
        try a.ask("t go", "t released")
    }

    //  server    A (presents f)               B
    //                                         write(g) granted
    //            on its queue: write(g) waits
    //  killed
    //                                         read(f), inside: asks A
    //            write(g) fails
    //                                         granted
    //
    /// Rules 18.4 and 18.7: the next server finds the cycle, too.
    func testAServerThatDiesBeforeTheCycleCloses() throws {
        let (f, g) = (try stage.file("f"), try stage.file("g"))
        let server = try Self.serving == .embedded ? stage.firstProgram("server").pid : nil
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("p present \(f)", "p registered")
        try b.ask("b write \(g)", "b granted")
        a.tell("w onqueue p write \(g) explain")
        try stage.untilWaits(a)
        kill(try server ?? stage.arbiter(), SIGKILL)
        b.tell("b nest n read \(f)")
        try assertExplained(a, "w", by: ["pid \(a.pid)", "pid \(b.pid)", f, g])
        try b.expect("n granted")
        try b.ask("n go", "n released")
        try b.ask("b go", "b released")
    }
}

/// The same with the daemon.
final class PresenterCycleWithDaemonTests: PresenterCycleTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
