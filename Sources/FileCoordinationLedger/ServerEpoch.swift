// SPDX-License-Identifier: Apache-2.0
//
// Epochs number the servers of a runtime directory. Every compare-and-swap of a server expects the
// server's epoch, so those of a server that was deposed while it was suspended fail.

/// The epoch of a server.
///
/// Every new server takes the next number; zero stands for "no server yet".
public struct ServerEpoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, at most ``maximum``.
    public let rawValue: UInt32

    /// The epoch before the first server.
    public static let none = ServerEpoch(truncating: 0)

    /// The last epoch that fits into the 24 bits of a record word.
    public static let maximum = ServerEpoch(truncating: 0xFF_FFFF)

    /// Creates an epoch; nil if the number has more than 24 bits.
    @inlinable
    public init?(rawValue: UInt32) {
        guard rawValue <= 0xFF_FFFF else { return nil }
        self.rawValue = rawValue
    }

    /// Creates an epoch from the low 24 bits of a word, which may have any value.
    @inlinable
    package init(truncating word: UInt64) {
        rawValue = UInt32(truncatingIfNeeded: word & 0xFF_FFFF)
    }

    /// The first serial number of this server.
    ///
    /// A deposed server may still write a serial number into a record without one. Serial numbers
    /// contain their server's epoch, so they are unique even then, and those of earlier servers
    /// come earlier in the queue.
    public var firstSerial: UInt64 { UInt64(rawValue) << 40 | 1 }

    /// Orders epochs by time.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short text for logs and test failures.
    public var description: String { "epoch \(rawValue)" }
}
