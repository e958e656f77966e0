// SPDX-License-Identifier: Apache-2.0
//
// `filecoord record`, with real processes: what is in the trace, and what recording leaves alone.

import Foundation
import XCTest

@testable import FileCoordinationTracing

final class RecordTests: XCTestCase {
    /// The lines of a trace; fails the test if one is no JSON object.
    private func trace(_ sandbox: Sandbox, _ name: String = "trace") throws -> [[String: Any]] {
        try sandbox.content(name).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try XCTUnwrap(value as? [String: Any], "\(line)")
        }
    }

    private func lines(_ trace: [[String: Any]], _ event: String) -> [[String: Any]] {
        trace.filter { $0["event"] as? String == event }
    }

    /// Waits until a trace that is being written has what the test waits for.
    private func awaitTrace(
        _ sandbox: Sandbox, _ what: String, _ condition: ([[String: Any]]) -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
        while Date() < deadline {
            let text = (try? sandbox.content("trace")) ?? ""
            // The last line may be half written.
            let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let values = whole.compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            if condition(values) { return }
            // Waits as long as another process takes to run.
            _ = try sandbox.run("status")
        }
        throw Impatience(what: what, seen: (try? sandbox.content("trace")) ?? "nothing")
    }

    func testAWaitIsInTheTraceWithItsCauseAndItsPresenter() throws {
        try withEachArbiter { sandbox in
            let file = try sandbox.makeFile("a", "")
            let presenter = try sandbox.startPresenting("a")
            let recorder = try sandbox.start("record", "-o", "trace")
            try awaitTrace(sandbox, "recording") { !lines($0, "known").isEmpty }
            let holder = try sandbox.startHolding("write", "a")
            let waiter = try sandbox.start("write", "--label", "Grüße \"1\"", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
            recorder.kill(SIGINT)
            let outcome = try recorder.outcome()
            XCTAssertEqual(outcome.status, 0, outcome.errors)

            let trace = try trace(sandbox)
            let events = "\(trace.count - 1) events"
            XCTAssertTrue(outcome.errors.contains("recorded \(events) in trace"), outcome.errors)
            let report = try sandbox.run("report", "trace").output
            XCTAssertTrue(report.contains(": \(events), 2 accesses"), events)
            XCTAssertEqual(trace.first?["trace"] as? String, "filecoord")
            XCTAssertEqual(trace.first?["version"] as? Int, 1)
            let filed = lines(trace, "filed")
            XCTAssertEqual(filed.count, 2)
            let numbers = filed.compactMap { $0["claim"] as? Int }
            let labels = lines(trace, "process").compactMap { $0["label"] as? String }
            XCTAssertTrue(labels.contains("Grüße \"1\""), "\(labels)")
            let items = filed.last?["items"] as? [[String: Any]]
            XCTAssertEqual(items?.first?["path"] as? String, file)
            XCTAssertEqual(items?.first?["access"] as? String, "writing")
            let waits = lines(trace, "waits").filter { $0["claim"] as? Int == numbers.last }
            XCTAssertTrue(
                waits.contains { $0["claims"] as? [Int] == [numbers[0]] }, "\(trace)")
            // The presenter is asked for the second claim only if it had its item back in between.
            let presented = lines(trace, "presenter").compactMap { $0["presenter"] as? Int }
            XCTAssertEqual(presented.count, 1)
            let asked = lines(trace, "asked").compactMap { $0["presenter"] as? Int }
            XCTAssertTrue(asked.contains(presented[0]))
            XCTAssertFalse(lines(trace, "answered").isEmpty)
            XCTAssertEqual(lines(trace, "granted").count, 2)
            let pids = lines(trace, "process").compactMap { $0["pid"] as? Int }
            XCTAssertTrue(pids.contains(Int(holder.processID)))
            XCTAssertTrue(pids.contains(Int(presenter.processID)))
            let times = trace.dropFirst().compactMap { $0["t"] as? UInt64 }
            XCTAssertEqual(times.count, trace.count - 1)
            presenter.closeInput()
        }
    }

    func testACommandIsRecordedFromItsFirstClaimOn() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let filecoord = Sandbox.executables.appendingPathComponent("filecoord").path
            let outcome = try sandbox.run(
                "record", "-q", "-o", "trace", "--", filecoord, "write", "a", "--", "sh", "-c",
                "exit 7")
            XCTAssertEqual(outcome.status, 7, outcome.errors)
            XCTAssertEqual(outcome.errors, "")
            let trace = try trace(sandbox)
            XCTAssertEqual(lines(trace, "filed").count, 1, "\(trace)")
            XCTAssertEqual(lines(trace, "granted").count, 1, "\(trace)")
            let mode = try FileManager.default.attributesOfItem(atPath: sandbox.path("trace"))
            XCTAssertEqual(mode[.posixPermissions] as? Int, 0o600)
        }
    }

    func testTheNextServerIsRecordedWithAMark() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("write", "a")
            let recorder = try sandbox.start("record", "-o", "trace")
            try awaitTrace(sandbox, "recording") { !lines($0, "known").isEmpty }
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            Foundation.kill(server, SIGKILL)
            try awaitTrace(sandbox, "next server") { lines($0, "server").count > 1 }
            let waiter = try sandbox.start("read", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
            recorder.closeInput()
            XCTAssertEqual(try recorder.exitStatus(), 0, recorder.errorText)
            let trace = try trace(sandbox)
            XCTAssertEqual(lines(trace, "lost").count, 1)
            let servers = lines(trace, "server").compactMap { $0["pid"] as? Int }
            XCTAssertEqual(servers.count, 2)
            XCTAssertEqual(servers.first, Int(server))
            XCTAssertNotEqual(servers.first, servers.last)
            // The holder keeps its number, as a process and as a claim.
            let claims = lines(trace, "claim").compactMap { $0["claim"] as? Int }
            XCTAssertEqual(Set(claims).count, 1, "\(trace)")
            let processes = lines(trace, "process").filter {
                $0["pid"] as? Int == Int(holder.processID)
            }
            XCTAssertEqual(Set(processes.compactMap { $0["process"] as? Int }).count, 1)
            XCTAssertEqual(lines(trace, "waits").count, 1)
        }
    }

    func testADeathIsThatOfAProcessThatWasThereBeforeTheRecording() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            // Without a daemon, this program serves, so it must not die.
            let server = try sandbox.startHolding("write", "c")
            let holder = try sandbox.startHolding("write", "a")
            let presenter = try sandbox.startPresenting("b")
            let recorder = try sandbox.start("record", "-o", "trace")
            try awaitTrace(sandbox, "recording") { !lines($0, "known").isEmpty }
            holder.kill(SIGKILL)
            presenter.kill(SIGKILL)
            try awaitTrace(sandbox, "two deaths") { lines($0, "died").count == 2 }
            recorder.kill(SIGINT)
            XCTAssertEqual(try recorder.exitStatus(), 0, recorder.errorText)

            let trace = try trace(sandbox)
            var pids: [Int: Int] = [:]
            for line in lines(trace, "process") {
                pids[try XCTUnwrap(line["process"] as? Int)] = line["pid"] as? Int
            }
            let dead = lines(trace, "died").compactMap { $0["process"] as? Int }
            XCTAssertEqual(
                Set(dead.map { pids[$0] }),
                [Int(holder.processID), Int(presenter.processID)], "\(trace)")
            let model = TraceModelBuilder.model(
                of: try TraceFile(Array(sandbox.content("trace").utf8), name: "trace"))
            // The server may have learned of the claim only at the death. Then the trace also has
            // an earlier line about the claim, without a number.
            let claims = model.claims.filter {
                model.processes[$0.process].processID == UInt64(holder.processID)
            }
            XCTAssertTrue(claims.contains { $0.ending == .died }, "\(claims)")
            let presented = try XCTUnwrap(model.presenters.first)
            let ends = model.marks.filter { $0.text == "has ended" }.map(\.process)
            XCTAssertTrue(ends.contains(presented.process), "\(ends)")
            server.closeInput()
        }
    }

    func testAStopIsRecordedAndCountedOnce() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            try sandbox.makeFile("b", "")
            // With a presenter, the end of a write is reported, and the server then checks the
            // processes that were stopped.
            let presenter = try sandbox.startPresenting("b")
            let holder = try sandbox.startHolding("write", "a")
            let recorder = try sandbox.start("record", "-o", "trace")
            try awaitTrace(sandbox, "recording") { !lines($0, "known").isEmpty }
            let waiter = try sandbox.start("write", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            holder.kill(SIGSTOP)
            try awaitTrace(sandbox, "stop") { !lines($0, "stopped").isEmpty }
            for _ in 0..<3 {
                XCTAssertEqual(try sandbox.run("write", "b", input: "x").status, 0)
            }
            holder.kill(SIGCONT)
            try awaitTrace(sandbox, "continuation") { !lines($0, "continued").isEmpty }
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
            recorder.closeInput()
            XCTAssertEqual(try recorder.exitStatus(), 0, recorder.errorText)
            let trace = try trace(sandbox)
            XCTAssertEqual(lines(trace, "stopped").count, 1, "\(trace)")
            XCTAssertEqual(lines(trace, "continued").count, 1, "\(trace)")
            // One claim waited for the same claim all the time, the others for the presenter.
            let waits = lines(trace, "waits").filter { $0["claims"] as? [Int] != [] }
            XCTAssertEqual(waits.count, 1, "\(trace)")
            presenter.closeInput()
        }
    }

    func testAStoppedRecorderStopsNoProgram() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            let recorder = try sandbox.start("record", "-o", "trace")
            try awaitTrace(sandbox, "recording") { !lines($0, "known").isEmpty }
            recorder.kill(SIGSTOP)
            for _ in 0..<3 {
                XCTAssertEqual(
                    try sandbox.run("write", "a", "--timeout", "20", "--", "true").status, 0)
            }
            recorder.kill(SIGCONT)
            recorder.kill(SIGTERM)
            XCTAssertEqual(try recorder.exitStatus(), 0, recorder.errorText)
            XCTAssertEqual(lines(try trace(sandbox), "filed").count, 3)
        }
    }

    func testWhatCannotBeWrittenIsSaid() throws {
        try with { sandbox in
            let missing = try sandbox.run("record", "-o", "none/trace", "--", "true")
            XCTAssertEqual(missing.status, 66)
            let full = try sandbox.run("record", "-o", "/dev/full", "--", "true")
            XCTAssertEqual(full.status, 74, full.errors)
            XCTAssertTrue(full.errors.contains("cannot write the trace"), full.errors)
            XCTAssertEqual(try sandbox.run("record", "-o", "t", "--", "no-such-1").status, 127)
        }
    }
}
