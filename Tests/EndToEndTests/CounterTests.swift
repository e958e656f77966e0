// SPDX-License-Identifier: Apache-2.0
//
// Many processes, one number: the sum tells whether two accessors ever overlapped (Rule 2.3).

import FileCoordinationWire
import TestHome
import XCTest

class CounterTests: StageTestCase {
    private var processes: Int { TestEnvironment.isLong ? 64 : 16 }
    private var times: Int { TestEnvironment.isLong ? 200 : 20 }
    private var patience: TimeInterval { test_patience(TestEnvironment.isLong ? 1200 : 120) }

    //  1             2             3             ...
    //  read, add 1,  read, add 1,  read, add 1,
    //  write         write         write
    //
    /// Rules 2.3 and 2.12.
    func testTheSumIsExact() throws {
        let file = try stage.file("f", "0")
        let programs = try (1...processes).map { try stage.peer("\($0)") }
        for program in programs { program.tell("c count \(file) \(times)") }
        for program in programs { try program.expect("c counted", within: patience) }
        XCTAssertEqual(stage.text(file), "\(processes * times)")
    }

    //  1             2             3             ...         server
    //  append a record under a claim, each                   killed every 100 ms
    //
    /// Rules 15.8 and 18.7: the process that serves is killed; if it was one of the processes,
    /// another one writes what that one had still to write.
    func testTheSumIsExactWhileArbitersAreKilled() throws {
        // Much of the time there is no arbiter.
        let times = TestEnvironment.isLong ? self.times : 10
        let file = try stage.file("f", "")
        var running: [Program] = []
        var owed: [pid_t: Int] = [:]
        func start(_ name: String, owing times: Int) throws {
            let program = try stage.peer(name)
            program.tell("c journal \(file) \(times)")
            running.append(program)
            owed[program.pid] = times
        }
        for number in 1...processes { try start("\(number)", owing: times) }
        var kills = 0
        let end = Date() + patience
        while let program = running.first {
            guard Date() < end else {
                throw StageError("\(program.name) and \(running.count - 1) others are not done")
            }
            running.removeAll { $0.said("c counted") }
            if let failed = running.first(where: { $0.said("c failed") }) {
                throw StageError("\(failed.name) failed: \(failed.lines)")
            }
            poll(nil, 0, 100)
            guard let arbiter = stage.report()?.arbiter.processID else { continue }
            kill(arbiter, SIGKILL)
            kills += 1
            guard let index = running.firstIndex(where: { $0.pid == arbiter }) else { continue }
            let killed = running.remove(at: index)
            killed.end()
            let rest = try (owed[arbiter] ?? 0) - JournalOfMany(file).count(of: arbiter)
            if rest > 0 { try start("replacement \(kills)", owing: rest) }
        }
        let journal = try JournalOfMany(file)
        XCTAssertEqual(journal.numbers, Array(1...(processes * times)))
        XCTAssertEqual(journal.gaps, [])
        XCTAssertGreaterThan(kills, 0)
    }
}

/// The same with the daemon.
final class CounterWithDaemonTests: CounterTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
