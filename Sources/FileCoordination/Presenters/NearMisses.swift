// SPDX-License-Identifier: Apache-2.0
//
// Finds members that look like a presenter's but are not: their name or type differs, they are
// static, or only a subclass declares them. The library never uses such a member, and without the
// Objective-C runtime the compiler usually does not warn. This file compares the names;
// PresenterAdvice finds the members.

package import FileCoordinationArbiter

/// The members of the protocol that a class implements, according to its conformance.
package struct ImplementedMembers: Equatable, Sendable {
    /// The optional methods.
    package var methods: PresenterMethods
    /// The names of the optional properties.
    package var properties: Set<String> = []

    /// Creates a set of members.
    package init(methods: PresenterMethods, properties: Set<String> = []) {
        self.methods = methods
        self.properties = properties
    }
}

/// A member that is never used, and the presenter's member that it was probably meant to be.
package struct NearMiss: Equatable, Sendable {
    /// What is wrong with the member.
    package enum Fault: Equatable, Sendable {
        /// Its name differs.
        case name
        /// Its type differs.
        case type
        /// The superclass that declares the conformance does not have it.
        case subclass
        /// It is static, and the presenter's member is not.
        case isStatic
    }

    /// The member that was found.
    package var found: FoundMember
    /// The name of the presenter's member.
    package var meant: String
    package var fault: Fault

    /// Looks for the presenter's member that was probably meant; nil if the presenter implements it
    /// anyway.
    package init?(_ found: FoundMember, implemented: ImplementedMembers, isOfSubclass: Bool) {
        guard let entry = Self.nearest(to: found),
            let fault = Self.fault(of: found, entry, implemented, isOfSubclass)
        else { return nil }
        self.found = found
        self.fault = fault
        meant = entry.name
    }

    private static func fault(
        of found: FoundMember, _ entry: Entry, _ implemented: ImplementedMembers,
        _ isOfSubclass: Bool
    ) -> Fault? {
        let isNamed = entry.name == found.name
        // A static member with another name is one that the program uses itself.
        guard isNamed || !found.isStatic else { return nil }
        switch entry.member {
        case .method(let method):
            // A method that returns something is one that the program calls itself.
            guard !implemented.methods.contains(method), isNamed || found.type == "()" else {
                return nil
            }
            guard !found.isStatic else { return .isStatic }
            return isNamed ? isOfSubclass ? .subclass : .type : .name
        case .property(let type):
            guard !implemented.properties.contains(entry.name) else { return nil }
            guard !found.isStatic else { return .isStatic }
            guard isNamed, found.type == type else { return isNamed ? .type : .name }
            return isOfSubclass ? .subclass : nil
        }
    }

    /// Whether a property has the name and the type of a presenter's optional one.
    package static func isRight(_ property: FoundMember) -> Bool {
        entries.contains { entry in
            guard !property.isStatic, case .property(let type) = entry.member else { return false }
            return entry.name == property.name && type == property.type
        }
    }

    // MARK: The presenter's members

    private enum Member {
        case method(PresenterMethods)
        /// Its type as ``FoundMember`` has it.
        case property(type: String)

        var isProperty: Bool {
            switch self {
            case .method: false
            case .property: true
            }
        }
    }

    private struct Entry {
        let name: String
        let member: Member
        /// Its letters, by which other names are compared with it.
        let letters: [UInt8]

        init(_ name: String, _ member: Member) {
            self.name = name
            self.member = member
            letters = NearMiss.letters(of: name, isProperty: member.isProperty)
        }
    }

    private static let entries: [Entry] =
        methods.map { Entry($0, .method($1)) } + [
            Entry(observedAttributes, .property(type: "Set<URLResourceKey>")),
            Entry("primaryPresentedItemURL", .property(type: "URL?")),
        ]

    /// The property that says which attributes a presenter is told of.
    package static let observedAttributes = "observedPresentedItemUbiquityAttributes"

    private static let methods: [(String, PresenterMethods)] = [
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

    // MARK: Comparing names

    private static func nearest(to found: FoundMember) -> Entry? {
        let kindred = entries.filter { $0.member.isProperty == found.isProperty }
        if let entry = kindred.first(where: { $0.name == found.name }) { return entry }
        let letters = letters(of: found.name, isProperty: found.isProperty)
        // Short names are near to everything.
        guard letters.count >= 12 else { return nil }
        let scored = kindred.compactMap { entry -> (entry: Entry, distance: Int)? in
            let hasBase = base(of: entry.name) == base(of: found.name)
            let isLike =
                abs(letters.count - entry.letters.count) <= farthest
                && entry.name.count { $0 == ":" } == found.name.count { $0 == ":" }
            guard hasBase || isLike else { return nil }
            let distance = Self.distance(letters, entry.letters)
            return hasBase || distance <= farthest ? (entry: entry, distance: distance) : nil
        }
        return scored.min { $0.distance < $1.distance }?.entry
    }

    /// How many letters a name may differ in.
    private static let farthest = 2

    private static func base(of name: String) -> Substring { name.prefix { $0 != "(" } }

    /// Returns the letters of a name, that of a method without words that differ between older and
    /// newer names, or that are left out by mistake.
    private static func letters(of name: String, isProperty: Bool) -> [UInt8] {
        var text = name.lowercased().filter(\.isLetter)
        let words = isProperty ? [] : ["url", "version", "with", "handler", "did"]
        for word in words { text = text.replacing(word, with: "") }
        return Array(text.utf8)
    }

    /// Returns how many letters must be added, removed or changed.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
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
