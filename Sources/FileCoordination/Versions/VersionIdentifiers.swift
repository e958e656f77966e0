// SPDX-License-Identifier: Apache-2.0
//
// Names that are never used twice.

import Foundation

/// An item of which versions are kept.
///
/// Stays the same when the item is moved or saved anew.
struct StoredItemID: Hashable, Sendable, CustomStringConvertible {
    /// The name of its directory in the store.
    let text: String

    /// A new one.
    init() { text = UUID().uuidString }

    /// The one that `text` is the name of, if it is one.
    init?(_ text: some StringProtocol) {
        guard UUID(uuidString: String(text)) != nil else { return nil }
        self.text = String(text)
    }

    var description: String { text }
}

/// A version that is kept.
///
/// What people get as its persistent identifier.
struct VersionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name of its directory in the store.
    let text: String

    /// A new one.
    init() { text = UUID().uuidString }

    /// The one that `text` is the name of, if it is one.
    init?(_ text: some StringProtocol) {
        guard UUID(uuidString: String(text)) != nil else { return nil }
        self.text = String(text)
    }

    var description: String { text }

    static func < (first: VersionID, second: VersionID) -> Bool { first.text < second.text }
}
