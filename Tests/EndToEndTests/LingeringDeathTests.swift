// SPDX-License-Identifier: Apache-2.0
//
// Processes that are dead, and whose memory is not gone yet, with the locks that it keeps: one that
// dumps core, one whose half-made child shares its memory, and one with files that the kernel takes
// long to close (Rules 15.8, 18.8).

import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import XCTest

extension StageTestCase {
    fileprivate func isDumping(_ process: pid_t) -> Bool {
        stage.text("/proc/\(process)/status")?.contains("CoreDumping:\t1") ?? false
    }

    /// Whether a killed program, which has no memory any more, still has files that are open.
    fileprivate func isClosingFiles(_ process: pid_t) -> Bool {
        ProcessState.hasNoMemory(process)
            && (try? ProcessHandle(processID: process).hasExited) == false
    }

    fileprivate func wait(for what: String, line: UInt = #line, _ isSo: () -> Bool) throws {
        let end = Date() + Program.patience
        while !isSo() {
            guard Date() < end else { throw StageError("never, in line \(line): \(what)") }
            poll(nil, 0, 3)
        }
    }

    /// Has a program dump core; returns when it does.
    fileprivate func crash(_ program: Program) throws {
        program.tell("x crash \(try stage.slowFolder("cores"))")
        try program.expect("x crashes")
        try wait(for: "it dumps core") { isDumping(program.pid) }
    }

    /// Asserts that each program says its line while another one still dumps core.
    fileprivate func assertLines(
        _ lines: [(program: Program, text: String)], whileDumping dead: Program, line: UInt = #line
    ) throws {
        try assert(lines.come(before: dead, within: 2) { isDumping(dead.pid) }, line: line)
    }

    /// Fails if lines were late, and skips the test if the dead program has gone too early to tell.
    fileprivate func assert(_ coming: Coming, line: UInt = #line) throws {
        try XCTSkipIf(coming == .unclear, "It is gone too quickly here, or the test is too slow")
        XCTAssertEqual(coming, .early, "The dead program kept what it had", line: line)
    }
}

/// When lines come: while a dead program lingers, only after that, or one does not know.
private enum Coming { case early, late, unclear }

extension [(program: Program, text: String)] {
    /// Waits until each program says its line, and looks whether another one lingers then.
    ///
    /// One cannot tell afterwards what came first. Lines are late only if one of them was missing
    /// for so many seconds, longer on a busy machine, while the other program lingered.
    fileprivate func come(
        before dead: Program, within seconds: Double, _ lingers: () -> Bool
    ) throws -> Coming {
        let end = Date() + test_patience(seconds)
        var isLate = false
        while lingers() {
            let isOver = Date() > end
            if allSatisfy({ $0.program.said($0.text) }) {
                // It may have gone before the last line was said.
                guard lingers() else { break }
                dead.end()
                return .early
            }
            isLate = isOver
            poll(nil, 0, 3)
        }
        for (program, text) in self { try program.expect(text) }
        try dead.awaitEnd()
        return isLate ? .late : .unclear
    }
}

class LingeringDeathTests: StageTestCase {
    /// A program that outlives all, and serves if there is no daemon.
    private func server() throws {
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
    }

    //  A                       B
    //  write(f) granted
    //                          write(f) waits
    //  dumps core
    //                          granted
    //
    /// Rule 15.8.
    func testAHolderDumpsCore() throws {
        try server()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        try crash(a)
        try assertLines([(b, "b granted")], whileDumping: a)
    }

    //  A                       B                   C
    //  write(f) granted
    //                          write(f) waits
    //                                              write(f) waits
    //                          dumps core
    //  returns
    //                                              granted
    //
    /// Rule 18.8.
    func testAWaiterDumpsCore() throws {
        try server()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        let c = try stage.peer("C")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        c.tell("c write \(stage.path("f"))")
        try stage.untilWaits(c)
        try crash(b)
        try a.ask("a go", "a released")
        try assertLines([(c, "c granted")], whileDumping: b)
    }

    //  P                       B
    //  presents f
    //  dumps core
    //                          write(f) granted
    //
    /// Rule 15.8.
    func testAPresenterDumpsCore() throws {
        try server()
        let p = try stage.peer("P")
        let b = try stage.peer("B")
        try p.ask("p present \(stage.path("f"))", "p registered")
        try crash(p)
        b.tell("b write \(stage.path("f"))")
        try assertLines([(b, "b granted")], whileDumping: p)
    }

    /// Has a program start a child that hangs before its exec, at a pipe, and shares its memory.
    private func ghost(of program: Program) throws {
        let pipe = stage.path("pipe")
        mkfifo(pipe, 0o600)
        program.tell("x ghost \(pipe)")
        let children = "/proc/\(program.pid)/task"
        try wait(for: "a child is half made") {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: children)) ?? []
            return threads.contains {
                !(stage.text("\(children)/\($0)/children") ?? "").isEmpty
            }
        }
    }

    //  A                       B
    //  write(f) granted
    //                          write(f) waits
    //  (a child of A hangs before its exec)
    //  killed
    //                          granted
    //
    /// Rule 15.8: a dead process's claim ends although a child still shares its memory.
    func testAHolderIsKilledWhoseMemoryIsShared() throws {
        try server()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        try ghost(of: a)
        a.end()
        try b.expect("b granted")
        // The next arbiter finds no claim of the dead process, and does not wait for it either.
        if Self.serving == .daemon {
            kill(try stage.arbiter(), SIGKILL)
            try b.ask("b go", "b released")
            let c = try stage.peer("C")
            try c.ask("c write \(stage.path("f"))", "c granted")
        }
    }

    //  A                       B                   C
    //  write(f) granted
    //                          write(f) waits
    //  (the arbiter is killed, then A, whose child hangs before its exec)
    //                          granted
    //
    /// Rule 18.7: the next arbiter, which never saw A alive, sees that A is dead.
    func testTheNextArbiterSeesThatTheHolderIsDead() throws {
        try XCTSkipIf(Self.serving == .embedded, "There the arbiter is a program that coordinates")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        try ghost(of: a)
        let daemon = try stage.arbiter()
        kill(daemon, SIGSTOP)
        a.end()
        kill(daemon, SIGKILL)
        try b.expect("b granted")
    }
}

/// The same with the daemon.
final class LingeringDeathWithDaemonTests: LingeringDeathTests {
    override class var serving: Serving { .daemon }

    func testTheDaemonServes() throws { try assertDaemonServes() }
}

extension Stage {
    /// A directory in which each page that is written waits for the disk, so that dumping core
    /// there takes long, if the file system supports this.
    fileprivate func slowFolder(_ name: String) throws -> String {
        let path = try folder(name)
        let command = "/usr/bin/chattr"
        if access(command, X_OK) == 0 { try start("chattr", [command, "+S", path]).awaitEnd() }
        return path
    }
}

/// Servers that linger.
final class LingeringServerTests: StageTestCase {
    //  A                       B                   C
    //  write(f) granted, servers
    //                          write(f) waits
    //  dumps core
    //                          granted
    //                                              write(g) granted
    //
    /// Rule 18.7a: a server that dumps core serves no longer.
    func testAServerDumpsCore() throws {
        let a = try stage.firstProgram("server")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let b = try stage.peer("B")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        try crash(a)
        let c = try stage.peer("C")
        c.tell("c write \(stage.path("g"))")
        try assertLines([(b, "b granted"), (c, "c granted")], whileDumping: a)
    }

    //  A                       B                   C
    //  write(f) granted, servers
    //                          write(f) waits
    //  (a child of A hangs before its exec)
    //  killed
    //                          granted
    //                                              write(g) granted
    //
    /// Rule 18.7: the dead server's socket and its locks are all still there.
    func testAServerIsKilledWhoseMemoryIsShared() throws {
        let a = try stage.firstProgram("server")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let b = try stage.peer("B")
        b.tell("b write \(stage.path("f"))")
        try stage.untilWaits(b)
        let pipe = stage.path("pipe")
        mkfifo(pipe, 0o600)
        a.tell("x ghost \(pipe)")
        let children = "/proc/\(a.pid)/task"
        try wait(for: "a child is half made") {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: children)) ?? []
            return threads.contains {
                !(self.stage.text("\(children)/\($0)/children") ?? "").isEmpty
            }
        }
        a.end()
        try b.expect("b granted")
        let c = try stage.peer("C")
        try c.ask("c write \(stage.path("g"))", "c granted")
    }

    //  A                       B
    //  serves, watches much
    //                          read(f) granted
    //  killed
    //                          write(f) granted
    //
    /// Rule 18.7: the kernel closes the dead server's files for long, its socket and locks last.
    func testAServerIsKilledWhoseFilesAreClosedSlowly() throws {
        try assertNextServerIsEarly(file: stage.path("f")) { try stage.peer($0) }
    }

    /// Rule 18.7: the same for a program that connects to the dead server's socket.
    func testAProgramConnectsToADeadServer() throws {
        try assertNextServerIsEarly(file: stage.path("f"), connects: false) { try stage.peer($0) }
    }

    /// Rules 18.7, 18.14: the same in the usual place.
    func testItsFilesInTheUsualPlaceAreClosedSlowly() throws {
        let machine = try Machine(stage)
        try assertNextServerIsEarly(file: Machine.home + "/f") { try machine.peer($0) }
    }

    private func assertNextServerIsEarly(
        file: String, connects: Bool = true, _ peer: (String) throws -> Program
    ) throws {
        // The kernel does not always take long.
        var coming = Coming.unclear
        for _ in 0..<8 where coming == .unclear {
            let a = try peer("A")
            try a.ask("a write \(file)", "a granted")
            try a.ask("a go", "a released")
            // The kernel closes the latest files first: B's connection, then these, and then the
            // server's socket and locks. That takes less than the 200 ms after which clients look
            // whether a server is stopped.
            try a.ask("x watch \(try stage.folder("watched")) 12", "x watches")
            let b = try peer("B")
            if connects {
                try b.ask("b read \(file)", "b granted")
                try b.ask("b go", "b released")
            }
            a.signal(SIGKILL)
            try wait(for: "it is dead") {
                ProcessState.hasNoMemory(a.pid) || ProcessState.hasEnded(a.pid)
            }
            b.tell("c write \(file)")
            coming = try [(b, "c granted")].come(before: a, within: 0.06) { isClosingFiles(a.pid) }
            try b.leave()
        }
        try assert(coming)
    }

    /// A process of which only the first thread has ended is not dead, although it looks so.
    func testAServerWithoutItsFirstThreadServes() throws {
        let a = try stage.peer("A", environment: ["PEER_FIRST_THREAD": "waits"])
        try a.ask("a write \(stage.path("f"))", "a granted")
        try endFirstThread(of: a)
        XCTAssertFalse(ProcessState.hasNoMemory(a.pid))
        XCTAssertFalse(ProcessState.hasEnded(a.pid))
        let b = try stage.peer("B")
        try b.ask("b write \(stage.path("g"))", "b granted")
    }

    /// Its first access comes after its first thread has ended, as the server and as a client.
    func testAProgramWithoutItsFirstThreadBegins() throws {
        let programs = try ["A", "B"].map { name in
            let program = try stage.peer(name, environment: ["PEER_FIRST_THREAD": "waits"])
            try endFirstThread(of: program)
            try program.ask("w write \(stage.path("f"))", "w granted")
            try program.ask("w go", "w released")
            return program
        }
        try programs[1].ask("p present \(stage.path("f"))", "p registered")
        programs[0].tell("r write \(stage.path("f"))")
        try programs[1].expect("p relinquish to writer")
    }

    private func endFirstThread(of program: Program) throws {
        program.tell("x endfirst")
        try wait(for: "the first thread has ended") {
            stage.text("/proc/\(program.pid)/stat")?.contains(") Z ") == true
        }
    }
}
