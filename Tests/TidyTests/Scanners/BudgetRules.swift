// SPDX-License-Identifier: Apache-2.0
//
// Limits so that a reader can keep things in mind: stored properties of a type, files that can only
// be understood together, failures that are ignored.

/// Budgets of the architecture.
enum BudgetRules {
    /// Most stored properties of a type.
    static let storedProperties = 15
    /// Most files of one module that depend on each other in a cycle.
    static let filesInCycle = 12

    // MARK: Stored properties

    /// A type of the product and how many stored properties it has.
    struct StoredProperties: Equatable {
        var type: String
        var line: Int
        var count: Int
    }

    /// The structs, classes and actors that a file declares.
    static func storedProperties(in file: SourceFile) -> [StoredProperties] {
        var found: [StoredProperties] = []
        var open: [(depth: Int, index: Int?)] = []
        var depth = 0
        var parentheses = 0
        var pending: String?
        for (number, line) in file.code.enumerated() {
            if let name = declaredType(in: line) { pending = name }
            if let innermost = open.last, innermost.depth == depth, parentheses == 0,
                let index = innermost.index
            {
                found[index].count += storedNames(in: line)
            }
            for character in line {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{":
                    depth += 1
                    guard let name = pending, parentheses == 0 else { continue }
                    pending = nil
                    if name.isEmpty {
                        open.append((depth, nil))
                    } else {
                        found.append(StoredProperties(type: name, line: number + 1, count: 0))
                        open.append((depth, found.count - 1))
                    }
                case "}":
                    if open.last?.depth == depth { open.removeLast() }
                    depth -= 1
                default: break
                }
            }
        }
        return found
    }

    /// The type whose body follows; empty for one that stores nothing.
    private static func declaredType(in line: String) -> String? {
        let words = line.split { !$0.isIdentifierPart }.map(String.init)
        for (place, word) in words.enumerated() where place + 1 < words.count {
            switch word {
            case "struct", "actor": return words[place + 1]
            case "class" where !["func", "var", "let"].contains(words[place + 1]):
                return words[place + 1]
            case "enum", "protocol", "extension": return ""
            default: continue
            }
        }
        return nil
    }

    /// How many properties a line of a type's body declares that take memory: one, if any, as the
    /// format check wants it.
    private static func storedNames(in line: String) -> Int {
        let words = line.trimmed.split { !$0.isIdentifierPart && $0 != "@" }.map(String.init)
        guard let keyword = words.firstIndex(where: { $0 == "var" || $0 == "let" }),
            !words[..<keyword].contains(where: { ["static", "func", "case", "if"].contains($0) }),
            words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }),
            let declaration = line.wordRanges(words[keyword]).first
        else { return 0 }
        let rest = line[declaration.upperBound...]
        if let brace = rest.firstIndex(of: "{"), !rest[..<brace].contains("=") { return 0 }
        return 1
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "private", "fileprivate", "open", "final", "lazy", "weak",
        "unowned", "unsafe", "safe", "set", "nonisolated", "override",
    ]

    // MARK: Cycles of files

    /// The largest sets of files in one module in which each file needs all others, by the types
    /// that the files name.
    ///
    /// Nested types do not count: they are used through the types around them, and their names,
    /// such as `Result` or `State`, are also those of other types.
    static func fileCycles(of files: [SourceFile]) -> [[String]] {
        var owners: [String: Set<Int>] = [:]
        for (index, file) in files.enumerated() {
            for name in offeredNames(in: file) { owners[name, default: []].insert(index) }
        }
        let edges = files.enumerated().map { index, file in
            let words = file.code.flatMap { $0.split { !$0.isIdentifierPart } }.map(String.init)
            let needed = Set(words).subtracting(file.code.flatMap(declaredNames))
                .compactMap { owners[$0] }.filter { $0.count == 1 }
            return needed.reduce(into: Set()) { $0.formUnion($1) }.subtracting([index]).sorted()
        }
        return StrongComponents(edges).components.filter { $0.count > 1 }.map { component in
            component.map { files[$0].path }.sorted()
        }
    }

    /// The types that a file offers to others.
    private static func offeredNames(in file: SourceFile) -> [String] {
        file.code.flatMap { line -> [String] in
            let isPrivate = line.hasPrefix("private ") || line.hasPrefix("fileprivate ")
            return line.first?.isWhitespace == false && !isPrivate ? declaredNames(line) : []
        }
    }

    /// The types that a line declares.
    private static func declaredNames(_ line: String) -> [String] {
        let kinds = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        let words = line.split { !$0.isIdentifierPart }.map(String.init)
        return zip(words, words.dropFirst()).compactMap { keyword, name in
            kinds.contains(keyword) && name.first?.isUppercase == true ? name : nil
        }
    }

    // MARK: Ignored failures

    /// Lines that ignore a failure, and do not say why.
    ///
    /// The reason is on the same line or the one above, and counts for all of a statement and for
    /// the lines right below it that ignore a failure, too.
    static func unexplainedTries(in file: SourceFile) -> [Violation] {
        file.code.indices.compactMap { number in
            guard file.code[number].contains(/\btry\?/), !isExplained(number, in: file) else {
                return nil
            }
            return Violation(file, line: number + 1, "try? without a reason")
        }
    }

    private static func isExplained(_ number: Int, in file: SourceFile) -> Bool {
        if !file.comments[number].trimmed.isEmpty { return true }
        guard number > 0 else { return false }
        let previous = file.code[number - 1].trimmed
        if previous.isEmpty { return !file.comments[number - 1].trimmed.isEmpty }
        let isSameReason =
            previous.hasSuffix(",") || previous.hasSuffix("(") || previous.contains(/\btry\?/)
        return isSameReason && isExplained(number - 1, in: file)
    }
}

/// The strongly connected components of a graph (Tarjan).
struct StrongComponents {
    private(set) var components: [[Int]] = []
    private let edges: [[Int]]
    private var order: [Int?]
    private var low: [Int]
    private var stack: [Int] = []
    private var isOnStack: [Bool]
    private var next = 0

    /// - Parameter edges: for each node those to which it leads.
    init(_ edges: [[Int]]) {
        self.edges = edges
        order = Array(repeating: nil, count: edges.count)
        low = Array(repeating: 0, count: edges.count)
        isOnStack = Array(repeating: false, count: edges.count)
        for node in edges.indices where order[node] == nil { visit(node) }
    }

    private mutating func visit(_ node: Int) {
        order[node] = next
        low[node] = next
        next += 1
        stack.append(node)
        isOnStack[node] = true
        for other in edges[node] {
            if order[other] == nil {
                visit(other)
                low[node] = min(low[node], low[other])
            } else if isOnStack[other], let place = order[other] {
                low[node] = min(low[node], place)
            }
        }
        guard low[node] == order[node] else { return }
        var component: [Int] = []
        repeat {
            guard let last = stack.popLast() else { break }
            isOnStack[last] = false
            component.append(last)
        } while component.last != node
        components.append(component)
    }
}
