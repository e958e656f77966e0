// SPDX-License-Identifier: Apache-2.0
//
// The terminal, as far as a small editor needs it: raw mode, keys, and a screen that is drawn as a
// whole. Nothing here knows of files.

import Foundation
import Synchronization

/// What the user pressed.
enum Key {
    case character(Character)
    case enter, backspace, up, down, left, right, save, quit
}

/// The terminal of standard input and output, in raw mode until `restore` is called.
final class Terminal: Sendable {
    private let original: termios
    /// The first line that is shown; locked while drawing, so that no two threads draw at a time.
    private let top = Mutex(0)

    init() throws {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw NoTerminal() }
        original = settings
        // No echo, no line editing, and Ctrl-S and Ctrl-Q are keys like others.
        cfmakeraw(&settings)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        // The alternate screen, so that what the shell has shown comes back afterwards.
        write("\u{1B}[?1049h")
    }

    func restore() {
        var settings = original
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        write("\u{1B}[?1049l")
    }

    private func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    // MARK: Keys

    /// Waits for input, and returns its keys; nil when the terminal is gone.
    ///
    /// What is left in `pending` is the beginning of a key, for the next call.
    func readKeys(_ pending: inout [UInt8]) -> [Key]? {
        let bytes = FileHandle.standardInput.availableData
        guard !bytes.isEmpty else { return nil }
        pending += bytes
        var keys: [Key] = []
        while let (key, length) = Self.firstKey(in: pending) {
            if let key { keys.append(key) }
            pending.removeFirst(length)
        }
        return keys
    }

    /// The first key and the number of its bytes; nil if more bytes must come.
    private static func firstKey(in bytes: [UInt8]) -> (Key?, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x0D: return (.enter, 1)
        case 0x13: return (.save, 1)
        case 0x11: return (.quit, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x09: return (.character("\t"), 1)
        case 0x1B: return arrow(in: bytes)
        case ..<0x20: return (nil, 1)
        default:
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard bytes.count >= length else { return nil }
            let text = String(decoding: bytes[..<length], as: UTF8.self)
            return (text.first.map { .character($0) }, length)
        }
    }

    /// ESC, [, parameters, and a letter that says which key it is.
    private static func arrow(in bytes: [UInt8]) -> (Key?, Int)? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") else { return (nil, 2) }
        guard let end = bytes[2...].firstIndex(where: { $0 >= 0x40 }) else { return nil }
        let arrows: [Character: Key] = ["A": .up, "B": .down, "C": .right, "D": .left]
        return (arrows[Character(Unicode.Scalar(bytes[end]))], end + 1)
    }

    // MARK: Drawing

    /// Shows a document: the text around its cursor, and its status in the last line.
    func draw(_ document: Document) {
        // Looked at under the lock, so that an older state is not drawn over a newer one.
        top.withLock { top in write(Self.frame(document.view, top: &top)) }
    }

    private static func frame(_ view: Document.View, top: inout Int) -> String {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 1
        let (height, width) = isKnown ? (Int(size.ws_row) - 1, Int(size.ws_col)) : (23, 80)
        let text = view.text
        top = min(max(top, text.row - height + 1), text.row)
        let left = max(0, text.column - width + 1)

        var frame = "\u{1B}[?25l\u{1B}[H"
        for row in top..<top + height {
            if row < text.lines.count {
                frame += String(text.lines[row].dropFirst(left).prefix(width).map(visible))
            }
            frame += "\u{1B}[K\r\n"
        }
        let mark = view.isEdited ? " (unsaved)" : ""
        let status = " \(view.name)\(mark)  \(view.message)"
        frame += "\u{1B}[7m\(status.prefix(width))\u{1B}[K\u{1B}[0m"
        frame += "\u{1B}[\(text.row - top + 1);\(text.column - left + 1)H\u{1B}[?25h"
        return frame
    }

    /// What is drawn for a character: none may move the cursor by itself.
    private static func visible(_ character: Character) -> Character {
        let isControl = character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        return character == "\t" ? " " : isControl ? "·" : character
    }
}

/// Standard input is a file or a pipe.
struct NoTerminal: LocalizedError {
    var errorDescription: String? { "Standard input is not a terminal." }
}
