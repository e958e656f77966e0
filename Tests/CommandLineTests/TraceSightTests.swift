// SPDX-License-Identifier: Apache-2.0
//
// Accesses of which the server learns late: if several lines of a trace describe one access, the
// report contains it once.

import FileCoordinationArbiter
import FileCoordinationWire
import InstantLiterals
import XCTest

@testable import FileCoordinationTracing

final class TraceSightTests: XCTestCase {

    private func model(_ lines: String...) throws -> TraceModel {
        let head = [
            #"{"trace":"filecoord","version":1,"began":"B","program":"P"}"#,
            #"{"t":0,"event":"process","process":1,"pid":10,"name":"a"}"#,
        ]
        let text = (head + lines).joined(separator: "\n") + "\n"
        return TraceModelBuilder.model(of: try TraceFile(Array(text.utf8), name: "t"))
    }

    private func look(_ seconds: Double) -> String {
        "{\"t\":\(UInt64(seconds * 1e9)),\"event\":\"look\"}"
    }

    /// A line written at `seconds`, about an access that began at `begin`.
    private func line(
        _ seconds: Double, _ event: String, since begin: Double, claim: Int? = nil,
        access: String = "writing"
    ) -> String {
        let number = claim.map { "\"claim\":\($0)," } ?? "\"state\":\"granted\","
        return """
            {"t":\(UInt64(seconds * 1e9)),"event":"\(event)",\(number)"process":1,\
            "since":\(UInt64((seconds - begin) * 1e9)),\
            "items":[{"path":"/f","access":"\(access)"}]}
            """
    }

    private func ended(_ seconds: Double, _ claim: Int) -> String {
        "{\"t\":\(UInt64(seconds * 1e9)),\"event\":\"ended\",\"claim\":\(claim)}"
    }

    func testAClaimThatWasSeenAndIsFoundAtItsEndIsThereOnce() throws {
        let model = try model(
            look(5), line(5.1, "seen", since: 1.05), look(7), line(7.1, "seen", since: 1.02),
            line(9, "found", since: 1, claim: 8), ended(9, 8))
        XCTAssertEqual(model.claims.map(\.number), [8])
        XCTAssertEqual(model.claims.map(\.ending), [.ended])
        XCTAssertEqual(model.claims.map(\.begin), [.seconds(1)])
        XCTAssertEqual(model.claims.map(\.end), [.seconds(9)])
        XCTAssertEqual(model.claims.map(\.isDelegated), [true])
        XCTAssertEqual(model.claims.map { $0.stays.count }, [1])
    }

    func testAClaimThatIsSeenAgainAndAgainIsThereOnce() throws {
        let model = try model(
            look(5), line(5, "seen", since: 1), look(7), line(7, "seen", since: 1))
        XCTAssertEqual(model.claims.map(\.end), [.seconds(7)])
        XCTAssertEqual(model.claims.map(\.ending), [.unseen])
    }

    func testAccessesThatOverlapOrFollowAreToldApart() throws {
        let model = try model(
            look(5), line(5, "seen", since: 1, access: "reading"),
            line(5, "seen", since: 4, access: "reading"), look(9),
            line(9, "seen", since: 8, access: "reading"),
            // This is the second access of the first status.
            line(10, "found", since: 4, claim: 7, access: "reading"), ended(10, 7),
            // An access that no status has shown, and one that writes.
            line(12, "found", since: 11, claim: 8, access: "reading"), ended(12, 8),
            line(14, "found", since: 8, claim: 9), ended(14, 9))
        XCTAssertEqual(model.claims.map(\.number), [0, 7, 0, 8, 9])
        XCTAssertEqual(
            model.claims.map(\.begin), [1, 4, 8, 11, 8].map { .seconds($0) })
        XCTAssertEqual(model.claims.map(\.end), [5, 10, 9, 12, 14].map { .seconds($0) })
    }

    func testAGrantWithoutAReportThatIsSeenIsThereOnce() throws {
        let model = try model(
            line(1, "filed", since: 1, claim: 7),
            #"{"t":1000000000,"event":"granted","claim":7,"unreported":true}"#,
            look(5), line(5.1, "seen", since: 1), line(6, "found", since: 1, claim: 8), ended(6, 8))
        XCTAssertEqual(model.claims.count, 1)
        XCTAssertEqual(model.claims[0].end, .seconds(6))
        XCTAssertEqual(model.claims[0].ending, .ended)
    }

    // MARK: Stops

    /// A recording that begins or goes on while a process is stopped says so.
    func testAStopBeforeTheRecordingIsInTheTrace() throws {
        var claim = FileCoordinationWire.ClaimStatus.claim(7, .writing([]))
        var writer = TraceWriter(start: .distantPast)
        func stops(of isStopped: Bool) -> [String] {
            claim.isStopped = isStopped
            writer.asked(at: 1)
            writer.add(.of([claim], [.presenter(8)]), at: 2)
            return lines()
        }
        func lines() -> [String] {
            String(decoding: writer.take(), as: UTF8.self).split(separator: "\n")
                .map { String($0) }.filter { $0.contains("stopped") || $0.contains("continued") }
        }
        XCTAssertEqual(stops(of: false), [])
        let stopped = #"{"t":2,"event":"stopped","process":1}"#
        XCTAssertEqual(stops(of: true), [stopped])
        XCTAssertEqual(stops(of: true), [])
        // The server's own line says nothing new.
        _ = writer.add(
            TraceEntry(time: 3, .client(1, processID: 107, name: "claimer", label: "")))
        _ = writer.add(TraceEntry(time: 3, .stopped(1, true)))
        XCTAssertEqual(lines(), [])
        XCTAssertEqual(stops(of: false), [#"{"t":2,"event":"continued","process":1}"#])
        // A status that was begun before the entry is older than it.
        writer.asked(at: 4)
        _ = writer.add(TraceEntry(time: 5, .stopped(1, true)))
        writer.add(.of([claim]), at: 6)
        XCTAssertEqual(lines(), [#"{"t":5,"event":"stopped","process":1}"#])
    }
}
