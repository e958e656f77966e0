// SPDX-License-Identifier: Apache-2.0
//
// A line of text whose parts have tones. Widths are measured and lines are cut without the colours,
// which are added last.

/// A line of text, parts of which have a tone.
struct StyledText: Hashable, Sendable {
    /// A part of a line.
    struct Part: Hashable, Sendable {
        var text: String
        var tone: Tone
    }

    private(set) var parts: [Part]
    /// Whether the end is kept when the line is cut, because it is the most useful part of a
    /// path.
    let keepsEnd: Bool

    /// A line of one part.
    init(_ text: String, _ tone: Tone = .plain, keepsEnd: Bool = false) {
        parts = [Part(text: text, tone: tone)]
        self.keepsEnd = keepsEnd
    }

    /// Adds a part.
    mutating func append(_ text: String, _ tone: Tone = .plain) {
        parts.append(Part(text: text, tone: tone))
    }

    /// The text without its tones.
    var plain: String { parts.map(\.text).joined() }

    /// The text in the colours of a palette.
    func text(_ palette: Palette) -> String {
        parts.map { palette.text($0.text, $0.tone) }.joined()
    }

    /// Removes the spaces at the end.
    mutating func trim() {
        while let last = parts.last, last.text.hasSuffix(" ") || last.text.isEmpty {
            if last.text.isEmpty {
                parts.removeLast()
            } else {
                parts[parts.count - 1].text.removeLast()
            }
        }
    }

    /// As much of the line as fits into so many columns; "…" stands for what is left out.
    func cut(to columns: Int) -> StyledText {
        guard parts.reduce(0, { $0 + TextWidth.of($1.text) }) > columns else { return self }
        var room = max(0, columns - 1)
        var result = self
        result.parts = []
        for part in keepsEnd ? parts.reversed() : parts {
            let kept = TextWidth.cut(part.text, to: room, keepsEnd: keepsEnd)
            result.parts.append(Part(text: kept, tone: part.tone))
            room -= TextWidth.of(kept)
            // After a cut, the following parts are left out.
            if kept != part.text { break }
        }
        if columns > 0 { result.parts.append(Part(text: "…", tone: .plain)) }
        if keepsEnd { result.parts.reverse() }
        return result
    }
}
