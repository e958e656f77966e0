// SPDX-License-Identifier: Apache-2.0
//
// Servers come and go; the epoch numbers them. Whatever a server swaps names the epoch it was
// elected in, so that a server which was deposed while it slept finds that none of its swaps
// succeeds.

/// The number of a server's reign.
///
/// Every new server raises it by one; zero is "no server yet".
public struct ServerEpoch: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, at most ``maximum``.
    public let rawValue: UInt32

    /// The epoch before the first server.
    public static let none = ServerEpoch(truncating: 0)

    /// The last epoch that fits the 24 bits which a record word has for it.
    public static let maximum = ServerEpoch(truncating: 0xFF_FFFF)

    /// An epoch from its number, or nil when that is more than 24 bits.
    @inlinable
    public init?(rawValue: UInt32) {
        guard rawValue <= 0xFF_FFFF else { return nil }
        self.rawValue = rawValue
    }

    /// An epoch from the low 24 bits of a word in shared memory, which may hold anything.
    @inlinable
    package init(truncating word: UInt64) {
        rawValue = UInt32(truncatingIfNeeded: word & 0xFF_FFFF)
    }

    /// The next server's epoch, or nil when the numbers are used up.
    public var successor: ServerEpoch? { ServerEpoch(rawValue: rawValue + 1) }

    /// The first of the serial numbers that are this server's to give.
    ///
    /// A deposed server may still write a serial number into a record that has no serial number
    /// yet. Because serial numbers carry their server's epoch they stay unique even so, and those
    /// of an earlier server come earlier in line.
    public var firstSerial: UInt64 { UInt64(rawValue) << 40 | 1 }

    /// The order of reigns.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short form for timelines and failures.
    public var description: String { "epoch \(rawValue)" }
}
