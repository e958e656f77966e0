// SPDX-License-Identifier: Apache-2.0
//
// `filecoord graph --json`: the wait-for graph for programs.

import FileCoordinationArbiter
import FileCoordinationWire
import Foundation
import XCTest

@testable import FileCoordinationTracing

final class GraphTests: XCTestCase {
    private struct Graph: Decodable {
        struct Node: Decodable {
            struct Item: Decodable {
                var path: String
                var access: String
                var options: [String]
            }

            var id: String
            var kind: String
            var claim: Int?
            var presenter: Int?
            var pid: Int32?
            var process: String?
            var label: String?
            var state: String?
            var since: Double?
            var stopped: Bool?
            var items: [Item]?
            var path: String?
            var count: Int?
        }

        struct Edge: Decodable {
            var from: String
            var to: String
            var message: String?
        }

        var nodes: [Node]
        var edges: [Edge]
    }

    private func decoded(_ text: String) throws -> Graph {
        // One object on one line.
        XCTAssertEqual(text.split(separator: "\n").count, 1, text)
        return try JSONDecoder().decode(Graph.self, from: Data(text.utf8))
    }

    func testTheGraphAsJSONHasWhoWaitsForWhomAndForWhat() throws {
        try withEachArbiter { sandbox in
            XCTAssertEqual(
                try sandbox.run("graph", "--json").output, #"{"nodes":[],"edges":[]}"# + "\n")
            let path = try sandbox.makeFile("a", "")
            let presenter = try sandbox.startPresenting(
                "a", "--never-answer", "savePresentedItemChanges")
            let asker = try sandbox.start("read", "-q", "--label", "one \"1\"", "a")
            try sandbox.awaitStatus("asking") { $0.claims.contains { $0.state == "asking" } }
            let waiter = try sandbox.start("write", "-q", "a", "--", "true")
            try sandbox.awaitWaiters(2)
            let graph = try decoded(sandbox.run("graph", "--json").output)
            let nodes = Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.pid ?? 0, $0) })
            let asking = try XCTUnwrap(nodes[asker.processID])
            XCTAssertEqual(asking.kind, "claim")
            XCTAssertEqual(asking.label, "one \"1\"")
            XCTAssertEqual(asking.state, "asking")
            XCTAssertEqual(asking.stopped, false)
            XCTAssertEqual(asking.items?.map(\.path), [path])
            XCTAssertEqual(asking.items?.map(\.access), ["reading"])
            XCTAssertNotNil(asking.since)
            let waiting = try XCTUnwrap(nodes[waiter.processID])
            XCTAssertEqual(waiting.state, "waiting")
            let presenting = try XCTUnwrap(nodes[presenter.processID])
            XCTAssertEqual(presenting.kind, "presenter")
            XCTAssertEqual(presenting.path, path)
            XCTAssertEqual(presenting.process, "filecoord")
            let edges = Set(graph.edges.map { [$0.from, $0.to, $0.message ?? ""] })
            XCTAssertTrue(edges.contains([waiting.id, asking.id, ""]), "\(edges)")
            XCTAssertTrue(
                edges.contains([asking.id, presenting.id, "savePresentedItemChanges"]), "\(edges)")
        }
    }

    func testTheNumbersAreThoseOfStatus() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "a")
            let status = try sandbox.status()
            XCTAssertEqual(
                try decoded(sandbox.run("graph", "--json").output).nodes.count, 0,
                "A claim for which none waits is shown with --all only.")
            let all = try decoded(sandbox.run("graph", "--json", "--all").output)
            XCTAssertEqual(all.nodes.map(\.claim), status.claims.map(\.id))
            XCTAssertEqual(all.nodes.map(\.state), ["granted"])
        }
    }

    func testWhatTheReportDoesNotListIsCountedOrNamed() throws {
        var claim = FileCoordinationWire.ClaimStatus.claim(1, .writing([]), .waiting)
            .waiting(for: .claim(7), .presenter(8))
        claim.waitsForCount = 5
        let report = StatusReport.of([claim])
        let graph = try decoded(WaitGraph(report, isWhole: false, part: report).json)
        XCTAssertEqual(graph.nodes.map(\.kind), ["claim", "party", "party", "others"])
        XCTAssertEqual(graph.nodes.map(\.claim), [1, 7, nil, nil])
        XCTAssertEqual(graph.nodes.map(\.presenter), [nil, nil, 8, nil])
        XCTAssertEqual(graph.nodes.map(\.count), [nil, nil, nil, 3])
        XCTAssertEqual(graph.edges.map(\.to), graph.nodes.dropFirst().map(\.id))
        XCTAssertEqual(graph.edges.map(\.message), [nil, "savePresentedItemChanges", nil])
    }
}
