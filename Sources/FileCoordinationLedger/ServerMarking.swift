// SPDX-License-Identifier: Apache-2.0
//
// The fields that a server writes into a record besides its word: the time of the grant, and that
// an item is not at the path in the body. A server can be suspended between its check of the record
// and the write, until the record has been reused. Therefore the initial value of these fields
// contains the generation, and the server uses a compare-and-swap with the value that it loaded
// before its check.

internal import FileCoordinationSystem

/// A prepared write to such a field.
package struct ServerMarking: Sendable {
    private let word: AtomicWord
    private let seen: UInt64
    private let kept: UInt64

    init(_ word: AtomicWord, seen: UInt64, keeping mask: UInt64 = 0) {
        self.word = word
        self.seen = seen
        kept = seen & mask
    }

    /// Writes, if the field is unchanged.
    ///
    /// Returns whether it did.
    @discardableResult
    package func write(_ value: UInt64) -> Bool {
        word.compareExchange(expected: seen, desired: kept | value).exchanged
    }
}

/// The values of these fields before a server has written them.
enum ServerField {
    /// The mark for moved items, with the generation in the high half.
    static func unmarked(_ generation: UInt32) -> UInt64 { UInt64(generation) << 32 }
    static let markMask: UInt64 = 3
    static let generationMask: UInt64 = 0xFFFF_FFFF << 32

    /// The time of the grant: a value that no clock returns.
    static func ungranted(_ generation: UInt32) -> UInt64 { 1 << 63 | UInt64(generation) }
    /// Returns the time; nil if there is none.
    static func grantTime(_ field: UInt64) -> Instant? {
        field >> 63 == 0 && field > 0 ? Instant(nanoseconds: field) : nil
    }
}
