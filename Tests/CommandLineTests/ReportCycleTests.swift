// SPDX-License-Identifier: Apache-2.0
//
// A claim that failed in a cycle of waits, in the report: it has waited for no time, and is what
// the reader looks for.

import Foundation
import XCTest

@testable import FileCoordinationTracing

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
        XCTAssertEqual(model.claims.last?.waited, .zero)
    }

    func testItIsTheFirstOfTheWaits() throws {
        let lines = LongestWaits(try model()).text.split(separator: "\n").map { String($0) }
        XCTAssertEqual(
            lines.dropFirst().dropLast(),
            [
                "0 s  B (pid 20), to write /f, 400 ns after the beginning",
                "    " + Self.cycle,
                "200 ns  a (pid 10), to write /g, 300 ns after the beginning",
                "    B (pid 20) held or was ahead for 200 ns",
                "150 ns  a (pid 10), to write /g, 350 ns after the beginning",
                "    a (pid 10) held or was ahead for 150 ns",
            ])
    }

    func testACycleIsToldAsFarAsItsClaimsAreKnown() throws {
        let lost = Self.trace.replacingOccurrences(of: "[4,1,3,2]", with: "[4,1,7,2]")
        let model = TraceModelBuilder.model(of: try TraceFile(Array(lost.utf8), name: "t"))
        XCTAssertEqual(
            model.claims.last?.outcomes,
            [
                "cycle of waits: B (pid 20) waits for /f, then a (pid 10) holds /f, then "
                    + "B (pid 20) holds /g"
            ])
    }
}
