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
        let (holder, waiter) = ("a (pid 10), writes, /f", "a (pid 10), waits to write, /g")
        let (other, refused) =
            ("B (pid 20), writes, /g", "B (pid 20), waits to write, is refused, /f")
        XCTAssertEqual(
            try printed(Self.edges("[399, 400, 401]")),
            [
                "399 0", "399 \(waiter) -> \(other) ", "399 \(waiter) -> \(waiter) ",
                "400 1",
                "400 \(refused) -> \(holder)  (cycle)",
                "400 \(holder) -> \(waiter) inside it (cycle)",
                "400 \(waiter) -> \(other)  (cycle)",
                "400 \(other) -> \(refused) inside it (cycle)",
                "401 0", "401 \(waiter) -> \(other) ", "401 \(waiter) -> \(waiter) ",
            ])
    }

    //  a  write /f   asks p ====X (cannot end before p has answered)
    //  p                  write /f, in its callback: waits for a, refused at 400
    /// The claim has waited, so its moment is the end of the wait.
    func testAPresenterThatCannotAnswerIsPartOfTheCycle() throws {
        let item = #"{"path":"/f","access":"writing"}"#
        let text = """
            {"trace":"filecoord","version":1,"began":"B","program":"P"}
            {"t":0,"event":"process","process":1,"pid":10,"name":"a"}
            {"t":0,"event":"process","process":2,"pid":20,"name":"p"}
            {"t":0,"event":"presenter","presenter":9,"process":2,"path":"/f"}
            {"t":100,"event":"filed","claim":1,"process":1,"items":[\(item)]}
            {"t":100,"event":"asked","presenter":9,"claim":1,"message":"m"}
            {"t":200,"event":"filed","claim":2,"process":2,"items":[\(item)]}
            {"t":200,"event":"waits","claim":2,"claims":[1],"presenters":[],"count":1}
            {"t":400,"event":"inCycle","claim":2,"claims":[2,1]}
            {"t":500,"event":"answered","presenter":9,"claim":1}

            """
        let (asker, presenter) = ("a (pid 10), asks to write, /f", "p (pid 20), presents, /f")
        let refused = "p (pid 20), waits to write, is refused, /f"
        XCTAssertEqual(
            try printed(Self.edges("[trace.claims[1].to]"), of: text),
            [
                "400 0", "400 \(refused) -> \(asker)  (cycle)",
                "400 \(asker) -> \(presenter) m (cycle)",
                "400 \(presenter) -> \(refused) cannot answer before (cycle)",
            ])
    }

    /// The commonest deadlock: a program's claim asks its own presenter, which cannot answer.
    func testAClaimAloneMayBeACycle() throws {
        let item = #"{"path":"/f","access":"writing"}"#
        let text = """
            {"trace":"filecoord","version":1,"began":"B","program":"P"}
            {"t":0,"event":"process","process":1,"pid":10,"name":"a"}
            {"t":0,"event":"presenter","presenter":9,"process":1,"path":"/f"}
            {"t":100,"event":"filed","claim":1,"process":1,"items":[\(item)]}
            {"t":100,"event":"asked","presenter":9,"claim":1,"message":"m"}
            {"t":400,"event":"inCycle","claim":1,"claims":[1]}

            """
        let claim = "a (pid 10), asks to write, is refused, /f"
        let presenter = "a (pid 10), presents, /f"
        XCTAssertEqual(
            try printed(Self.edges("[400]"), of: text),
            [
                "400 0", "400 \(claim) -> \(presenter) m (cycle)",
                "400 \(presenter) -> \(claim) cannot answer before (cycle)",
            ])
    }

    /// The two beside one that is missing must not seem to wait for each other.
    func testACycleWithAnUnknownClaimIsNotDrawn() throws {
        let lost = Self.trace.replacingOccurrences(of: "[4,1,3,2]", with: "[4,1,7,2]")
        let model = TraceModelBuilder.model(of: try TraceFile(Array(lost.utf8), name: "t"))
        XCTAssertEqual(model.claims.last?.cycle, [])
        XCTAssertEqual(model.claims.last?.outcomes.count, 1)
        XCTAssertEqual(try self.model().claims.last?.cycle, [4, 0, 2, 1])
    }

    /// A script that prints the edges of the graph at some moments.
    private static func edges(_ times: String) -> String {
        """
        for (const time of \(times)) {
          const {nodes, edges, others} = graphAt(trace, time);
          console.log(time, others);
          const text = name => nodes.get(name).lines.join(", ");
          for (const edge of edges)
            console.log(time, text(edge.from), "->", text(edge.to),
              edge.label + (edge.isOfCycle ? " (cycle)" : ""));
        }
        """
    }

    /// The lines that a script prints that gets the page's data as `trace`.
    private func printed(_ script: String, of trace: String = trace) throws -> [String] {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else {
            throw XCTSkip("There is no Node.js here.")
        }
        let model = TraceModelBuilder.model(of: try TraceFile(Array(trace.utf8), name: "t"))
        let page = TracePage(model).text
        let tag = "<script id=\"data\" type=\"application/json\">"
        let from = try XCTUnwrap(page.range(of: tag)).upperBound
        let to = try XCTUnwrap(page[from...].range(of: "</script>")).lowerBound
        let whole = """
            \(TracePageModelScript.text)
            \(TracePageMarkScript.text)
            \(TracePageWaitScript.text)
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
