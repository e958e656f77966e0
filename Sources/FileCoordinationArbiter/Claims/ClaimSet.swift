// SPDX-License-Identifier: Apache-2.0
//
// A set of small numbers, one bit for each. The search for indirect waits numbers the claims that
// it considers and keeps one such set for each claim: for 16,000 claims, 2 KB each at most.

/// A set of small numbers.
struct ClaimSet {
    private var words: [UInt64] = []

    /// Whether the set contains `number`.
    func contains(_ number: Int) -> Bool {
        let word = number >> 6
        return word < words.count && words[word] & (1 << UInt64(number & 63)) != 0
    }

    /// Adds `number`.
    mutating func insert(_ number: Int) {
        let word = number >> 6
        extend(to: word + 1)
        words[word] |= 1 << UInt64(number & 63)
    }

    /// Adds all numbers of `other`.
    mutating func formUnion(_ other: Self) {
        extend(to: other.words.count)
        for word in other.words.indices { words[word] |= other.words[word] }
    }

    /// Whether the sets have no number in common.
    func isDisjoint(with other: Self) -> Bool {
        for word in 0..<min(words.count, other.words.count)
        where words[word] & other.words[word] != 0 {
            return false
        }
        return true
    }

    private mutating func extend(to count: Int) {
        while words.count < count { words.append(0) }
    }
}
