// SPDX-License-Identifier: Apache-2.0
//
// Finds methods that look as if they were a presenter's and are none: their name or type is another
// one, or only a subclass has them. Such a method is never called, and without the
// Objective-C runtime the compiler mostly says nothing. Here is the reasoning about texts; where
// they come from is in PresenterAdvice.

package import FileCoordinationArbiter
import Foundation

/// A function of a class, read from what the demangler says about its symbol.
package struct FoundMethod: Equatable, Sendable {
    /// The name with its labels: `presentedItemDidMove(to:)`.
    package var name: String
    /// The same with the types, as far as they matter to a reader.
    package var declaration: String

    /// Reads a demangled symbol; nil if it is no method of the class that is called `type`.
    package init?(demangled text: String, of type: String) {
        guard let member = Self.member(in: text, of: type) else { return nil }
        var rest = Substring(member)
        let base: Substring
        if rest.first == "(" {
            // A private one: "(name in _2B1C)(label: Type)".
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

    /// What follows the class's name and a dot.
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

    /// What follows a group in brackets.
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

/// A method that is never called, and the one that it was probably meant to be.
package struct NearMiss: Equatable, Sendable {
    /// What is wrong with it.
    package enum Fault: Equatable, Sendable {
        /// Its name.
        case name
        /// Its type.
        case type
        /// Its class: the superclass that states the conformance does not have it.
        case subclass
    }

    /// The method, as it is declared.
    package var declaration: String
    /// The name of the presenter's method.
    package var meant: String
    package var fault: Fault

    /// Looks for a method that was probably meant; nil if the presenter is not without it.
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

    /// The letters, without words that older and newer spellings have in different places.
    private static func letters(of name: String) -> [Character] {
        var text = name.lowercased().filter(\.isLetter)
        for word in ["url", "version", "with", "handler"] { text = text.replacing(word, with: "") }
        return Array(text)
    }

    /// How many letters have to be added, left out or changed.
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
