// SPDX-License-Identifier: Apache-2.0
//
// The text of a document, in lines, with a cursor. A value: nothing here knows of files.

import Foundation

/// Lines of text and a cursor.
struct Text {
    private(set) var lines: [[Character]] = [[]]
    private(set) var row = 0
    private(set) var column = 0

    init() {}

    /// Reads the contents of a file; nil if they are not UTF-8, which this editor would damage.
    init?(_ data: Data) {
        lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Array(String(decoding: $0, as: UTF8.self)) }
        if lines.isEmpty { lines = [[]] }
        guard self.data == data else { return nil }
    }

    /// The contents for the file.
    var data: Data {
        Data(lines.map { String($0) }.joined(separator: "\n").utf8)
    }

    /// Takes other contents, and leaves the cursor where it is if there still is such a place.
    mutating func replace(with other: Text) {
        lines = other.lines
        move(toRow: row, column: column)
    }

    // MARK: Editing

    mutating func insert(_ character: Character) {
        lines[row].insert(character, at: column)
        column += 1
    }

    mutating func breakLine() {
        let rest = Array(lines[row][column...])
        lines[row].removeSubrange(column...)
        lines.insert(rest, at: row + 1)
        (row, column) = (row + 1, 0)
    }

    mutating func deleteBackward() {
        if column > 0 {
            column -= 1
            lines[row].remove(at: column)
        } else if row > 0 {
            let rest = lines.remove(at: row)
            row -= 1
            column = lines[row].count
            lines[row] += rest
        }
    }

    // MARK: Moving

    mutating func moveLeft() {
        if column > 0 {
            column -= 1
        } else if row > 0 {
            move(toRow: row - 1, column: .max)
        }
    }

    mutating func moveRight() {
        if column < lines[row].count {
            column += 1
        } else if row + 1 < lines.count {
            move(toRow: row + 1, column: 0)
        }
    }

    mutating func moveUp() { move(toRow: row - 1, column: column) }

    mutating func moveDown() { move(toRow: row + 1, column: column) }

    private mutating func move(toRow newRow: Int, column newColumn: Int) {
        row = min(max(newRow, 0), lines.count - 1)
        column = min(newColumn, lines[row].count)
    }
}
