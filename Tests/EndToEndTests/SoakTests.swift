// SPDX-License-Identifier: Apache-2.0
//
// The proofs with real processes, small: CONTRIBUTING.md has the commands for the long ones. What
// they measure is not judged here, since a machine that builds something else meanwhile is slow. So
// their bounds are wide: one that hangs fails, and one that is slow does not.

import XCTest

class SoakTests: StageTestCase {
    private var serving: String { Self.serving == .daemon ? "daemon" : "embedded" }

    /// Runs one proof, which brings a field of its own.
    fileprivate func prove(_ words: String...) throws {
        let seed = ProcessInfo.processInfo.environment["FILECOORDINATION_SEED"]
        let program = try stage.start(
            "soak",
            [Products.soak] + words + ["--serving", serving]
                + (seed.map { ["--seed", $0] } ?? []))
        let verdict = try program.awaitEnd(within: 10 * Program.patience)
        XCTAssertEqual(verdict, 0, "\(words): \(program.lines)")
        try program.expect("OK:", inside: true)
    }

    /// Rules 2.1 to 2.3, 2.14, 18.7 and 18.8.
    ///
    /// The directory is not emptied: on a busy machine, not all clients come in 50 ms (Rule 18.14).
    func testClientsAndArbitersAreKilled() throws {
        try prove(
            "kills", "--kills", "60", "--arbiter-kills", "8", "--processes", "8", "--files", "20",
            "--rate", "60", "--bound", "30000", "--idle-bound", "8", "--empties-every", "1000000")
    }

    /// Rule 18.7: the normal exit of a server; without one there is nothing to see.
    func testServersExit() throws {
        try XCTSkipIf(Self.serving == .daemon, "A daemon exits when no program needs it.")
        try prove(
            "exits", "--exits", "10", "--processes", "8", "--files", "20", "--rate", "60",
            "--bound", "30000", "--idle-bound", "8")
    }

    /// Rules 2.3 and 18.8: no gap, no value twice.
    func testAJournalHasNoGapAndNoValueTwice() throws {
        try prove("counter", "--count", "1000", "--forks-every", "20", "--processes", "6")
    }

    /// Rules 18.6 and 18.7a: no claim overlaps a stopped holder's, and no program gets an error.
    func testAllKindsOfProcessesAreStopped() throws {
        try prove(
            "stops", "--stops", "20", "--longest", "0.5", "--processes", "8", "--files", "12",
            "--rate", "60", "--usual-bound", "30", "--presenter-bound", "60", "--server-bound",
            "60", "--empties-every", "1000000")
    }

    /// A file is never more open to other users than
    /// before, wherever the program that replaces it dies.
    func testNoReplacementGivesAwayRights() throws {
        try prove("rights", "--documents", "20")
    }

    /// Rules 18.2 and 18.11.
    func testThousandsOfTasksWait() throws {
        try prove("async", "--waits", "1500", "--late-bound", "5000", "--cancel-bound", "5000")
    }

    /// Rules 1.15 and 7.14: claims are granted while a plain program writes many files beside them.
    func testClaimsAreGrantedBesideAFloodOfPlainChanges() throws {
        try prove("flood", "--files", "4000", "--bound", "10")
    }

    /// Rules 7.7, 7.14 and 11.9: a copy made from messages alone becomes equal to a tree that a
    /// coordinated and a plain program change, and no change is told as the other one's.
    func testACopyMadeFromMessagesBecomesEqual() throws {
        try prove("changes", "--operations", "1200")
    }

    /// Rule 18.4: ordinary claims are never taken for a cycle.
    func testOrdinaryClaimsAreNoCycles() throws {
        try prove("cycles", "--count", "500", "--processes", "4")
    }
}

/// The same with the daemon.
final class SoakWithDaemonTests: SoakTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
