// SPDX-License-Identifier: Apache-2.0
//
// The marks of a trace on the page of `filecoord report`: servers, gaps, delegations, and processes
// that were stopped, also as causes of waits. Node.js runs the script of the page, on a document
// that only notes what is drawn.

import Foundation
import XCTest

@testable import filecoord

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

    func testEachMarkHasItsKindItsProcessAndItsPath() throws {
        let model = try model()
        let marks = model.marks
        XCTAssertEqual(
            marks.map(\.kind),
            [.server, .process, .process, .delegation, .delegation, .gap, .process, .server])
        XCTAssertEqual(marks.map(\.time), [0, 300, 500, 800, 850, 900, 1000, 1100])
        XCTAssertEqual(marks.map(\.process), [nil, 0, 0, 1, 1, nil, 1, nil])
        XCTAssertEqual(marks.compactMap(\.path).map { model.paths[$0] }, ["/g", "/g"])
        XCTAssertEqual(model.stops.map(\.process), [0, 1])
        XCTAssertEqual(model.stops.map(\.from), [300, 1000])
        // The second one was never seen to go on.
        XCTAssertEqual(model.stops.map(\.to), [500, 1100])
    }

    /// What Node.js prints when it runs the page's script and then `script`.
    private func run(_ script: String) throws -> [String] {
        let node = "/usr/bin/node"
        guard FileManager.default.isExecutableFile(atPath: node) else {
            throw XCTSkip("There is no Node.js here.")
        }
        let page = TracePage(try model()).text
        func between(_ start: String, _ end: String) throws -> String {
            let from = try XCTUnwrap(page.range(of: start)).upperBound
            let to = try XCTUnwrap(page[from...].range(of: end)).lowerBound
            return String(page[from..<to])
        }
        let data = try between("<script id=\"data\" type=\"application/json\">", "</script>")
        let code = try between("<script>", "</script>")
        var output = ""
        try with { sandbox in
            let given = "element(\"data\").textContent = String.raw`\(data)`;"
            try sandbox.makeFile(
                "page.js", [Self.document, given, code, script].joined(separator: "\n"))
            output = try sandbox.runPlainly("\(node) page.js")
        }
        return output.split(separator: "\n").map { String($0) }
    }

    /// A document whose canvas notes each call with the colour of that moment.
    private static let document = #"""
        const drawn = [], elements = {}, listeners = {};
        const pen = new Proxy({}, {
          get: (target, name) => name in target ? target[name] :
            (...values) => { drawn.push([name, pen.fillStyle, ...values].join(" ")); },
          set: (target, name, value) => { target[name] = value; return true; }});
        const make = () => ({style: {}, value: "", textContent: "", hidden: true, clientWidth: 1260,
          getContext: () => pen, setAttribute() {}, appendChild() {}, replaceChildren() {},
          addEventListener() {}, focus() {}, scrollIntoView() {}, setPointerCapture() {},
          insertRow: make, insertCell: make});
        const element = id => elements[id] ||= make();
        globalThis.document = {getElementById: element, querySelector: make, createElementNS: make,
          documentElement: make(), addEventListener: (name, f) => { listeners[name] = f; }};
        globalThis.window = {devicePixelRatio: 1, addEventListener() {}};
        globalThis.requestAnimationFrame = draw => draw();
        globalThis.getComputedStyle = () => ({getPropertyValue: name => name});
        globalThis.matchMedia = () => ({addEventListener() {}});
        const press = key => listeners.keydown({key, target: {}, preventDefault() {}});
        """#

    func testAStopIsAmongTheCausesOfAWait() throws {
        XCTAssertEqual(
            try run(
                """
                const trace = readTrace(JSON.parse(element("data").textContent));
                for (const wait of longestWaits(trace, 5)) console.log(wait.causes.join("; "));
                for (const time of [250, 400]) {
                  const node = graphAt(trace, time).nodes.get("c0");
                  console.log(node.lines.slice(0, 2).join(" "));
                }
                """),
            [
                "a (pid 10) held or was ahead for 400 ns; a (pid 10) was stopped for 200 ns",
                "a (pid 10) writes", "a (pid 10) writes, stopped",
            ])
    }

    func testMarksAreDrawnInTheirLanesAndReachedByKeys() throws {
        let lines = try run(
            """
            console.log(drawn.filter(call => /--stopped|--server|--gap/.test(call))
              .filter(call => call.startsWith("fillRect")).slice(0, 4).join("\\n"));
            for (let count = 0; count < 5; count++) {
              press("m");
              console.log(element("about").textContent);
            }
            press("M");
            console.log(element("about").textContent);
            element("lanes").onpointermove({offsetX: 260 + 1000 * 900 / 1100, offsetY: 50});
            console.log(element("tip").textContent);
            """)
        // A pixel is 1.1 ns, and the lanes begin at 260.
        func place(_ time: Double) -> Int { 260 + Int(time * 1000 / 1100) }
        XCTAssertTrue(lines[0].hasPrefix("fillRect --stopped \(place(300))."), lines[0])
        XCTAssertTrue(lines[1].hasPrefix("fillRect --stopped \(place(1000))."), lines[1])
        XCTAssertEqual(
            Array(lines.suffix(7)),
            [
                "server: daemon, pid 5, at 0 s", "a (pid 10) is stopped, at 300 ns",
                "a (pid 10) runs again, at 500 ns",
                "B (pid 20): /g is delegated (exclusive): unseen from here, at 800 ns",
                "B (pid 20): the delegation of /g is recalled, at 850 ns",
                "B (pid 20): /g is delegated (exclusive): unseen from here, at 800 ns",
                "the server is gone; entries are missing until the next, at 900 ns",
            ])
    }
}
