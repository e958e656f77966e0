// SPDX-License-Identifier: Apache-2.0
//
// Draws a wait-for graph as an SVG picture: each node is to the left of those it waits for.

/// Draws a wait-for graph.
struct WaitGraphPicture {
    private let graph: WaitGraph
    /// The left and upper edge of each node.
    private let places: [(x: Int, y: Int)]
    private let size: (width: Int, height: Int)

    private static let box = (width: 250, line: 16, gap: 18, between: 90, margin: 16)

    /// How far below its ends an edge runs that passes other boxes.
    private static let bow = 56

    /// Places the nodes of a graph.
    init(_ graph: WaitGraph) {
        self.graph = graph
        let columns = graph.columns
        var heights = [Int](repeating: Self.box.margin, count: (columns.max() ?? 0) + 1)
        var places: [(x: Int, y: Int)] = []
        for (node, column) in zip(graph.nodes, columns) {
            let x = Self.box.margin + column * (Self.box.width + Self.box.between)
            places.append((x, heights[column]))
            heights[column] += Self.height(of: node) + Self.box.gap
        }
        self.places = places
        let width = (columns.max() ?? 0) * (Self.box.width + Self.box.between)
        size = (
            width + Self.box.width + 2 * Self.box.margin,
            max(60, (heights.max() ?? 0) + Self.box.margin)
        )
    }

    private static func height(of node: WaitGraph.Node) -> Int {
        node.lines.count * box.line + 12
    }

    /// The picture as the text of an SVG file.
    var text: String {
        let empty = """
            <text x="\(Self.box.margin)" y="36">No claim waits.</text>
            """
        let body =
            graph.nodes.isEmpty
            ? [empty] : graph.edges.map(edge) + graph.nodes.indices.map(node)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.width) \(size.height)" \
            width="\(size.width)" height="\(size.height)" role="img" font-family="sans-serif" \
            font-size="12">
            <!-- SPDX-License-Identifier: Apache-2.0. Made by filecoord graph. -->
            <title>Which program waits for which</title>
            \(Self.style)
            <defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" \
            markerHeight="8" orient="auto"><path class="tip" d="M0,0 L8,4 L0,8 z" /></marker></defs>
            <rect class="page" width="\(size.width)" height="\(size.height)" />
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// Dark text on a light background or the reverse, as the reader's system is set.
    private static let style = """
        <style>.page{fill:#fbfcfe}text{fill:#1d2738}rect{stroke:#51607a}.page,.tip{stroke:none}\
        .edge{fill:none;stroke:#51607a}.tip{fill:#51607a}.label{font-size:10px}\
        .waits{fill:#f6d58f;stroke-dasharray:4 2}.asks{fill:#d9b8ea;stroke-dasharray:4 2}\
        .reads{fill:#8fb8ea}.writes{fill:#9ad3a4}.presents{fill:#e6eaf2}\
        .stopped{stroke:#b3261e;stroke-width:2}\
        @media(prefers-color-scheme:dark){.page{fill:#171c25}text{fill:#e6eaf2}\
        rect{stroke:#a9b4c8}.edge{stroke:#a9b4c8}.tip{fill:#a9b4c8}.waits{fill:#6b5020}\
        .asks{fill:#553069}.reads{fill:#2d4f7c}.writes{fill:#2c5c37}.presents{fill:#2b3446}}</style>
        """

    private func node(_ index: Int) -> String {
        let (node, place) = (graph.nodes[index], places[index])
        let style = node.kind.rawValue + (node.isStopped ? " stopped" : "")
        let text = node.lines.enumerated().map { row, line in
            "<text x=\"\(place.x + 8)\" y=\"\(place.y + 18 + row * Self.box.line)\">"
                + "\(Self.escaped(Self.cut(line)))</text>"
        }
        let whole = Self.escaped(node.lines.joined(separator: "\n"))
        return "<g><title>\(whole)</title>"
            + "<rect class=\"\(style)\" x=\"\(place.x)\" y=\"\(place.y)\" "
            + "width=\"\(Self.box.width)\" height=\"\(Self.height(of: node))\" rx=\"6\" />"
            + text.joined() + "</g>"
    }

    private func edge(_ edge: WaitGraph.Edge) -> String {
        let (from, to) = (places[edge.from], places[edge.to])
        let start = (
            x: from.x + Self.box.width, y: from.y + Self.height(of: graph.nodes[edge.from]) / 2
        )
        let end = (x: to.x, y: to.y + Self.height(of: graph.nodes[edge.to]) / 2)
        let bend = max(Self.box.between / 2, abs(end.x - start.x) / 3)
        // An edge past other boxes, or back to the left in a cycle, runs below the boxes.
        let bow = end.x - start.x == Self.box.between ? 0 : Self.bow
        let path =
            "M\(start.x),\(start.y) C\(start.x + bend),\(start.y + bow) "
            + "\(end.x - bend),\(end.y + bow) \(end.x),\(end.y)"
        let label =
            edge.label.isEmpty
            ? ""
            : "<text class=\"label\" text-anchor=\"middle\" x=\"\((start.x + end.x) / 2)\" "
                + "y=\"\((start.y + end.y) / 2 - 4)\">\(Self.escaped(edge.label))</text>"
        return "<path class=\"edge\" d=\"\(path)\" marker-end=\"url(#tip)\" />\(label)"
    }

    /// Shortens a line so that it fits into a box; keeps the end of a path.
    private static func cut(_ line: String) -> String {
        let limit = 36
        guard line.count > limit else { return line }
        return line.hasPrefix("/") ? "…\(line.suffix(limit - 1))" : "\(line.prefix(limit - 1))…"
    }

    /// Text for markup.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML allows these in no form, not even as a reference.
            case "\0"..."\u{08}", "\u{0b}", "\u{0c}", "\u{0e}"..."\u{1f}", "\u{fffe}", "\u{ffff}":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
