// SPDX-License-Identifier: Apache-2.0
//
// How long things may be.

/// Lengths of lines, functions and files.
enum LengthRules {
    /// Longest line, in characters.
    static let columns = 100
    /// Longest file, in lines: one idea and what belongs to it.
    static let file = 600
    /// Longest function in Sources, in lines.
    static let function = 60
    /// Longest function in Tests, which may tell a whole story.
    static let testFunction = 90

    /// Lines that do not fit the screen.
    ///
    /// A comment that is nothing but an address cannot be broken.
    static func wideLines(in file: SourceFile) -> [Violation] {
        file.lines.enumerated().compactMap { number, line in
            line.utf8.count > columns && line.count > columns && !isAddress(line)
                ? Violation(file, line: number + 1, "\(line.count) columns, of \(columns)") : nil
        }
    }

    private static func isAddress(_ line: String) -> Bool {
        line.trimmed.hasPrefix("// https://") && line.trimmed.count { $0 == " " } == 1
    }

    /// A file that is too long.
    static func longFile(_ source: SourceFile) -> [Violation] {
        let count = source.lines.count
        return count > file ? [Violation(source, "\(count) lines, of \(file) at most")] : []
    }

    /// Functions that are too long.
    static func longFunctions(in file: SourceFile) -> [Violation] {
        let limit = file.isProduct ? function : testFunction
        return FunctionScanner.functions(in: file).filter { $0.lines > limit }.map {
            Violation(file, line: $0.line, "a function of \($0.lines) lines, of \(limit)")
        }
    }
}

/// Finds functions and where they end, by their braces.
enum FunctionScanner {
    /// Where a function begins, and how many lines it takes from there to its closing brace.
    struct Function: Equatable {
        var line: Int
        var lines: Int
    }

    /// The functions that have a body.
    static func functions(in file: SourceFile) -> [Function] {
        var functions: [Function] = []
        for (number, line) in file.code.enumerated() {
            for word in ["func", "init", "deinit", "subscript"] {
                for range in line.wordRanges(word) {
                    let before = line[..<range.lowerBound].last
                    guard before != ".", before != "`" else { continue }
                    let rest = line[range.upperBound...]
                    guard word == "func" || opens(word, rest) else { continue }
                    if let end = bodyEnd(in: file, from: number, firstLine: rest) {
                        functions.append(Function(line: number + 1, lines: end - number + 1))
                    }
                }
            }
        }
        return functions
    }

    /// Whether what follows `word` looks like a declaration.
    private static func opens(_ word: String, _ rest: Substring) -> Bool {
        let next = rest.first { !$0.isWhitespace }
        return word == "deinit" ? next == "{" : ["(", "<", "?", "!"].contains(next)
    }

    /// The line in which the body's brace is closed; nil if there is no body.
    private static func bodyEnd(
        in file: SourceFile, from first: Int, firstLine: Substring
    ) -> Int? {
        var parentheses = 0
        var braces = 0
        for number in first..<file.code.count {
            let line = number == first ? firstLine : file.code[number][...]
            if number > first, parentheses == 0, braces == 0, startsDeclaration(line) { return nil }
            for character in line {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{": braces += 1
                case "}":
                    braces -= 1
                    if braces < 0 { return nil }
                    if braces == 0, parentheses == 0 { return number }
                default: break
                }
            }
        }
        return nil
    }

    private static func startsDeclaration(_ line: Substring) -> Bool {
        let first = String(line).trimmed.split(separator: " ").first ?? ""
        return [
            "func", "var", "let", "init", "case", "mutating", "static", "public", "package",
            "private", "associatedtype", "subscript",
        ].contains(first) || first.hasPrefix("@") || first.hasPrefix("init(")
    }
}
