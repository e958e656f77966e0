// SPDX-License-Identifier: Apache-2.0
//
// What programs can use of a file: its public types, functions and computed properties, each with
// its documentation comment. Lines are enough for that, because the format check keeps indents and
// line breaks.

/// A public type, function or property, as it is declared.
struct PublicDeclaration {
    /// What can be declared.
    enum Kind {
        case type
        case function
        case property
    }

    /// The types of which each function says on which threads it may be called, what it costs, and
    /// which rule it follows.
    static let describedOneByOne: Set<String> = [
        "NSFileCoordinator", "NSFileVersion", "FileAccessHold", "FileCoordinationStatus",
        "FileManager",
    ]

    /// Where it is.
    let file: SourceFile
    /// The line of the declaration, from 1.
    let line: Int
    /// Its name; of an initializer, that of its type.
    let name: String
    /// What it is.
    let kind: Kind
    /// Whether programs cannot use it: it is there so that the compiler says so.
    let isUnavailable: Bool
    /// The names of the types around it, the outermost first.
    let outer: [String]
    /// The text of its documentation comment, without the marks.
    let documentation: [String]
    /// The declaration without its body, on one line; for a type, its first line.
    let signature: String

    /// All that a file declares.
    static func all(in file: SourceFile) -> [PublicDeclaration] {
        var found: [PublicDeclaration] = []
        var around: [(indent: Int, name: String, isProtocol: Bool)] = []
        for (index, line) in file.code.enumerated() {
            let words = line.split(separator: " ").map(String.init)
            guard let place = words.firstIndex(where: isKeyword) else { continue }
            let indent = line.prefix { $0 == " " }.count
            around.removeAll { $0.indent >= indent }
            // `class func` is a function.
            let isFunction = words[place...].contains("func") || words[place].hasPrefix("init")
            // `class var` is a property.
            let isProperty = !isFunction && words[place...].contains("var")
            let kind: Kind = isFunction ? .function : isProperty ? .property : .type
            let isPublic = words[..<place].contains { $0 == "public" || $0 == "open" }
            let signature = isFunction ? signature(in: file, from: index) : line.trimmed
            let name: String? =
                switch kind {
                case .type: typeName(words[place + 1])
                case .function: functionName(signature)
                case .property: propertyName(words)
                }
            if around.last?.isProtocol == true || isPublic, words[place] != "extension" {
                found.append(
                    PublicDeclaration(
                        file: file, line: index + 1, name: name ?? around.last?.name ?? "",
                        kind: kind, isUnavailable: isUnavailable(in: file, at: index),
                        outer: around.map(\.name),
                        documentation: comment(in: file, above: index), signature: signature))
            }
            if kind == .type, let name {
                around.append((indent, name, isPublic && words[place] == "protocol"))
            }
        }
        return found
    }

    /// What the comment of a function must have and has not: "Parameters", "Returns", "Throws"; and
    /// in the types that are described one by one "Threads", "Cost" and "Rule".
    var missingSections: [String] {
        guard kind == .function else { return [] }
        let (parameters, result) = parts
        let sections = [
            ("Parameter", !parameters.isEmpty), ("Returns", result.contains("->")),
            ("Throws", result.contains("throws")),
        ].compactMap { section, isNeeded -> String? in
            isNeeded && !documentation.contains { $0.hasPrefix("- \(section)") } ? section : nil
        }
        guard isDescribedOneByOne, !isUnavailable else { return sections }
        let citesRule = documentation.contains { $0.hasWord("Rule") || $0.hasWord("Rules") }
        return sections + missingUse + (citesRule ? [] : ["Rule"])
    }

    /// Whether it belongs to a type that is described one by one.
    var isDescribedOneByOne: Bool { outer.last.map(Self.describedOneByOne.contains) == true }

    /// What the comment leaves out of the use: "Threads", "Cost".
    var missingUse: [String] {
        let both = "**Threads and cost.**"
        return ["Threads", "Cost"].filter { section in
            !documentation.contains { $0.hasPrefix("**\(section).**") || $0.hasPrefix(both) }
        }
    }

    /// Whether the comment has a listing.
    var hasExample: Bool { documentation.contains { $0.hasPrefix("```swift") } }

    // MARK: Reading

    private static let keywords: Set<String> = [
        "class", "struct", "enum", "protocol", "typealias", "actor", "extension", "func", "init",
        "var",
    ]

    private static func isKeyword(_ word: String) -> Bool {
        keywords.contains(word) || ["init(", "init?(", "init<"].contains(where: word.hasPrefix)
    }

    private static func typeName(_ word: String) -> String {
        String(word.prefix { $0.isIdentifierPart || $0 == "." })
    }

    private static func functionName(_ signature: String) -> String? {
        guard let keyword = signature.firstRange(of: "func ") else { return nil }
        return String(signature[keyword.upperBound...].prefix { $0 != "(" && $0 != "<" }).trimmed
    }

    private static func propertyName(_ words: [String]) -> String? {
        words.firstIndex(of: "var").flatMap { index in
            words.dropFirst(index + 1).first.map { String($0.prefix { $0.isIdentifierPart }) }
        }
    }

    /// The lines up to the body, or up to a line that is none of the declaration's.
    private static func signature(in file: SourceFile, from first: Int) -> String {
        var text = ""
        for line in file.code[first...].prefix(12) {
            let line = line.trimmed
            if isBalanced(text), !text.isEmpty, line.isEmpty || line == "}" { break }
            if isBalanced(text), !text.isEmpty, line.hasPrefix("@") || line.contains("func ") {
                break
            }
            text += (text.isEmpty ? "" : " ") + line
            if isBalanced(text), let body = text.firstIndex(of: "{") {
                return String(text[..<body]).trimmed
            }
        }
        return text
    }

    private static func isBalanced(_ text: String) -> Bool {
        text.count { $0 == "(" } == text.count { $0 == ")" }
    }

    private static func isUnavailable(in file: SourceFile, at index: Int) -> Bool {
        file.code[..<index].reversed().map(\.trimmed).prefix { $0.hasPrefix("@") }
            .contains { $0.hasPrefix("@available(*, unavailable") }
    }

    private static func comment(in file: SourceFile, above index: Int) -> [String] {
        let above = file.lines[..<index].reversed().map(\.trimmed)
        return above.drop { $0.hasPrefix("@") }.prefix { $0.hasPrefix("///") }
            .map { String($0.dropFirst(3)).trimmed }.reversed()
    }

    /// What is between the parentheses of the parameters, and what follows.
    var parts: (parameters: String, result: String) {
        guard let open = signature.firstIndex(of: "(") else { return ("", signature) }
        var depth = 0
        for index in signature[open...].indices {
            if signature[index] == "(" { depth += 1 }
            if signature[index] == ")" { depth -= 1 }
            guard depth == 0 else { continue }
            let parameters = signature[signature.index(after: open)..<index]
            return (String(parameters).trimmed, String(signature[index...].dropFirst()))
        }
        return ("", "")
    }
}
