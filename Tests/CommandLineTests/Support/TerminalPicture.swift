// SPDX-License-Identifier: Apache-2.0
//
// What a terminal shows after it was written to: the few escape sequences that filecoord uses, and
// whether a line or a picture was too large.

import Foundation

/// A terminal's screen.
struct TerminalPicture {
    private var rows: [[Character]]
    private var place = (row: 0, column: 0)
    private let size: (rows: Int, columns: Int)
    /// Whether the screen is the one beside the usual one.
    private(set) var isAlternate = false
    private(set) var hasCursor = true
    /// Whether lines that are too long go on in the next row.
    private(set) var wraps = true
    /// Whether more lines were written than there are rows.
    private(set) var hasScrolled = false
    /// Whether more was written than a row has columns.
    private(set) var hasOverflowed = false

    /// The screen of a terminal of this size on which this is written.
    init(_ output: String, _ size: (rows: Int, columns: Int)) {
        self.size = size
        rows = Array(repeating: [], count: size.rows)
        // Not by characters: a return and a new line are one character.
        var rest = Substring(output).unicodeScalars
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1b}":
                let parameters = rest.prefix { !("@"..."~").contains($0) || $0 == "[" }
                rest = rest.dropFirst(parameters.count)
                if let end = rest.popFirst() { obey(String(parameters), end) }
            case "\r": place.column = 0
            case "\n":
                hasScrolled = hasScrolled || place.row + 1 >= size.rows
                place.row = min(place.row + 1, size.rows - 1)
            case _: put(Character(scalar))
            }
        }
    }

    /// The lines, without those that are empty at the end.
    var lines: [String] {
        var lines = rows.map { row in
            var row = row
            while row.last == " " { row.removeLast() }
            return String(row)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private mutating func put(_ character: Character) {
        guard place.column < size.columns else {
            hasOverflowed = true
            return
        }
        let missing = place.column + 1 - rows[place.row].count
        if missing > 0 { rows[place.row] += Array(repeating: " ", count: missing) }
        rows[place.row][place.column] = character
        place.column += 1
    }

    private mutating func obey(_ parameters: String, _ end: Unicode.Scalar) {
        switch (parameters, end) {
        case ("[", "H"): place = (0, 0)
        case ("[", "K"): rows[place.row].removeLast(max(0, rows[place.row].count - place.column))
        case ("[", "J"):
            rows[place.row].removeLast(max(0, rows[place.row].count - place.column))
            for row in rows.indices.dropFirst(place.row + 1) { rows[row] = [] }
        case ("[?1049", "h"), ("[?1049", "l"):
            isAlternate = end == "h"
            rows = Array(repeating: [], count: size.rows)
        case ("[?25", "h"), ("[?25", "l"): hasCursor = end == "h"
        case ("[?7", "h"), ("[?7", "l"): wraps = end == "h"
        case _: break
        }
    }
}

extension String {
    /// The text without sequences that choose colours.
    var withoutColours: String {
        components(separatedBy: "\u{1b}[").enumerated().map { index, part in
            let digits = part.prefix { $0.isNumber || $0 == ";" }
            let rest = part.dropFirst(digits.count)
            guard index > 0, rest.first == "m" else { return (index > 0 ? "\u{1b}[" : "") + part }
            return String(rest.dropFirst())
        }.joined()
    }
}
