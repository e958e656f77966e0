// SPDX-License-Identifier: Apache-2.0
//
// `filecoord report` and `filecoord graph`: what they make of real waits.

import FileCoordinationArbiter
import FileCoordinationWire
import Foundation
import XCTest

@testable import FileCoordinationTracing

final class ReportTests: XCTestCase {
    /// Records a wait behind a writer, and the presenter of the file.
    private func recordAWait(_ sandbox: Sandbox) throws {
        try sandbox.makeFile("a<b>", "")
        let presenter = try sandbox.startPresenting("a<b>")
        // COMMAND starts when the recording has begun.
        let recorder = try sandbox.start(
            "record", "-q", "-o", "trace", "--", "sh", "-c", "echo begun; cat >/dev/null")
        try recorder.awaitLine("begun")
        let holder = try sandbox.startHolding("write", "a<b>")
        let waiter = try sandbox.start("write", "--label", "</script>", "a<b>", "--", "true")
        try sandbox.awaitWaiters(1)
        holder.closeInput()
        XCTAssertEqual(try waiter.exitStatus(), 0)
        recorder.closeInput()
        XCTAssertEqual(try recorder.exitStatus(), 0, recorder.errorText)
        presenter.closeInput()
    }

    private func between(_ start: String, _ end: String, in text: String) throws -> String {
        let from = try XCTUnwrap(text.range(of: start))
        let to = try XCTUnwrap(text[from.upperBound...].range(of: end))
        return String(text[from.upperBound..<to.lowerBound])
    }

    func testTheLongestWaitIsToldWithItsCause() throws {
        try with { sandbox in
            try recordAWait(sandbox)
            let text = try sandbox.run("report", "trace").output
            XCTAssertTrue(text.contains("2 accesses of"), text)
            XCTAssertTrue(text.contains(TraceWriter.unseen), text)
            let file = sandbox.path("a<b>")
            let wait = try between("  </script> (pid ", "\n", in: text)
            XCTAssertTrue(wait.contains("to write \(file), "), text)
            XCTAssertTrue(text.contains(" held or was ahead for "), text)
            XCTAssertEqual(try sandbox.run("report", "trace", "-o", "report").status, 0)
            XCTAssertEqual(try sandbox.content("report"), text)
        }
    }

    func testTheFormatOfViewersHasABeginningAndAnEndOfEachSpan() throws {
        try with { sandbox in
            try recordAWait(sandbox)
            let outcome = try sandbox.run("report", "--format", "perfetto", "trace")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let events = try XCTUnwrap(
                (value as? [String: Any])?["traceEvents"] as? [[String: Any]])
            var open: [String: [String]] = [:]
            var spans = 0
            for event in events {
                let identifier = event["id"] as? String ?? ""
                let name = try XCTUnwrap(event["name"] as? String)
                switch event["ph"] as? String {
                case "b":
                    open[identifier, default: []].append(name)
                    spans += 1
                case "e": XCTAssertEqual(open[identifier]?.popLast(), name)
                case let phase: XCTAssertTrue(["M", "i"].contains(phase), "\(event)")
                }
                if event["ph"] as? String != "M" { XCTAssertNotNil(event["ts"] as? Double) }
            }
            XCTAssertTrue(open.values.allSatisfy(\.isEmpty), "\(open)")
            // Two accesses, their states, and at least one question.
            XCTAssertGreaterThan(spans, 5)
        }
    }

    func testWhatIsNoTraceIsSaidToBeNone() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text\n")
            let outcome = try sandbox.run("report", "a")
            XCTAssertEqual(outcome.status, 66)
            XCTAssertTrue(outcome.errors.contains("is no trace"), outcome.errors)
            XCTAssertEqual(try sandbox.run("report", "none").status, 66)
        }
    }

    // MARK: The graph

    func testTheGraphShowsWhoWaitsNow() throws {
        try withEachArbiter { sandbox in
            XCTAssertTrue(try sandbox.run("graph").output.contains("digraph"))
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            let holder = try sandbox.startHolding("write", "--label", "one \"1\"", "a")
            let other = try sandbox.startHolding("write", "b")
            let waiter = try sandbox.start("read", "--label", "two & <2>", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let dot = try sandbox.run("graph").output
            XCTAssertEqual(dot.components(separatedBy: " -> ").count, 2, dot)
            XCTAssertTrue(dot.contains("one \\\"1\\\" (pid \(holder.processID))"), dot)
            XCTAssertFalse(dot.contains(sandbox.path("b")), dot)
            XCTAssertTrue(try sandbox.run("graph", "--all").output.contains(sandbox.path("b")))
            XCTAssertFalse(try sandbox.run("graph", "b").output.contains(" -> "))
            for command in [holder, other] { command.closeInput() }
            XCTAssertEqual(try waiter.exitStatus(), 0)
        }
    }

    func testOddNamesAreEscaped() {
        let report = StatusReport.of(
            [.claim(1, .writing([]), at: "/a\"\u{301}\\\u{301}\u{ffff}b")],
            [.presenter(2, at: "/z")])
        var part = report
        part.presenters = []
        let graph = WaitGraph(report, isWhole: true, part: part)
        // What was not asked about is left out.
        XCTAssertEqual(graph.nodes.map(\.name), ["claim1"])
        let dot = graph.dot
        // The name's backslash is escaped for people first, and then for Graphviz.
        let name = "/a\\\"\u{301}\\\\\\\\\u{301}"
        XCTAssertNotNil(Data(dot.utf8).range(of: Data(name.utf8)), dot)
    }

    func testAGraphWithACycle() {
        func claim(_ number: UInt64, for others: [UInt64]) -> FileCoordinationWire.ClaimStatus {
            FileCoordinationWire.ClaimStatus(
                claim: number, processID: 1, processName: "p", purpose: [], stage: .waiting,
                since: .zero, isStopped: false, items: [],
                waitsFor: others.map { other in
                    Party(
                        claim: other, presenter: nil, processID: 1, processName: "p", purpose: [],
                        path: [], role: .waiter, since: .zero, message: nil,
                        isStopped: false)
                })
        }
        let report = StatusReport(
            arbiter: ServerStatus(
                processID: 1, kind: .daemon, uptime: .zero, protocolVersion: 6),
            claims: [
                claim(1, for: [2]), claim(2, for: [1, 3]), claim(3, for: []), claim(4, for: [9]),
            ], presenters: [])
        let graph = WaitGraph(report, isWhole: false, part: report)
        XCTAssertEqual(graph.nodes.count, 5)
        XCTAssertEqual(graph.edges.count, 4)
    }
}
