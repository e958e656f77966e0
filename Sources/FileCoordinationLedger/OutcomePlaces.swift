// SPDX-License-Identifier: Apache-2.0
//
// Where the client's logs are: its own numbers. Those in the file are for servers; any process of
// the user can overwrite them, so the client never reads them back.

internal import FileCoordinationSystem

/// The place of the log of each record that this process has written.
///
/// Only the thread that owns a record uses its place.
struct OutcomePlaces: Sendable {
    /// The place of a log.
    struct Place: Hashable, Sendable {
        /// The offset in the file.
        var start: Int
        /// The bytes that are reserved.
        var capacity: Int
        /// The bytes that are written.
        var length = 0

        /// The offset and length, as the file has them; the offset is 0 inside the record.
        var extent: UInt64 {
            UInt64(start >= LedgerLayout.heap ? start : 0) << 32 | UInt64(length)
        }
    }

    /// Two words for each record.
    private let words = PrivateWords(count: 2 * LedgerLayout.recordCount)

    /// The log of a record; empty and without room if the record was never written.
    @inline(__always)
    subscript(index: Int) -> Place {
        get {
            let place = words[2 * index]
            return Place(
                start: Int(place >> 32), capacity: Int(UInt32(truncatingIfNeeded: place)),
                length: Int(words[2 * index + 1]))
        }
        nonmutating set {
            words[2 * index] = UInt64(newValue.start) << 32 | UInt64(newValue.capacity)
            words[2 * index + 1] = UInt64(newValue.length)
        }
    }
}
