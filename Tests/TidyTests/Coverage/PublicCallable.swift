// SPDX-License-Identifier: Apache-2.0
//
// Public functions, initializers and properties by their names, and the calls in a text that match
// them. Names and labels decide, and whether a call is awaited. Overloads that differ in types
// alone have one name; there must be as many calls as overloads.

/// A public function or initializer.
struct PublicCallable {
    /// A parameter, as far as a call shows it.
    private struct Parameter {
        let label: String
        let hasDefault: Bool
        let isFunction: Bool

        init(_ text: String) {
            label = String(text.prefix { $0 != ":" && $0 != " " })
            hasDefault = text.contains(" = ")
            isFunction = text.contains("->")
        }
    }

    /// Such as "coordinate(with:queue:byAccessor:)", or "FileAccessHold(joinToken:timeout:)" for an
    /// initializer; with " async" if it is one that is awaited.
    let fullName: String
    private let name: String
    private let parameters: [Parameter]
    private let isAsync: Bool

    /// All that a file declares, but for the methods of presenters, which the library calls.
    static func all(in file: SourceFile) -> [PublicCallable] {
        guard !file.path.contains("NSFilePresenter") else { return [] }
        return PublicDeclaration.all(in: file).filter { $0.kind == .function }
            .map(PublicCallable.init)
    }

    private init(_ declaration: PublicDeclaration) {
        let (text, result) = declaration.parts
        name = declaration.name.split(separator: ".").last.map(String.init) ?? ""
        parameters = CommaSeparated.parts(of: Array(text)).map(Parameter.init)
        isAsync = result.contains(" async")
        let labels = parameters.map { $0.label + ":" }.joined()
        fullName = "\(name)(\(labels))" + (isAsync ? " async" : "")
    }

    /// How often each function is called, by full name.
    ///
    /// A call that fits several counts for those of which it leaves out fewest parameters.
    static func counts(of functions: [PublicCallable], in calls: [NamedCall]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for call in calls {
            let fitting = functions.compactMap { function in
                function.omissions(in: call).map { (function.fullName, $0) }
            }
            let fewest = fitting.map(\.1).min()
            for name in Set(fitting.filter { $0.1 == fewest }.map(\.0)) {
                counts[name, default: 0] += 1
            }
        }
        return counts
    }

    /// How many parameters with default values a call leaves out; nil if it calls another function.
    private func omissions(in call: NamedCall) -> Int? {
        guard call.name == name, call.isAwaited == isAsync else { return nil }
        var labels = call.labels[...]
        var omissions = 0
        for (index, parameter) in parameters.enumerated() {
            if labels.first == parameter.label {
                labels.removeFirst()
            } else if parameter.hasDefault {
                omissions += 1
            } else {
                let isLast = index == parameters.count - 1
                guard isLast, parameter.isFunction, call.hasTrailingClosure else { return nil }
            }
        }
        return labels.isEmpty ? omissions : nil
    }
}

/// A call in a text.
struct NamedCall {
    /// The word before the parentheses.
    let name: String
    /// The labels in the parentheses; "_" for an argument without one.
    let labels: [String]
    let isAwaited: Bool
    /// Whether a brace follows, which may also begin the body of a statement.
    let hasTrailingClosure: Bool

    static func all(in file: SourceFile) -> [NamedCall] {
        let text = Array(file.code.joined(separator: "\n"))
        return text.indices.compactMap { NamedCall(in: text, at: $0) }
    }

    /// The call whose arguments begin at a place; nil if none does.
    private init?(in text: [Character], at open: Int) {
        guard text[open] == "(", let end = CommaSeparated.end(in: text, from: open) else {
            return nil
        }
        let nameLength = text[..<open].reversed().prefix { $0.isIdentifierPart }.count
        let before = text[..<(open - nameLength)]
        guard nameLength > 0, !String(before.suffix(5)).hasSuffix("func ") else { return nil }
        name = String(text[(open - nameLength)..<open])
        labels = CommaSeparated.parts(of: Array(text[(open + 1)..<end])).map { argument in
            let label = argument.prefix { $0.isIdentifierPart }
            return argument.dropFirst(label.count).first == ":" ? String(label) : "_"
        }
        let receiver = before.reversed().prefix { $0.isIdentifierPart || ".?!()[]".contains($0) }
        isAwaited = String(before.dropLast(receiver.count)).trimmed.hasSuffix("await")
        hasTrailingClosure = text[(end + 1)...].first { !$0.isWhitespace } == "{"
    }
}

/// A public property that runs code of ours.
struct PublicProperty {
    let name: String
    let isSettable: Bool

    /// All variables that a file declares, but for those of presenters.
    static func all(in file: SourceFile) -> [PublicProperty] {
        guard !file.path.contains("NSFilePresenter") else { return [] }
        return file.code.enumerated().compactMap { index, line in
            let words = line.split(separator: " ").map(String.init)
            guard let place = words.firstIndex(of: "var"), place + 1 < words.count,
                words[..<place].contains(where: { $0 == "public" || $0 == "open" })
            else { return nil }
            let end = String(line.prefix { $0 == " " }) + "}"
            let body = line.hasSuffix("{") ? file.code[(index + 1)...].prefix { $0 != end } : []
            return PublicProperty(
                name: String(words[place + 1].prefix { $0.isIdentifierPart }),
                isSettable: body.contains { $0.trimmed.hasPrefix("set ") })
        }
    }

    /// How often a property of this name is read or set in a file, and how often it is set.
    static func uses(of name: String, in file: SourceFile) -> (all: Int, setting: Int) {
        let rests = file.code.flatMap { line in
            line.wordRanges("." + name).map { line[$0.upperBound...] }
        }.filter { !$0.hasPrefix("(") }
        return (rests.count, rests.count { $0.hasPrefix(" = ") })
    }
}

/// What is in parentheses.
private enum CommaSeparated {
    /// The place of the bracket that closes the one at a place.
    static func end(in text: [Character], from open: Int) -> Int? {
        var depth = 0
        return text[open...].indices.first { index in
            depth += depthChange(text, index)
            return depth == 0
        }
    }

    /// The parts between commas that are not in brackets.
    static func parts(of text: [Character]) -> [String] {
        var parts = [""]
        var depth = 0
        for index in text.indices {
            depth += depthChange(text, index)
            if depth == 0, text[index] == "," {
                parts.append("")
            } else {
                parts[parts.count - 1].append(text[index])
            }
        }
        return parts.map(\.trimmed).filter { !$0.isEmpty }
    }

    private static func depthChange(_ text: [Character], _ index: Int) -> Int {
        if "([{".contains(text[index]) { return 1 }
        return ")]}".contains(text[index]) ? -1 : 0
    }
}
