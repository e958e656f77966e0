// SPDX-License-Identifier: Apache-2.0
//
// The library is a guest in its program: no argument, no limit and no other process may make it end
// that. What remains are the mistakes for which Apple raises exceptions (Rules 4.3, 4.4, 19.3 to
// 19.5).

import Foundation
import TestHome
import XCTest

final class TrapTests: StageTestCase {
    override class var serving: Serving { .daemon }

    /// Versions and trash are of this stage, and not of the person who runs the tests.
    private var home: [String: String] {
        ["HOME": stage.directory, "XDG_DATA_HOME": stage.directory + "/data"]
    }

    private func assertServed(_ program: Program) throws {
        try program.ask("w write \(stage.path("g"))", "w granted")
        try program.ask("w go", "w released")
    }

    /// Rules 1.10, 18.12: whatever a public function is called with, it returns.
    func testAbsurdArguments() throws {
        let a = try stage.peer("A", environment: home)
        let folder = try stage.folder("d")
        a.tell("x absurd \(folder)")
        let steps = [
            "one item", "options", "timeouts", "tasks", "purposes", "intents", "batches",
            "announcements",
            "presenters", "nesting", "packages", "versions", "neighbours", "replacing",
            "containers", "holds", "joining", "labels", "changes", "orphans", "conflicts",
            "queries", "providers",
        ]
        for step in steps { try a.expect("x did \(step)", within: test_patience(60)) }
        try assertServed(a)
    }

    /// Rule 18.12: files may not be as long as the ledger, or as any.
    func testFilesMayNotBeLong() throws {
        _ = try stage.daemon()
        for length in [0, 4096, 1 << 20, (24 << 20) - 1] {
            let a = try stage.peer("A", environment: home)
            try stage.limit("--fsize=\(length):", of: a)
            try a.ask(
                "w write \(stage.path("g")) explain", "w failed FileCoordinationErrorDomain 1")
            let sentence = try a.expect("w because")
            XCTAssertTrue(sentence.contains("File too large"), sentence)
            try stage.limit("--fsize=unlimited:", of: a)
            try assertServed(a)
            a.end()
        }
    }

    /// Rule 18.12: a ledger that may not grow.
    func testALedgerThatMayNotGrow() throws {
        let a = try stage.peer("A", environment: home)
        try assertServed(a)
        try stage.limit("--fsize=4096:", of: a)
        try a.ask("m many \(try stage.folder("d")) 200", "m asked")
        try a.expect("m refused FileCoordinationErrorDomain 1")
        try stage.limit("--fsize=unlimited:", of: a)
        try assertServed(a)
    }

    /// Rule 18.12: each limit is lowered as far as it goes; there is an error, or there is access.
    func testEachLimitLowered() throws {
        _ = try stage.daemon()
        for limit in [
            "nproc=0", "memlock=0", "core=0", "cpu=3600", "locks=0", "sigpending=0", "msgqueue=0",
            "nice=0", "rtprio=0", "rttime=0", "fsize=0", "nofile=10", "rss=0", "stack=16384",
            "data=",
        ] {
            let a = try stage.peer("A", environment: home)
            // One thread more, and a little: without any, the Swift runtime ends the program.
            let room = limit == "data=" ? try "\(data(of: a) + (10 << 20))" : ""
            try stage.limit("--\(limit)\(room):", of: a)
            a.tell("w write \(stage.path("g")) explain")
            let answer = try a.expect("w")
            if answer.hasPrefix("w granted") {
                try a.ask("w go", "w released")
            } else {
                XCTAssertTrue(
                    answer.hasPrefix("w failed FileCoordinationErrorDomain"), "\(limit): \(answer)")
            }
            // It is no worse for that.
            try stage.limit("--nofile=1024:", of: a)
            try stage.limit("--fsize=unlimited:", of: a)
            try stage.limit("--data=unlimited:", of: a)
            try assertServed(a)
            a.end()
        }
    }

    /// The bytes that `RLIMIT_DATA` counts, of a process.
    private func data(of program: Program) throws -> Int {
        let status = stage.text("/proc/\(program.pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first { Int($0) != nil }
        return try XCTUnwrap(kilobytes.flatMap { Int($0) }) << 10
    }

    /// Rule 18.12: other libraries have taken all of the process's thread keys.
    func testNoThreadKeyIsLeft() throws {
        let a = try stage.peer("A", environment: home)
        try a.ask("k keys", "k keys")
        try assertServed(a)
        try a.ask("p present \(stage.path("f"))", "p registered")
        let b = try stage.peer("B", environment: home)
        b.tell("b write \(stage.path("f"))")
        try a.expect("p relinquish to writer")
        a.tell("p answer")
        try b.expect("b granted")
    }

    /// The ledger of a program.
    private func ledger(of program: Program) throws -> String {
        let directory = stage.runtime + "/ledgers"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        let name = names.first { $0.hasPrefix("\(program.pid)-") && $0.hasSuffix(".ledger") }
        return directory + "/" + (try XCTUnwrap(name))
    }

    //  A                       B
    //  write(f) granted
    //                          write(f) waits
    //  (B's ledger is truncated)
    //                          error
    //                          write(g): error
    //  (A's ledger is truncated)
    //  returns
    //  write(g): error
    //
    /// Rule 18.8: truncating a ledger ends no process.
    func testAnotherProcessTruncatesALedger() throws {
        let daemon = try stage.daemon()
        let a = try stage.peer("A", environment: home)
        let b = try stage.peer("B", environment: home)
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b write \(stage.path("f")) explain")
        try stage.untilWaits(b)
        XCTAssertEqual(truncate(try ledger(of: b), 0), 0)
        try b.expect("b failed FileCoordinationErrorDomain 1")
        XCTAssertTrue(try b.expect("b because").contains("truncated"))
        try b.ask("w write \(stage.path("g"))", "w failed FileCoordinationErrorDomain 1")
        XCTAssertEqual(truncate(try ledger(of: a), 0), 0)
        try a.ask("a go", "a released")
        try a.ask("w write \(stage.path("g"))", "w failed FileCoordinationErrorDomain 1")
        let c = try stage.peer("C", environment: home)
        XCTAssertEqual(truncate(stage.runtime + "/epoch", 0), 0)
        try c.ask("c write \(stage.path("g"))", "c granted")
        try c.ask("c go", "c released")
        XCTAssertEqual(try stage.arbiter(), daemon.pid)
    }
}
