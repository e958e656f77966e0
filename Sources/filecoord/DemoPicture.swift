// SPDX-License-Identifier: Apache-2.0
//
// Draws the demonstration's timeline as an SVG picture: the rows of `DemoTimeline`, with a bar for
// each wait and each access. `filecoord demo --svg FILE` writes it; the README shows one.

/// Draws a timeline as a picture.
struct DemoPicture {
    private let events: [DemoEvent]

    /// Draws `events`, which must be in order.
    init(_ events: [DemoEvent]) { self.events = events }

    /// A time during which a process waits or has access.
    private struct Span {
        let part: DemoEvent.Part
        let from: DemoEvent.Kind
        let to: DemoEvent.Kind
        /// The CSS class of its bar.
        let style: String
    }

    private static let spans = [
        Span(part: .editor, from: .askedToSave, to: .saved, style: "write"),
        Span(part: .reader, from: .asksToRead, to: .reads, style: "wait"),
        Span(part: .reader, from: .reads, to: .doneReading, style: "read"),
        Span(part: .writer, from: .asksToWrite, to: .writes, style: "wait"),
        Span(part: .writer, from: .writes, to: .wrote, style: "write"),
    ]

    /// The legend: the meaning of the bars' styles.
    private static let legend = [
        (style: "wait", meaning: "waits for access"), (style: "read", meaning: "has read access"),
        (style: "write", meaning: "has write access"),
    ]

    private static let size = (width: 860, row: 28, head: 46, foot: 44, time: 58, document: 700)
    private static let lanes: [DemoEvent.Part: Int] = [.editor: 86, .reader: 320, .writer: 500]

    /// The picture as the text of an SVG file.
    var text: String {
        let height = Self.size.head + events.count * Self.size.row + Self.size.foot
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.size.width) \(height)" \
            role="img" font-family="sans-serif" font-size="13">
            <!-- SPDX-License-Identifier: Apache-2.0. Made by filecoord demo. -->
            <title>An editor, a reader and a writer share one document</title>
            \(Self.style)
            <rect class="page" width="\(Self.size.width)" height="\(height)" rx="8" />
            \((heading + lines + bars + rows + legend(at: height - 18)).joined(separator: "\n"))
            </svg>

            """
    }

    /// The style sheet, with dark text on light ground or the reverse, as the reader prefers.
    private static let style = """
        <style>.page{fill:#fbfcfe}text{fill:#1d2738}.h{font-weight:bold}.s{fill:#5c6880}\
        .t{fill:#5c6880;text-anchor:end;font-size:11px}\
        .lane{stroke:#c3cad8}.row{stroke:#e6eaf2}.dot{fill:#51607a}\
        .wait{fill:#f6d58f;stroke:#a8742a;stroke-dasharray:3 2}.read{fill:#8fb8ea;stroke:#3a6fb0}\
        .write{fill:#9ad3a4;stroke:#3b8a4a}\
        @media(prefers-color-scheme:dark){.page{fill:#171c25}text{fill:#e6eaf2}\
        .s,.t{fill:#a9b4c8}.lane{stroke:#44506a}.row{stroke:#252d3b}.dot{fill:#a9b4c8}\
        .wait{fill:#6b5020}.read{fill:#2d4f7c}.write{fill:#2c5c37}}</style>
        """

    private var heading: [String] {
        [Self.label("ms", x: Self.size.time, y: 28, style: "t")]
            + DemoEvent.Part.allCases.map {
                Self.label($0.rawValue, x: Self.x(of: $0) - 6, y: 28, style: "h")
            } + [Self.label("the document holds", x: Self.size.document, y: 28, style: "h")]
    }

    private var lines: [String] {
        let end = y(events.count - 1) + 12
        return events.indices.map {
            Self.line((8, y($0) + 14), (Self.size.width - 8, y($0) + 14), style: "row")
        }
            + DemoEvent.Part.allCases.map {
                Self.line(
                    (Self.x(of: $0), Self.size.head - 8), (Self.x(of: $0), end), style: "lane")
            }
    }

    private var bars: [String] {
        Self.spans.compactMap { span in
            guard let from = row(of: span.from), let to = row(of: span.to) else { return nil }
            return Self.bar(
                x: Self.x(of: span.part) - 6, y: y(from), height: y(to) - y(from),
                style: span.style)
        }
    }

    private var rows: [String] {
        let start = events.first?.time ?? 0
        return events.indices.flatMap { index in
            let (event, y) = (events[index], y(index) + 4)
            let isNew = index == 0 || events[index - 1].content != event.content
            return [
                Self.label(
                    DemoTimeline.milliseconds(event.time - start), x: Self.size.time, y: y,
                    style: "t"),
                "<circle class=\"dot\" cx=\"\(Self.x(of: event.part))\" cy=\"\(y - 4)\" r=\"3\" />",
                Self.label(DemoTimeline.text(event.kind), x: Self.x(of: event.part) + 14, y: y),
                Self.label(event.content, x: Self.size.document, y: y, style: isNew ? "h" : "s"),
            ]
        }
    }

    private func legend(at y: Int) -> [String] {
        Self.legend.enumerated().flatMap { index, entry in
            let x = Self.x(of: .editor) + index * 170
            return [
                Self.bar(x: x - 6, y: y - 12, height: 15, style: entry.style),
                Self.label(entry.meaning, x: x + 14, y: y, style: "s"),
            ]
        }
    }

    // MARK: Places and shapes

    private func row(of kind: DemoEvent.Kind) -> Int? { events.firstIndex { $0.kind == kind } }

    /// The vertical middle of a row.
    private func y(_ row: Int) -> Int { Self.size.head + row * Self.size.row + 10 }

    private static func x(of part: DemoEvent.Part) -> Int { lanes[part] ?? 0 }

    private static func bar(x: Int, y: Int, height: Int, style: String) -> String {
        "<rect class=\"\(style)\" x=\"\(x)\" y=\"\(y)\" "
            + "width=\"12\" height=\"\(height)\" rx=\"4\" />"
    }

    private static func line(_ from: (Int, Int), _ to: (Int, Int), style: String) -> String {
        "<path class=\"\(style)\" d=\"M\(from.0),\(from.1) L\(to.0),\(to.1)\" />"
    }

    private static func label(_ text: String, x: Int, y: Int, style: String = "e") -> String {
        let escaped = text.flatMap { character -> String in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case _: String(character)
            }
        }
        return "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(String(escaped))</text>"
    }
}
