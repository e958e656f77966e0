// SPDX-License-Identifier: Apache-2.0
//
// Names that are never used twice: 122 random bits, written as a UUID.

/// An item of which versions are kept.
///
/// Stays the same when the item is moved or saved anew.
package struct StoredItemID: Hashable, Sendable, CustomStringConvertible {
    /// The name of its directory in the store.
    package let text: String

    /// A new one.
    package init() { text = RandomName.make() }

    /// The one that `text` is the name of, if it is one.
    package init?(_ text: some StringProtocol) {
        guard RandomName.isOne(text) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }
}

/// A version that is kept.
///
/// What people get as its persistent identifier.
package struct VersionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name of its directory in the store.
    package let text: String

    /// A new one.
    package init() { text = RandomName.make() }

    /// The one that `text` is the name of, if it is one.
    package init?(_ text: some StringProtocol) {
        guard RandomName.isOne(text) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }

    package static func < (first: VersionID, second: VersionID) -> Bool {
        first.text < second.text
    }
}

/// UUIDs of the fourth kind (RFC 9562).
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
