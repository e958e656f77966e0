// SPDX-License-Identifier: Apache-2.0
//
// No argument, no limit and no other process may make the library end the program that uses it.
// What remains are the mistakes for which Apple raises exceptions (Rules 4.3, 4.4, 19.3 to 19.5).

import Foundation
import TestHome
import XCTest

// With an embedded server, the program whose limits are lowered is the server, too.
class TrapTests: StageTestCase {
    /// Versions and trash are of this stage, and not of the person who runs the tests.
    fileprivate var home: [String: String] {
        ["HOME": stage.directory, "XDG_DATA_HOME": stage.directory + "/data"]
    }

    /// The daemon, where it serves.
    private func server() throws -> Program? {
        Self.serving == .daemon ? try stage.daemon() : nil
    }

    fileprivate func assertServed(_ program: Program) throws {
        try program.ask("w write \(stage.path("g"))", "w granted")
        try program.ask("w go", "w released")
    }

    /// Rule 18.12: the limit of file sizes is too low for the ledger, or for any file.
    func testFilesMayNotBeLong() throws {
        _ = try server()
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

    /// Rule 18.12: the limit of file sizes is too low for the copies that versions, replacements
    /// and uploads make, and for notes in the trash.
    func testCopiesMayNotBeLong() throws {
        _ = try server()
        let contents = Data((0..<(1 << 16)).map { _ in UInt8.random(in: 0...255) })
        let (file, folder) = (stage.path("f"), try stage.folder("d"))
        // On another file system, so that replacing has to copy.
        let elsewhere = "/dev/shm/fc-long-\(getpid())"
        defer { unlink(elsewhere) }
        for path in [file, folder + "/f", elsewhere] {
            try contents.write(to: URL(fileURLWithPath: path))
        }
        let a = try stage.peer("A", environment: home)
        try a.ask("w write \(stage.path("g"))", "w granted")
        try a.ask("w version add \(file)", "w added")
        try a.ask("w version conflict \(file)", "w conflicting")
        for length in [4096, 0] {
            try stage.limit("--fsize=\(length):", of: a)
            try a.ask("w version add \(file)", "w failed")
            try a.ask("w version conflict \(file)", "w failed")
            try a.ask("w version restore \(file)", "w failed")
            try a.ask("w version resolve \(file)", "w resolved")
            try a.ask("w replace \(file) \(elsewhere)", "w could not replace")
            XCTAssertEqual(FileManager.default.contents(atPath: file), contents)
            try a.ask("r read \(file) options=forUploading", "r failed")
            try a.ask("u read \(folder) options=forUploading", "u failed")
            let trashed = try stage.file("trashed")
            try a.ask("w trash \(trashed)", length > 0 ? "w could trash" : "w could not trash")
            XCTAssertEqual(access(trashed, F_OK) == 0, length == 0)
            a.tell("k packages odd\(length) package")
            try a.expect("k")
        }
        // When the limit is raised again, everything works.
        try stage.limit("--fsize=unlimited:", of: a)
        try a.ask("w version list \(file)", "w has 2")
        try a.ask("w version restore \(file)", "w restored")
        try a.ask("w replace \(file) \(elsewhere)", "w could replace")
        try a.ask("w go", "w released")
        try a.ask("r read \(folder) options=forUploading", "r granted")
    }

    /// Rule 18.12: each limit is lowered as far as possible;
    /// an access succeeds, or fails with an error.
    func testEachLimitLowered() throws {
        _ = try server()
        try lowerEachLimit()
    }

    /// Rule 18.12: the same for a user whom the kernel holds to the limits of processes and locked
    /// memory, which root is not.
    func testEachLimitLoweredForAnOrdinaryUser() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        try XCTSkipUnless(
            access("/usr/bin/setpriv", X_OK) == 0 && Products.isForAllUsers(Products.peer),
            "Another user cannot start \(Products.peer).")
        chmod(stage.directory, 0o777)
        let wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if Self.serving == .daemon {
            let daemon = try stage.start("daemon", wrapper + [Products.daemon])
            try daemon.expect("serving", inside: true)
        }
        let refused = try lowerEachLimit(through: wrapper)
        XCTAssertTrue(refused.contains("nproc=0"), "\(refused)")
    }

    /// With `+`, megabytes beyond what the program uses.
    private static let lowLimits = [
        "nproc=0", "memlock=0", "core=0", "cpu=3600", "locks=0", "sigpending=0", "msgqueue=0",
        "nice=0", "rtprio=0", "rttime=0", "fsize=0", "nofile=10", "rss=0", "stack=16384",
        // A little room, without which the Swift runtime ends the program.
        "data=+10", "as=+10", "as=+30",
    ]

    /// Lowers each limit of a program before its first access, and before another one.
    ///
    /// - Returns: the limits with which the first access failed.
    @discardableResult
    private func lowerEachLimit(through wrapper: [String] = []) throws -> [String] {
        var refused: [String] = []
        // A sanitizer needs terabytes of addresses, and much memory.
        for limit in Self.lowLimits where !Stage.isSanitized || !limit.contains("+") {
            let a = try stage.peer("A", environment: home, through: wrapper)
            for name in ["g", "h"] {
                try a.ask("w prepared write \(stage.path(name))", "w stands by")
                try stage.limit("--\(value(limit, of: a)):", of: a, through: wrapper)
                a.tell("w go")
                let answer = try a.expect("w")
                if answer.hasPrefix("w granted") {
                    try a.ask("w go", "w released")
                } else {
                    XCTAssertTrue(
                        answer.hasPrefix("w failed FileCoordinationErrorDomain"),
                        "\(limit): \(answer)")
                    refused.append(limit)
                }
                // When the limit is raised again, the program coordinates as before.
                for raised in ["fsize=unlimited", "data=unlimited", "as=unlimited", "nofile=1024"] {
                    try stage.limit("--\(raised):", of: a, through: wrapper)
                }
                // The hard limit may be lower than "unlimited".
                try stage.limit("--nproc=256:", of: a, through: wrapper)
                try assertServed(a)
            }
            a.end()
        }
        return refused
    }

    /// A limit of ``lowLimits`` for a program, as `prlimit` takes it.
    private func value(_ limit: String, of program: Program) throws -> String {
        let parts = limit.split(separator: "+")
        guard parts.count == 2, let megabytes = Int(parts[1]) else { return limit }
        let used = parts[0] == "as=" ? "VmSize:" : "VmData:"
        let status = stage.text("/proc/\(program.pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(used) }
        let kilobytes = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first
        let bytes = try XCTUnwrap(kilobytes.flatMap { Int($0) }) << 10
        return "\(parts[0])\(bytes + megabytes << 20)"
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
        let daemon = try server()
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
        if let daemon { XCTAssertEqual(try stage.arbiter(), daemon.pid) }
    }
}

final class TrapWithDaemonTests: TrapTests {
    override class var serving: Serving { .daemon }

    func testTheDaemonServes() throws { try assertDaemonServes() }

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
            "queries", "providers", "two items", "two items in tasks", "several holds",
            "holds in tasks", "strangers", "raw values", "errors", "resource values",
            "replacements", "dates", "versions in tasks",
        ]
        for step in steps { try a.expect("x did \(step)", within: test_patience(60)) }
        try assertServed(a)
    }
}
