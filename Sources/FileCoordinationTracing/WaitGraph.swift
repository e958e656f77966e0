// SPDX-License-Identifier: Apache-2.0
//
// The graph of a status report that shows which claim waits for which claims and presenters: as DOT
// for Graphviz, as a picture or as JSON. It needs no recording.

import FileCoordinationArbiter
import FileCoordinationClient
package import FileCoordinationWire

/// The wait-for graph at one time.
package struct WaitGraph {
    /// A claim or a presenter.
    struct Node: Hashable {
        /// A name that is unique in the graph.
        let name: String
        /// The lines that are shown to the user.
        let lines: [String]
        let kind: Kind
        let isStopped: Bool
        /// What the report says of it.
        let subject: Subject
    }

    /// The entry of a report that a node stands for.
    enum Subject: Hashable {
        case claim(FileCoordinationWire.ClaimStatus)
        case presenter(FileCoordinationWire.PresenterStatus)
        /// A claim or a presenter without an entry in the report, because it began or ended while
        /// the report was made.
        case party(Party)
        /// The number of further claims and presenters that the report does not list for a claim.
        case others(Int)
    }

    /// What a node is.
    enum Kind: String {
        case waits
        case asks
        case reads
        case writes
        case presents
    }

    /// A wait of one node for another, as indices of nodes.
    struct Edge: Hashable {
        let from: Int
        let to: Int
        /// The message that a presenter has to answer.
        let label: String
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []
    private var indices: [String: Int] = [:]

    /// Creates the graph of a report: the claims that wait, and what they wait for.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - isWhole: whether to include claims and presenters for which none waits.
    ///   - part: the part of the report that was asked about. What its claims wait for is there,
    ///     too.
    package init(_ report: StatusReport, isWhole: Bool, part: StatusReport) {
        let claims = Dictionary(
            report.claims.map { ($0.claim, $0) }, uniquingKeysWith: { first, _ in first })
        let presenters = Dictionary(
            report.presenters.map { ($0.presenter, $0) }, uniquingKeysWith: { first, _ in first })
        // What is waited for may wait itself, to the end of the chain.
        var next = part.claims.filter { isWhole || $0.stage != .granted }
        var seen = Set(next.map(\.claim))
        var position = 0
        while position < next.count {
            let claim = next[position]
            position += 1
            let from = add(claim)
            for party in claim.waitsFor {
                if let other = party.claim.flatMap({ claims[$0] }) {
                    link(from, to: add(other), "")
                    if seen.insert(other.claim).inserted { next.append(other) }
                } else if let presenter = party.presenter.flatMap({ presenters[$0] }) {
                    link(from, to: add(presenter), party.message ?? "")
                } else {
                    link(from, to: add(party), party.message ?? "")
                }
            }
            let more = claim.waitsForCount - claim.waitsFor.count
            if more > 0 { link(from, to: add(more, of: claim), "") }
        }
        guard isWhole else { return }
        for presenter in part.presenters { _ = add(presenter) }
    }

    // MARK: Nodes

    private mutating func add(_ claim: FileCoordinationWire.ClaimStatus) -> Int {
        let isWriting = claim.items.contains { $0.access.isWriting }
        let kind: Kind =
            switch claim.stage {
            case .waiting: .waits
            case .asking: .asks
            case .granted: isWriting ? .writes : .reads
            }
        let action = kind == .waits || kind == .asks ? (isWriting ? " to write" : " to read") : ""
        return add(
            "claim\(claim.claim)",
            [
                UserText.who(claim.label, claim.processName, claim.processID),
                "\(kind.rawValue)\(action), \(DurationText.text(claim.since))",
            ] + claim.items.prefix(2).map { UserText.text($0.path.bytes) }
                + (claim.items.count > 2 ? ["and \(claim.items.count - 2) more"] : []),
            kind, claim.isStopped, .claim(claim))
    }

    private mutating func add(_ presenter: FileCoordinationWire.PresenterStatus) -> Int {
        add(
            "presenter\(presenter.presenter)",
            [
                UserText.who(presenter.label, presenter.processName, presenter.processID),
                presenter.isUnresponsive ? "presents, does not answer" : "presents",
            ] + [presenter.path].compactMap { $0.map(UserText.text) },
            .presents, presenter.isStopped, .presenter(presenter))
    }

    /// Adds a claim or a presenter without an entry in the report.
    private mutating func add(_ party: Party) -> Int {
        add(
            "party\(party.claim ?? party.presenter ?? 0)",
            [
                UserText.who(party.label, party.processName, party.processID),
                UserText.text(party.path),
            ],
            party.role == .presenter ? .presents : .waits, party.isStopped, .party(party))
    }

    private mutating func add(_ count: Int, of claim: FileCoordinationWire.ClaimStatus) -> Int {
        add("more\(claim.claim)", ["and \(count) more"], .waits, false, .others(count))
    }

    private mutating func add(
        _ name: String, _ lines: [String], _ kind: Kind, _ isStopped: Bool, _ subject: Subject
    ) -> Int {
        if let known = indices[name] { return known }
        indices[name] = nodes.count
        nodes.append(
            Node(
                name: name, lines: lines + (isStopped ? ["stopped"] : []), kind: kind,
                isStopped: isStopped, subject: subject))
        return nodes.count - 1
    }

    private mutating func link(_ from: Int, to: Int, _ label: String) {
        edges.append(Edge(from: from, to: to, label: label))
    }

    // MARK: DOT

    /// The graph in the language of Graphviz.
    package var dot: String {
        var lines = [
            "digraph waits {", "  rankdir=LR;",
            "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];",
        ]
        let colours: [Kind: String] = [
            .waits: "#f6d58f", .asks: "#d9b8ea", .reads: "#8fb8ea", .writes: "#9ad3a4",
            .presents: "#e6eaf2",
        ]
        for node in nodes {
            let text = node.lines.map { Self.escaped($0) }.joined(separator: "\\n")
            let colour = colours[node.kind] ?? "white"
            lines.append("  \(node.name) [label=\"\(text)\", fillcolor=\"\(colour)\"];")
        }
        for edge in edges {
            let label = edge.label.isEmpty ? "" : " [label=\"\(Self.escaped(edge.label))\"]"
            lines.append("  \(nodes[edge.from].name) -> \(nodes[edge.to].name)\(label);")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        // By scalars: a quotation mark and a combining mark after it are one Character.
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }
}
