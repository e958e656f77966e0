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
        {"t":350,"event":"filed","claim":5,"process":1,"items":[{"path":"/g","access":"writing"}]}
        {"t":350,"event":"waits","claim":5,"claims":[3],"presenters":[],"count":1}
        {"t":400,"event":"filed","claim":4,"process":2,"items":[{"path":"/f","access":"writing"}]}
        {"t":400,"event":"inCycle","claim":4,"claims":[4,1,3,2]}
        {"t":500,"event":"ended","claim":2}
        {"t":500,"event":"cancelled","claim":5}
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
        XCTAssertEqual(
            try printed(
                "for (const wait of longestWaits(trace, 5)) console.log(wait.causes.join('; '));"),
            [
                Self.cycle, "B (pid 20) held or was ahead for 200 ns",
                "a (pid 10) held or was ahead for 150 ns",
            ])
    }

    /// Before and after that moment, what waits is shown; at that moment, only the cycle.
    func testTheGraphShowsItAtItsMoment() throws {
        let script = """
            for (const time of [399, 400, 401]) {
              const {nodes, edges, others} = graphAt(trace, time);
              console.log(time, others);
              const text = name => nodes.get(name).lines.join(", ");
              for (const edge of edges)
                console.log(time, text(edge.from), "->", text(edge.to),
                  edge.label + (edge.isOfCycle ? " (cycle)" : ""));
            }
            """
        let (holder, waiter) = ("a (pid 10), writes, /f", "a (pid 10), waits to write, /g")
        let (other, refused) =
            ("B (pid 20), writes, /g", "B (pid 20), waits to write, is refused, /f")
        XCTAssertEqual(
            try printed(script),
            [
                "399 0", "399 \(waiter) -> \(other) ", "399 \(waiter) -> \(waiter) ",
                "400 1",
                "400 \(waiter) -> \(other)  (cycle)",
                "400 \(refused) -> \(holder)  (cycle)",
                "400 \(holder) -> \(waiter) inside it (cycle)",
                "400 \(other) -> \(refused) inside it (cycle)",
                "401 0", "401 \(waiter) -> \(other) ", "401 \(waiter) -> \(waiter) ",
            ])
    }

    /// The lines that a script prints that gets the page's data as `trace`.
    private func printed(_ script: String) throws -> [String] {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else {
            throw XCTSkip("There is no Node.js here.")
        }
        let page = TracePage(try model()).text
        let tag = "<script id=\"data\" type=\"application/json\">"
        let from = try XCTUnwrap(page.range(of: tag)).upperBound
        let to = try XCTUnwrap(page[from...].range(of: "</script>")).lowerBound
        let whole = """
            \(TracePageModelScript.text)
            \(TracePageMarkScript.text)
            const trace = readTrace(JSON.parse(String.raw`\(page[from..<to])`));
            \(script)
            """
        var output = ""
        try with { sandbox in
            try sandbox.makeFile("page.js", whole)
            output = try sandbox.runPlainly("\(node) page.js")
        }
        return output.split(separator: "\n").map { String($0) }
    }
}
