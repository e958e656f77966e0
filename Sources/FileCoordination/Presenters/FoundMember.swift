// SPDX-License-Identifier: Apache-2.0
//
// Parses the demangled names of symbols. PresenterAdvice needs only the methods and getters of one
// class, including the variants that the optimizer makes of them.

import Foundation

/// A method or a property of a class, as the demangler describes its symbol.
package struct FoundMember: Hashable, Sendable {
    /// The name; that of a method with its labels, such as `presentedItemDidMove(to:)`.
    package var name: String
    /// The name with the types that matter to a reader.
    package var declaration: String
    /// The type of a property, or of what a method returns.
    package var type: String
    /// Whether it is declared with `static` or `class`, so that instances do not have it.
    package var isStatic = false

    /// Whether it is a property.
    package var isProperty: Bool { !name.hasSuffix(")") }

    /// Parses a demangled symbol; returns nil if it is not a method or the getter of a property of
    /// the class named `type`.
    package init?(demangled text: String, of type: String) {
        let original = Self.withoutOptimizations(text)
        // The demangler has one word for both, before everything but the optimizer's.
        let mark = "static "
        let isStatic = original.hasPrefix(mark)
        let entity = isStatic ? String(original.dropFirst(mark.count)) : original
        guard let member = Self.member(in: entity, of: type) else { return nil }
        var rest = Substring(member)
        let base: Substring
        if rest.first == "(" {
            // A private member: "(name in _2B1C)(label: Type)".
            guard let end = rest.range(of: " in "), let close = rest.firstIndex(of: ")") else {
                return nil
            }
            base = rest[rest.index(after: rest.startIndex)..<end.lowerBound]
            rest = rest[rest.index(after: close)...]
        } else {
            base = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(base.count)
        }
        guard !base.isEmpty else { return nil }
        let getter = ".getter : "
        if rest.hasPrefix(getter) {
            self.init(property: base, type: rest.dropFirst(getter.count))
        } else {
            self.init(method: base, rest)
        }
        self.isStatic = isStatic
    }

    private init(property name: Substring, type: Substring) {
        self.name = String(name)
        self.type = Self.readable(String(type))
        declaration = "\(name): \(self.type)"
    }

    /// Parses "<A>(label: Type) async -> Type".
    private init?(method base: Substring, _ text: Substring) {
        let rest = text.first == "<" ? Self.afterGroup(text) : text
        guard rest.first == "(" else { return nil }
        let group = rest.prefix(rest.count - Self.afterGroup(rest).count)
        guard group.last == ")" else { return nil }
        let parameters = Self.parameters(group.dropFirst().dropLast())
        name = "\(base)(\(parameters.map { Self.label(of: $0) + ":" }.joined()))"
        let tail = Self.afterGroup(rest)
        let effects = tail.prefix { $0 != "-" }
        declaration = Self.readable("\(base)\(group)\(effects)").trimmingSpaces
        type = Self.readable(String(tail.dropFirst(effects.count + 2).drop { $0 == " " }))
    }

    // MARK: Parts of the text

    /// Returns what the optimizer's form of a member was made from:
    /// "function signature specialization <…> of A.B.f() -> ()", "merged A.B.f() -> ()".
    private static func withoutOptimizations(_ text: String) -> String {
        var rest = text[...]
        if rest.hasPrefix("merged ") { rest = rest.dropFirst("merged ".count) }
        for form in ["function signature specialization ", "generic specialization "] {
            guard rest.hasPrefix(form) else { continue }
            let original = afterGroup(rest.dropFirst(form.count))
            guard original.hasPrefix(" of ") else { return text }
            rest = original.dropFirst(" of ".count)
        }
        return String(rest)
    }

    /// Returns what follows the class's name and a dot.
    private static func member(in text: String, of type: String) -> String? {
        // A class inside a function: "name() -> () in Local #1 in Module.function() -> ()".
        if text.hasSuffix(" in " + type) { return String(text.dropLast(type.count + 4)) }
        guard let range = text.range(of: type), let last = text.last, last != ":" else {
            return nil
        }
        let before = text[..<range.lowerBound]
        guard before.isEmpty || before.hasPrefix("(extension in ") && before.hasSuffix("):") else {
            return nil
        }
        var rest = text[range.upperBound...]
        if rest.first == "<" { rest = afterGroup(rest) }
        guard rest.first == "." else { return nil }
        return String(rest.dropFirst())
    }

    /// Returns what follows a group in brackets.
    private static func afterGroup(_ text: Substring) -> Substring {
        var depth = 0
        var former: Character?
        for index in text.indices {
            switch text[index] {
            case "(", "<", "[": depth += 1
            case ")", "]": depth -= 1
            case ">" where former != "-": depth -= 1
            default: break
            }
            if depth == 0 { return text[text.index(after: index)...] }
            former = text[index]
        }
        return ""
    }

    private static func parameters(_ text: Substring) -> [Substring] {
        var parameters: [Substring] = []
        var rest = text
        while !rest.isEmpty {
            var end = rest.startIndex
            while end < rest.endIndex, rest[end] != "," {
                let isGroup = ["(", "<", "["].contains(rest[end])
                end = isGroup ? afterGroup(rest[end...]).startIndex : rest.index(after: end)
            }
            parameters.append(rest[..<end])
            rest = rest[end...].dropFirst().drop { $0 == " " }
        }
        return parameters
    }

    private static func label(of parameter: Substring) -> String {
        let label = parameter.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return parameter.dropFirst(label.count).hasPrefix(": ") ? String(label) : "_"
    }

    private static func readable(_ text: String) -> String {
        var text = text
        for module in ["FoundationEssentials.", "Foundation.", "FileCoordination.", "Swift."] {
            text = text.replacing(module, with: "")
        }
        // "Optional<URL>" is written "URL?".
        while let name = text.range(of: "Optional<") {
            let group = text[text.index(before: name.upperBound)...]
            let rest = afterGroup(group)
            let inner = group[..<rest.startIndex].dropFirst().dropLast()
            let isFunction = inner.contains("->")
            text = text[..<name.lowerBound] + (isFunction ? "(\(inner))?" : "\(inner)?") + rest
        }
        return text
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
