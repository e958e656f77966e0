// SPDX-License-Identifier: Apache-2.0
//
// The marks of a trace in `filecoord report`: servers, gaps, delegations, and processes that were
// stopped, also as causes of waits.

import Foundation
import MonotonicTime
import XCTest

@testable import FileCoordinationTracing

final class ReportMarkTests: XCTestCase {
    private static let trace = """
        {"trace":"filecoord","version":1,"began":"B","program":"P"}
        {"t":0,"event":"process","process":1,"pid":10,"name":"a"}
        {"t":0,"event":"process","process":2,"pid":20,"name":"b","label":"B"}
        {"t":0,"event":"server","pid":5,"kind":"daemon","protocol":7}
        {"t":100,"event":"filed","claim":7,"process":1,"items":[{"path":"/f","access":"writing"}]}
        {"t":100,"event":"granted","claim":7}
        {"t":200,"event":"filed","claim":8,"process":2,"items":[{"path":"/f","access":"writing"}]}
        {"t":200,"event":"waits","claim":8,"claims":[7],"presenters":[],"count":1}
        {"t":300,"event":"stopped","process":1}
        {"t":500,"event":"continued","process":1}
        {"t":600,"event":"ended","claim":7}
        {"t":600,"event":"granted","claim":8}
        {"t":700,"event":"ended","claim":8}
        {"t":800,"event":"delegated","delegation":4,"mode":"exclusive","path":"/g","processes":[2]}
        {"t":850,"event":"recalled","delegation":4}
        {"t":850,"event":"delegationEnded","delegation":4}
        {"t":900,"event":"lost"}
        {"t":1000,"event":"stopped","process":2}
        {"t":1100,"event":"server","pid":6,"kind":"embedded","protocol":7}

        """

    private func model() throws -> TraceModel {
        TraceModelBuilder.model(of: try TraceFile(Array(Self.trace.utf8), name: "t"))
    }

    func testEachMarkHasItsTextAndItsProcess() throws {
        let model = try model()
        let marks = model.marks
        XCTAssertEqual(
            marks.map(\.text),
            [
                "server: daemon, pid 5", "is stopped", "runs again",
                "/g is delegated (exclusive): unseen from here", "the delegation of /g is recalled",
                "the server is gone; entries are missing until the next", "is stopped",
                "server: embedded, pid 6",
            ])
        XCTAssertEqual(marks.map(\.time.nanoseconds), [0, 300, 500, 800, 850, 900, 1000, 1100])
        XCTAssertEqual(marks.map(\.process), [nil, 0, 0, 1, 1, nil, 1, nil])
        XCTAssertEqual(model.stops.map(\.process), [0, 1])
        XCTAssertEqual(model.stops.map(\.from.nanoseconds), [300, 1000])
        // The second one was never seen to go on.
        XCTAssertEqual(model.stops.map(\.to.nanoseconds), [500, 1100])
    }

    func testAStopIsAmongTheCausesOfAWait() throws {
        let lines = LongestWaits(try model()).text.split(separator: "\n").map { String($0) }
        XCTAssertEqual(
            lines.dropFirst().dropLast(),
            [
                "400 ns  B (pid 20), to write /f, 200 ns after the beginning",
                "    a (pid 10) held or was ahead for 400 ns",
                "    a (pid 10) was stopped for 200 ns",
            ])
    }
}
