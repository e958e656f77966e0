// SPDX-License-Identifier: Apache-2.0
//
// A claim that failed in a cycle of waits, in the report: it has waited for no time, and is what
// the reader looks for.

import Foundation
import XCTest

@testable import filecoord

final class ReportCycleTests: XCTestCase {
    //  a  write /f ==============.....
    //  b      write /g ==========X (would wait for /f)
    private static let trace = """
        {"trace":"filecoord","version":1,"began":"B","program":"P"}
        {"t":0,"event":"process","process":1,"pid":10,"name":"a"}
        {"t":0,"event":"process","process":2,"pid":20,"name":"b","label":"B"}
        {"t":100,"event":"filed","claim":1,"process":1,"items":[{"path":"/f","access":"writing"}]}
        {"t":100,"event":"granted","claim":1}
        {"t":200,"event":"filed","claim":2,"process":2,"items":[{"path":"/g","access":"writing"}]}
        {"t":200,"event":"granted","claim":2}
        {"t":300,"event":"filed","claim":3,"process":1,"items":[{"path":"/g","access":"writing"}]}
        {"t":300,"event":"waits","claim":3,"claims":[2],"presenters":[],"count":1}
        {"t":400,"event":"filed","claim":4,"process":2,"items":[{"path":"/f","access":"writing"}]}
        {"t":400,"event":"inCycle","claim":4,"claims":[4,1,3,2]}
        {"t":500,"event":"ended","claim":2}
        {"t":500,"event":"granted","claim":3}
        {"t":600,"event":"ended","claim":3}
        {"t":600,"event":"ended","claim":1}

        """
    private static let cycle =
        "cycle of waits: B (pid 20) waits for /f, then a (pid 10) holds /f, then a (pid 10) waits "
        + "for /g, then B (pid 20) holds /g"

    private func model() throws -> TraceModel {
        TraceModelBuilder.model(of: try TraceFile(Array(Self.trace.utf8), name: "t"))
    }

    func testAMarkNamesTheCycle() throws {
        let model = try model()
        XCTAssertEqual(model.marks.map(\.text), ["failed in a " + Self.cycle])
        XCTAssertEqual(model.marks.map(\.process), [1])
        XCTAssertEqual(model.claims.last?.ending, .inCycle)
        XCTAssertEqual(model.claims.last?.waited, 0)
    }

    func testItIsTheFirstOfTheWaits() throws {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else {
            throw XCTSkip("There is no Node.js here.")
        }
        let page = TracePage(try model()).text
        let tag = "<script id=\"data\" type=\"application/json\">"
        let from = try XCTUnwrap(page.range(of: tag)).upperBound
        let to = try XCTUnwrap(page[from...].range(of: "</script>")).lowerBound
        let script = """
            \(TracePageModelScript.text)
            \(TracePageMarkScript.text)
            const trace = readTrace(JSON.parse(String.raw`\(page[from..<to])`));
            for (const wait of longestWaits(trace, 5)) console.log(wait.causes.join("; "));
            """
        var output = ""
        try with { sandbox in
            try sandbox.makeFile("page.js", script)
            output = try sandbox.runPlainly("\(node) page.js")
        }
        XCTAssertEqual(
            output.split(separator: "\n").map { String($0) },
            [Self.cycle, "B (pid 20) held or was ahead for 200 ns"])
    }
}
