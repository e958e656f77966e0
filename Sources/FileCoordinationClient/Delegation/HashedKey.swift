// SPDX-License-Identifier: Apache-2.0
//
// Keys for large tables. The hash is stored next to the key, so that a comparison with another key,
// or growing the table, usually does not have to load the key's contents from memory.

/// A key with its hash.
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    private let hash: Int

    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    /// Creates a key of bytes, which are hashed at once: an array hashes its elements one by one.
    ///
    /// A table of such keys must be used with these alone, because their hashes are others.
    init(bytes: [UInt8]) where Key == [UInt8] {
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        key = bytes
        hash = hasher.finalize()
    }

    static func == (one: Self, other: Self) -> Bool {
        one.hash == other.hash && one.key == other.key
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
