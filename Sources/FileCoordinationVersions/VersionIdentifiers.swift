// SPDX-License-Identifier: Apache-2.0
//
// Unique names of items and versions in the store: 122 random bits, written as a UUID.

/// Identifies an item in the store.
///
/// It stays the same when the item is moved or saved.
package struct StoredItemID: Hashable, Sendable, CustomStringConvertible {
    /// The name of the item's directory in the store.
    package let text: String

    /// Makes a new ID.
    package init() { text = RandomName.make() }

    /// The ID with this text, or nil if the text is not valid.
    package init?(_ text: some StringProtocol) {
        guard RandomName.isOne(text) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }
}

/// Identifies a version in the store.
///
/// It is the version's persistent identifier in the public API.
package struct VersionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name of the version's directory in the store.
    package let text: String

    /// Makes a new ID.
    package init() { text = RandomName.make() }

    /// The ID with this text, or nil if the text is not valid.
    package init?(_ text: some StringProtocol) {
        guard RandomName.isOne(text) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }

    package static func < (first: VersionID, second: VersionID) -> Bool {
        first.text < second.text
    }
}

/// Random UUIDs (version 4 of RFC 9562).
private enum RandomName {
    private static let lengths = [8, 4, 4, 4, 12]

    static func make() -> String {
        var bits = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        bits[0] = bits[0] & ~0xF000 | 0x4000
        bits[1] = bits[1] & ~(0xC0 << 56) | 0x80 << 56
        var digits = bits.map { word in
            let text = String(word, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()[...]
        return lengths.map { length in
            defer { digits = digits.dropFirst(length) }
            return String(digits.prefix(length))
        }.joined(separator: "-")
    }

    static func isOne(_ text: some StringProtocol) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == lengths
            && parts.allSatisfy { $0.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
    }
}
