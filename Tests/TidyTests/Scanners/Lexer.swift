// SPDX-License-Identifier: Apache-2.0
//
// Just enough of Swift's lexical structure to tell code from comments and literals: nested
// comments, plain, raw and multi-line strings, interpolations (which are code), raw identifiers.
// Bare regular expressions are not understood; write them between #/ and /#.

/// Splits a text into two of the same shape.
struct Lexer {
    /// The text with comments and the contents of literals blanked out.
    private(set) var code: [UInt8]
    /// The text with all but comments blanked out.
    private(set) var comments: [UInt8]
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        let blank = bytes.map { $0 == Self.newline ? $0 : UInt8(ascii: " ") }
        code = blank
        comments = blank
    }

    /// Reads the whole text.
    mutating func run() {
        while index < bytes.count {
            scanCode(inParentheses: false)
            index += 1
        }
    }

    private static let newline = UInt8(ascii: "\n")
    /// The bytes that may begin or end something else than code.
    private static let special: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "/\"#`()".utf8 { table[Int(byte)] = true }
        return table
    }()

    private func starts(_ word: StaticString, at place: Int) -> Bool {
        guard place + word.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<word.utf8CodeUnitCount).allSatisfy {
            bytes[place + $0] == word.utf8Start[$0]
        }
    }

    private func hashes(at place: Int) -> Int {
        var end = place
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end - place
    }

    /// Reads code up to the end, or up to the parenthesis that closes an interpolation.
    private mutating func scanCode(inParentheses: Bool) {
        var depth = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard Self.special[Int(byte)] else {
                code[index] = byte
                index += 1
                continue
            }
            let hashes = hashes(at: index)
            if starts("//", at: index) {
                scanLineComment()
            } else if starts("/*", at: index) {
                scanBlockComment()
            } else if starts("\"", at: index + hashes) {
                scanString(hashes: hashes)
            } else if starts("#/", at: index) {
                scanRegex()
            } else if byte == UInt8(ascii: "`") {
                scanRawIdentifier()
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    if inParentheses, depth == 0 { return }
                    depth -= 1
                }
                code[index] = byte
                index += 1
            }
        }
    }

    private mutating func scanLineComment() {
        while index < bytes.count, bytes[index] != Self.newline {
            comments[index] = bytes[index]
            index += 1
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            let step = starts("/*", at: index) || starts("*/", at: index) ? 2 : 1
            if starts("/*", at: index) { depth += 1 }
            if starts("*/", at: index) { depth -= 1 }
            for _ in 0..<step {
                comments[index] = bytes[index]
                index += 1
            }
        } while depth > 0 && index < bytes.count
    }

    private mutating func scanString(hashes: Int) {
        index += hashes
        let isMultiLine = starts("\"\"\"", at: index)
        code[index] = bytes[index]
        index += isMultiLine ? 3 : 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), self.hashes(after: index) >= hashes {
                index += 1 + hashes
                guard index < bytes.count else { return }
                let opensCode = bytes[index] == UInt8(ascii: "(")
                index += 1
                if opensCode { scanCode(inParentheses: true) }
            } else if starts(isMultiLine ? "\"\"\"" : "\"", at: index),
                self.hashes(after: index + (isMultiLine ? 2 : 0)) >= hashes
            {
                code[index] = bytes[index]
                index += (isMultiLine ? 3 : 1) + hashes
                return
            } else if bytes[index] == Self.newline, !isMultiLine {
                return
            } else {
                index += 1
            }
        }
    }

    private func hashes(after place: Int) -> Int {
        place + 1 < bytes.count ? hashes(at: place + 1) : 0
    }

    private mutating func scanRegex() {
        index += 2
        while index < bytes.count, !starts("/#", at: index) { index += 1 }
        index = min(index + 2, bytes.count)
    }

    private mutating func scanRawIdentifier() {
        code[index] = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "`"), bytes[index] != Self.newline {
            code[index] = UInt8(ascii: "_")
            index += 1
        }
        guard index < bytes.count else { return }
        code[index] = bytes[index]
        index += 1
    }
}
