// SPDX-License-Identifier: Apache-2.0
//
// What a server writes into a record beside its word: when it was granted, and that an item is not
// where the body says. A server can be stopped between its look at the record and that write, for
// as long as it takes the record to be another claim's: so each claim's fields begin with its
// generation in them, and a server swaps what it saw before it looked.

internal import FileCoordinationSystem

/// One such write: it has looked, and not written.
package struct ServerMarking: Sendable {
    private let word: AtomicWord
    private let seen: UInt64
    private let kept: UInt64

    init(_ word: AtomicWord, seen: UInt64, keeping mask: UInt64 = 0) {
        self.word = word
        self.seen = seen
        kept = seen & mask
    }

    /// Writes, if nothing was written meanwhile; returns whether it did.
    @discardableResult
    package func write(_ value: UInt64) -> Bool {
        word.compareExchange(expected: seen, desired: kept | value).exchanged
    }
}

/// How those fields say that nothing was written.
enum ServerField {
    /// The mark for moved items: the generation above it.
    static func unmarked(_ generation: UInt32) -> UInt64 { UInt64(generation) << 32 }
    static let markMask: UInt64 = 3
    static let generationMask: UInt64 = 0xFFFF_FFFF << 32

    /// The time of the grant: no time that a clock tells.
    static func ungranted(_ generation: UInt32) -> UInt64 { 1 << 63 | UInt64(generation) }
    /// The time; 0 if there is none.
    static func grantTime(_ field: UInt64) -> UInt64 { field >> 63 == 0 ? field : 0 }
}
