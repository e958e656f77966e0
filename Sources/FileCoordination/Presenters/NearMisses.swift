// SPDX-License-Identifier: Apache-2.0
//
// Finds methods that look like presenter methods but are not: their name or type differs, or only a
// subclass declares them. The library never calls such a method, and without the Objective-C
// runtime the compiler usually does not warn. This file compares the names; PresenterAdvice finds
// the methods.

package import FileCoordinationArbiter
import Foundation

/// A method of a class, as the demangler describes its symbol.
package struct FoundMethod: Equatable, Sendable {
    /// The name with its labels, such as `presentedItemDidMove(to:)`.
    package var name: String
    /// The name with the types that matter to a reader.
    package var declaration: String

    /// Parses a demangled symbol; returns nil if it is not a method of the class named `type`.
    package init?(demangled text: String, of type: String) {
        guard let member = Self.member(in: text, of: type) else { return nil }
        var rest = Substring(member)
        let base: Substring
        if rest.first == "(" {
            // A private method: "(name in _2B1C)(label: Type)".
            guard let end = rest.range(of: " in "), let close = rest.firstIndex(of: ")") else {
                return nil
            }
            base = rest[rest.index(after: rest.startIndex)..<end.lowerBound]
            rest = rest[rest.index(after: close)...]
        } else {
            base = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(base.count)
        }
        if rest.first == "<" { rest = Self.afterGroup(rest) }
        guard !base.isEmpty, rest.first == "(" else { return nil }
        let group = rest.prefix(rest.count - Self.afterGroup(rest).count)
        guard group.last == ")" else { return nil }
        let parameters = Self.parameters(group.dropFirst().dropLast())
        name = "\(base)(\(parameters.map { Self.label(of: $0) + ":" }.joined()))"
        let tail = Self.afterGroup(rest).prefix { $0 != "-" }
        declaration = Self.readable("\(base)\(group)\(tail)").trimmingSpaces
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
        return text
    }
}

/// A method that is never called, and the presenter method that it was probably meant to be.
package struct NearMiss: Equatable, Sendable {
    /// What is wrong with the method.
    package enum Fault: Equatable, Sendable {
        /// Its name differs.
        case name
        /// Its type differs.
        case type
        /// The superclass that declares the conformance does not have it.
        case subclass
    }

    /// The method's declaration.
    package var declaration: String
    /// The name of the presenter's method.
    package var meant: String
    package var fault: Fault

    /// Looks for the presenter method that was probably meant; nil if the presenter implements it
    /// anyway.
    package init?(_ found: FoundMethod, implemented: PresenterMethods, isOfSubclass: Bool) {
        guard let entry = Self.nearest(to: found.name), !implemented.contains(entry.method) else {
            return nil
        }
        declaration = found.declaration
        meant = entry.name
        fault = entry.name != found.name ? .name : isOfSubclass ? .subclass : .type
    }

    private typealias Entry = (name: String, method: PresenterMethods)

    private static let entries: [Entry] = [
        ("relinquishPresentedItem(toReader:)", .relinquishToReader),
        ("relinquishPresentedItem(toWriter:)", .relinquishToWriter),
        ("savePresentedItemChanges(completionHandler:)", .save),
        ("savePresentedItemChanges()", .save),
        ("accommodatePresentedItemDeletion(completionHandler:)", .accommodateDeletion),
        ("accommodatePresentedItemDeletion()", .accommodateDeletion),
        ("accommodatePresentedItemEviction(completionHandler:)", .accommodateEviction),
        ("accommodatePresentedItemEviction()", .accommodateEviction),
        (
            "accommodatePresentedSubitemDeletion(at:completionHandler:)",
            .accommodateSubitemDeletion
        ),
        ("accommodatePresentedSubitemDeletion(at:)", .accommodateSubitemDeletion),
        ("presentedItemDidMove(to:)", .itemDidMove),
        ("presentedItemDidChange()", .itemDidChange),
        ("presentedItemDidChangeUbiquityAttributes(_:)", .itemDidChangeUbiquityAttributes),
        ("presentedItemDidGain(_:)", .itemDidGainVersion),
        ("presentedItemDidLose(_:)", .itemDidLoseVersion),
        ("presentedItemDidResolveConflict(_:)", .itemDidResolveConflict),
        ("presentedSubitemDidAppear(at:)", .subitemDidAppear),
        ("presentedSubitem(at:didMoveTo:)", .subitemDidMove),
        ("presentedSubitemDidChange(at:)", .subitemDidChange),
        ("presentedSubitem(at:didGain:)", .subitemDidGainVersion),
        ("presentedSubitem(at:didLose:)", .subitemDidLoseVersion),
        ("presentedSubitem(at:didResolve:)", .subitemDidResolveVersion),
    ]

    private static func nearest(to name: String) -> Entry? {
        if let entry = entries.first(where: { $0.name == name }) { return entry }
        let letters = letters(of: name)
        guard letters.count >= 12 else { return nil }
        let scored = entries.map {
            (entry: $0, distance: distance(letters, Self.letters(of: $0.name)))
        }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        let hasName = name.prefix { $0 != "(" } == best.entry.name.prefix { $0 != "(" }
        let hasCount = name.count { $0 == ":" } == best.entry.name.count { $0 == ":" }
        return hasName || hasCount && best.distance <= 2 ? best.entry : nil
    }

    /// Returns the letters of a name, without words that differ between older and newer API names.
    private static func letters(of name: String) -> [Character] {
        var text = name.lowercased().filter(\.isLetter)
        for word in ["url", "version", "with", "handler"] { text = text.replacing(word, with: "") }
        return Array(text)
    }

    /// Returns how many letters must be added, removed or changed.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in other.indices {
                let change = corner + (letter == other[column] ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(change, min(corner, row[column]) + 1)
            }
        }
        return row[other.count]
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
