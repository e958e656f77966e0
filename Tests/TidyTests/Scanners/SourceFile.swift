// SPDX-License-Identifier: Apache-2.0
//
// A file as the scanners see it: its lines as they are, and once more with everything that is not
// code, or not comment, blanked out. So a word in a string or in a sentence breaks no rule.

import Foundation

/// One file of the tree, or a planted one.
struct SourceFile {
    /// The path from the root of the tree.
    let path: String
    /// The whole text.
    let text: String
    /// The lines as they are.
    let lines: [String]
    /// The lines with comments and the contents of literals blanked out.
    let code: [String]
    /// The lines with all but comments blanked out.
    let comments: [String]

    /// Takes a file apart.
    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = Self.split(text)
        var lexer = Lexer(text)
        lexer.run()
        code = Self.split(String(decoding: lexer.code, as: UTF8.self))
        comments = Self.split(String(decoding: lexer.comments, as: UTF8.self))
    }

    /// Whether it is Swift.
    var isSwift: Bool { path.hasSuffix(".swift") }

    /// Whether it is the product, not a test of it.
    var isProduct: Bool { path.hasPrefix("Sources/") }

    /// The last part of the path.
    var name: String { String(path.split(separator: "/").last ?? "") }

    private static func split(_ text: String) -> [String] {
        var lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

/// One place that breaks one rule.
struct Violation: CustomStringConvertible {
    /// The file.
    let path: String
    /// The line, from 1; nil when it is the file as a whole.
    let line: Int?
    /// What is wrong.
    let message: String

    init(_ file: SourceFile, line: Int? = nil, _ message: String) {
        path = file.path
        self.line = line
        self.message = message
    }

    var description: String {
        line.map { "\(path):\($0): \(message)" } ?? "\(path): \(message)"
    }
}
