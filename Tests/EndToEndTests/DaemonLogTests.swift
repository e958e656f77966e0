// SPDX-License-Identifier: Apache-2.0
//
// The daemon's log: one line for each event, no line if there is no problem, and priorities for the
// journal if the log goes there.

import XCTest

final class DaemonLogTests: StageTestCase {
    private let silent = ["FILECOORDINATION_LOG": ""]

    /// Runs a daemon that serves one access and ends; returns what it wrote.
    ///
    /// On a busy machine the daemon may end, idle, before the access comes. The accessing program
    /// then serves itself, and the daemon is run again.
    private func life(
        _ arguments: [String], environment: [String: String] = [:], through: [String] = []
    ) throws -> [String] {
        while true {
            let a = try stage.peer("A", environment: ["FILECOORDINATIOND": ""])
            let daemon = try stage.start(
                "daemon", through + [Products.daemon, "--idle-exit", "0.5"] + arguments,
                environment: silent.merging(environment) { $1 })
            try stage.untilThereIs(stage.runtime + "/socket")
            try a.ask("a write \(stage.path("f"))", "a granted")
            let server = try stage.arbiter()
            try a.ask("a go", "a released")
            try a.leave()
            XCTAssertEqual(try daemon.awaitEnd(), 0)
            if server == daemon.pid { return daemon.lines }
        }
    }

    func testADaemonWithoutComplaintWritesNothing() throws {
        XCTAssertEqual(try life([]), [])
        XCTAssertEqual(
            try life(["--log", "off"], environment: ["FILECOORDINATION_LOG": "info"]), [])
    }

    func testOneLineTellsOneEvent() throws {
        let lines = try life(["--log", "info"])
        let events = lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("event=") }.map(String.init)
        }
        XCTAssertEqual(events, ["event=start", "event=serving", "event=leaving"], "\(lines)")
        XCTAssertTrue(lines[0].contains("by=hand"), lines[0])
        XCTAssertTrue(lines[0].contains("place=\(stage.runtime) "), lines[0])
        XCTAssertTrue(lines[1].contains(" recovered_claims=0"), lines[1])
        XCTAssertTrue(lines[2].contains("reason=idle"), lines[2])
        for line in lines { XCTAssertTrue(line.hasPrefix("! filecoordinationd["), line) }
        XCTAssertTrue(
            try life([], environment: ["FILECOORDINATION_LOG": "debug"])
                .contains { $0.contains("event=client-removed pid=") })
    }

    /// `JOURNAL_STREAM` names the journal's stream by device and inode, as systemd.exec(5) says.
    func testTheJournalGetsPriorities() throws {
        let script = "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec \"$0\" \"$@\""
        let lines = try life(["--log", "info"], through: ["/bin/sh", "-c", script])
        XCTAssertEqual(lines.count, 3, "\(lines)")
        for line in lines { XCTAssertTrue(line.hasPrefix("! <6>event="), line) }
        // Here `JOURNAL_STREAM` names another stream than standard error.
        let others = try life(["--log", "info"], environment: ["JOURNAL_STREAM": "1:2"])
        XCTAssertFalse(others.contains { $0.contains("<6>") }, "\(others)")
    }

    func testATakeoverNamesWhatItHasRecovered() throws {
        let holder = try stage.peer("holder")
        try holder.ask("h write \(stage.path("f"))", "h granted")
        let daemon = try stage.daemon()
        XCTAssertTrue(daemon.lines.contains { $0.contains("recovered_claims=1") })
        try holder.ask("h go", "h released")
    }

    /// Rule 18.7a.
    func testADaemonThatIsDeposedSaysSo() throws {
        let daemon = try stage.daemon()
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        try daemon.stop()
        let b = try stage.peer("B")
        try b.ask("b write \(stage.path("g"))", "b granted")
        daemon.signal(SIGCONT)
        try daemon.awaitEnd()
        try daemon.expect("reason=deposed", inside: true)
    }
}
