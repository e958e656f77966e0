// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status --metrics`: the text format, and what is counted of real accesses.

import FileCoordinationWire
import Foundation
import XCTest

@testable import filecoord

final class MetricsTests: XCTestCase {
    private func lines(_ report: MetricsReport?) -> [String] {
        MetricsText.text(report).split(separator: "\n").map { String($0) }
    }

    private func report(_ waits: UInt64...) -> MetricsReport {
        var histogram = DurationHistogram()
        for wait in waits { histogram.add(wait) }
        return MetricsReport(
            arbiter: ArbiterStatus(
                processID: 1, kind: .embedded, uptimeNanoseconds: 1_500_000_000,
                protocolVersion: 5),
            epoch: 2, clients: 3, counts: [.claimsFiled: 7], waits: histogram)
    }

    func testWithoutAnArbiterThereIsOneLineOfData() {
        XCTAssertEqual(
            lines(nil),
            [
                "# HELP filecoordination_up Whether a server runs.",
                "# TYPE filecoordination_up gauge", "filecoordination_up 0",
            ])
    }

    func testEachMetricHasItsHelpAndItsTypeOnceBeforeItsSamples() {
        var known: Set<String> = []
        var family = ""
        for line in lines(report(1)) {
            let words = line.split(separator: " ", maxSplits: 3).map { String($0) }
            if line.hasPrefix("# HELP ") {
                family = words[2]
                XCTAssertTrue(known.insert(family).inserted, line)
                XCTAssertFalse(words[3].isEmpty)
                continue
            }
            if line.hasPrefix("# TYPE ") {
                XCTAssertEqual(words[2], family)
                XCTAssertTrue(["gauge", "counter", "histogram"].contains(words[3]), line)
                XCTAssertEqual(words[3] == "counter", family.hasSuffix("_total"), line)
                continue
            }
            XCTAssertTrue(line.hasPrefix(family), line)
            XCTAssertNotNil(Double(words[words.count - 1]), line)
        }
        XCTAssertGreaterThan(known.count, ServerCounter.allCases.count)
    }

    func testAHistogramIsCumulativeAndInSeconds() {
        let waits = lines(report(50_000, 1_000_000, 2_000_000_000, 3_000_000_000_000))
            .filter { $0.hasPrefix("filecoordination_claim_wait_seconds") }
        XCTAssertEqual(
            waits.map { $0.dropFirst("filecoordination_claim_wait_seconds".count) },
            [
                "_bucket{le=\"0.0001\"} 1", "_bucket{le=\"0.001\"} 2", "_bucket{le=\"0.01\"} 2",
                "_bucket{le=\"0.1\"} 2", "_bucket{le=\"1.0\"} 2", "_bucket{le=\"10.0\"} 3",
                "_bucket{le=\"60.0\"} 3", "_bucket{le=\"600.0\"} 3", "_bucket{le=\"+Inf\"} 4",
                "_sum 3002.00105", "_count 4",
            ])
        XCTAssertTrue(lines(report()).contains("filecoordination_server_uptime_seconds 1.5"))
        XCTAssertTrue(lines(report()).contains("filecoordination_claims_filed_total 7"))
    }

    // MARK: Real accesses

    func testAWaitAQuestionAndAGrantAreCounted() throws {
        try withEachArbiter { sandbox in
            XCTAssertEqual(try sandbox.metrics(), ["up": 0])
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            let presenter = try sandbox.startPresenting("b")
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("read", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let before = try sandbox.metrics()
            XCTAssertEqual(before["up"], 1)
            XCTAssertEqual(before["claims_waiting"], 1)
            XCTAssertEqual(before["presenters"], 1)
            XCTAssertEqual(before["presenters_added_total"], 1)
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
            XCTAssertEqual(try sandbox.run("write", "b", input: "x").status, 0)

            let after = try sandbox.metrics()
            func growth(_ name: String) -> Double { (after[name] ?? -1) - (before[name] ?? 0) }
            XCTAssertEqual(after["claims_waiting"], 0)
            XCTAssertEqual(growth("presenter_questions_total"), 1)
            XCTAssertEqual(growth("presenter_answers_total"), 1)
            XCTAssertEqual(growth("presenter_answer_seconds_count"), 1)
            XCTAssertGreaterThanOrEqual(growth("claims_granted_total"), 2)
            XCTAssertEqual(
                growth("claim_wait_seconds_count"), growth("claims_granted_total"))
            XCTAssertGreaterThan(growth("claim_wait_seconds_sum"), 0)
            XCTAssertEqual(after["server_epoch"], before["server_epoch"])
            presenter.closeInput()
        }
    }

    func testADeathIsCountedIfTheProcessHadSomething() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            let presenter = try sandbox.startPresenting("b")
            let before = try sandbox.metrics()
            for name in ["a", "b"] {
                XCTAssertEqual(try sandbox.run("write", name, "--", "true").status, 0)
            }
            let holder = try sandbox.startHolding("write", "a")
            // The writers are gone, and the holder has come.
            try awaitMetrics(sandbox, "the ends of the writers") {
                $0["clients"] == (before["clients"] ?? 0) + 1
            }
            XCTAssertEqual(
                try sandbox.metrics()["client_deaths_total"], before["client_deaths_total"])
            holder.kill(SIGKILL)
            try awaitMetrics(sandbox, "the end of the holder") {
                $0["clients"] == before["clients"]
            }
            XCTAssertEqual(
                try sandbox.metrics()["client_deaths_total"],
                (before["client_deaths_total"] ?? 0) + 1)
            presenter.closeInput()
        }
    }

    private func awaitMetrics(
        _ sandbox: Sandbox, _ what: String, _ condition: ([String: Double]) -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        while Date() < deadline {
            if condition(try sandbox.metrics()) { return }
        }
        throw Impatience(what: what, seen: try sandbox.run("status", "--metrics").output)
    }

    func testItGoesWithNothingElse() throws {
        try with { sandbox in
            for other in ["--json", "--watch", "a"] {
                let outcome = try sandbox.run("status", "--metrics", other)
                XCTAssertEqual(outcome.status, 64)
                XCTAssertTrue(outcome.errors.contains("leave out"), outcome.errors)
            }
        }
    }
}
