// SPDX-License-Identifier: Apache-2.0
//
// A client that misuses the arbiter costs the others at most twice what a process costs them that
// keeps the same processor busy without coordinating. All programs are pinned to one processor, so
// that their shares of it are compared: medians of nine alternating repetitions. That takes minutes
// and a release build. The short form compares the daemon's processor time beside few claims with
// that beside many, so it holds on any machine.
//
//     FILECOORDINATION_LONG=1 swift test --filter FloodTests

import TestHome
import XCTest

final class FloodTests: StageTestCase {
    override class var serving: Serving { .daemon }

    private static let repetitions = 9
    private static let accesses = 2000

    private var pinned: [String] { ["/usr/bin/taskset", "-c", "0"] }

    /// The mean time of an access beside a process of that kind, in microseconds.
    private func measure(beside kind: String, _ victim: Program) throws -> Double {
        let other = try stage.peer("other", through: pinned)
        try other.ask("o flood \(kind) \(stage.path("flooded"))", "o floods")
        defer { other.end() }
        return try measure(victim).mean
    }

    /// The mean and the longest time of an access, in microseconds.
    private func measure(_ victim: Program) throws -> (mean: Double, longest: Double) {
        victim.tell("m measure \(stage.path("f")) \(Self.accesses)")
        let answer = try victim.expect("m measured", within: 4 * Program.patience)
        let times = answer.split(separator: " ").suffix(3).compactMap { Double($0) }
        guard times.count == 3 else { throw StageError("no times in \(answer)") }
        return (times[1] / 1000, times[2] / 1000)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// Issue 16, in short: an access costs the daemon no more beside four times as many claims of
    /// others, in one queue or made inside one accessor.
    func testAnAccessCostsNoMoreBesideLongLines() throws {
        let daemon = try stage.daemon()
        let flooded = try stage.file("flooded")
        let victim = try stage.peer("victim", environment: ["FILECOORDINATION_DELEGATION": "off"])
        try victim.ask("m measure \(try stage.file("f")) 10", "m measured")
        for kind in ["claims", "nested"] {
            var costs: [Int: [UInt64]] = [:]
            for _ in 1...3 {
                for count in [250, 1000] {
                    let other = try stage.peer("other")
                    other.tell("o flood \(kind) \(flooded) count=\(count) still")
                    try other.expect("o floods", within: test_patience(120))
                    let before = try processorTime(of: daemon.pid)
                    victim.tell("m measure \(stage.path("f")) 200")
                    try victim.expect("m measured", within: test_patience(120))
                    costs[count, default: []].append(try processorTime(of: daemon.pid) - before)
                    other.end()
                }
            }
            // Other work of the machine can only add to the
            // costs, so the smallest ones are compared.
            let (few, many) = (costs[250]?.min() ?? 0, costs[1000]?.min() ?? .max)
            print("beside \(kind): 250: \(few / 200) ns an access, 1000: \(many / 200) ns")
            XCTAssertLessThan(Double(many), 3 * Double(few), "\(kind): \(costs)")
        }
    }

    /// What a process has used of the processors, in nanoseconds.
    private func processorTime(of process: pid_t) throws -> UInt64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw StageError("process \(process) has no clock")
        }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A program whose accesses are measured, and the daemon, on one processor.
    private func pinnedVictim() throws -> Program {
        try XCTSkipUnless(access(pinned[0], X_OK) == 0, "There is no \(pinned[0]).")
        let daemon = try stage.start("daemon", pinned + [Products.daemon])
        try daemon.expect("serving", inside: true)
        try stage.file("flooded")
        // Without delegation its accesses go through the server, where a flood can delay them.
        let victim = try stage.peer(
            "victim", environment: ["FILECOORDINATION_DELEGATION": "off"], through: pinned)
        try victim.ask("m measure \(try stage.file("f")) 300", "m measured")
        return victim
    }

    /// Issue 4: a client that floods, never reads, or claims everything.
    func testAFloodCostsAtMostTwiceWhatABurnerCosts() throws {
        try XCTSkipUnless(TestEnvironment.isLong, "Takes a minute; set FILECOORDINATION_LONG=1.")
        let victim = try pinnedVictim()
        let kinds = ["burn", "messages", "status", "claims", "nested", "deaf", "accesses"]
        var times: [String: [Double]] = [:]
        for _ in 1...Self.repetitions {
            for kind in kinds { times[kind, default: []].append(try measure(beside: kind, victim)) }
        }
        let base = median(times["burn"] ?? [])
        for kind in kinds {
            let time = median(times[kind] ?? [])
            print("beside \(kind): \(Int(time)) µs an access, \(time / base) of the burner's")
            XCTAssertLessThan(time, 2 * base, kind)
        }
    }

    /// Issue 16: status, asked again and again, of a file that thousands wait for.
    ///
    /// It may cost others 1.44 times what a process costs them that only burns the same processor.
    func testStatusBesideThousandsOfWaiters() throws {
        try XCTSkipUnless(TestEnvironment.isLong, "Takes minutes; set FILECOORDINATION_LONG=1.")
        let victim = try pinnedVictim()
        for count in [2000, 16000] {
            let waiters = try stage.peer("waiters", through: pinned)
            waiters.tell("o flood claims \(stage.path("flooded")) count=\(count) still")
            try waiters.expect("o floods", within: 4 * Program.patience)
            let others = [
                "burn": "while :; do :; done",
                "status": "while :; do \(Products.filecoord) status >/dev/null; done",
            ]
            var times: [String: [(mean: Double, longest: Double)]] = [:]
            for _ in 1...Self.repetitions {
                for (name, script) in others {
                    let other = try stage.start(name, pinned + ["/bin/sh", "-c", script])
                    times[name, default: []].append(try measure(victim))
                    other.end()
                }
            }
            let base = median((times["burn"] ?? []).map(\.mean))
            let time = median((times["status"] ?? []).map(\.mean))
            let longest = times.mapValues { median($0.map(\.longest)) }
            print(
                "status of \(count) waiters: \(Int(time)) µs an access, \(time / base) of the "
                    + "burner's; median of the longest, µs: \(longest)")
            XCTAssertLessThan(time, 1.44 * base)
            waiters.end()
        }
    }
}
