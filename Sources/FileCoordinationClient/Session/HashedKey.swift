// SPDX-License-Identifier: Apache-2.0
//
// Keys of large tables that are used once each: their hash is kept beside them, so that what is
// compared, or moved when the table grows, is as a rule not fetched from where it is.

/// A key and its hash.
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    private let hash: Int

    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    static func == (one: Self, other: Self) -> Bool {
        one.hash == other.hash && one.key == other.key
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
