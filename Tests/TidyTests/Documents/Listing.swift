// SPDX-License-Identifier: Apache-2.0
//
// Blocks of code in documents.

/// A listing in an article.
struct Listing {
    /// The line that opens it, from 1.
    let line: Int
    /// What follows the opening quotes.
    let language: String
    /// Its text, without the imports and the indent of the block.
    let code: String

    /// The Swift listings that have more than imports in them.
    static func all(in article: SourceFile) -> [Listing] {
        fences(in: article).filter { $0.language == "swift" && !$0.code.isEmpty }
    }

    /// All blocks of code.
    static func fences(in article: SourceFile) -> [Listing] {
        var found: [Listing] = []
        var start: (line: Int, language: String, indent: Int)?
        for (number, line) in article.lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("```") else { continue }
            if let open = start {
                let body = article.lines[open.line..<number].map {
                    String($0.dropFirst(min(open.indent, $0.prefix { $0 == " " }.count)))
                }
                found.append(
                    Listing(line: open.line, language: open.language, code: withoutImports(body)))
                start = nil
            } else {
                start = (number + 1, String(text.dropFirst(3)), line.count - text.count)
            }
        }
        return found
    }

    /// The documentation comments of a file, as a file of their own with the same lines.
    static func comments(of file: SourceFile) -> SourceFile {
        let lines = file.comments.map { line in
            let text = line.trimmed
            guard text.hasPrefix("///") else { return "" }
            // One blank belongs to the mark of the comment.
            return String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3))
        }
        return SourceFile(path: file.path, text: lines.map { $0 + "\n" }.joined())
    }

    private static func withoutImports(_ lines: [String]) -> String {
        let rest = lines.drop {
            $0.isEmpty || $0.hasPrefix("import ") || $0.hasPrefix("@_exported import ")
        }
        return rest.map { $0 + "\n" }.joined()
    }
}
