// SPDX-License-Identifier: Apache-2.0
//
// The delegation request in a claim's record.

/// The slot in which a client requests a delegation for a claim's item or directory.
public struct RequestedSlot: Hashable, Sendable {
    /// The number of the slot.
    public let number: Int
    /// Whether the request is for the whole directory of the item.
    public let isForDirectory: Bool
    /// Whether the process has no local claim at the item, and grants itself none until this claim
    /// is over.
    ///
    /// A delegation that the process got meanwhile then stays.
    public let excludesLocalClaims: Bool

    private static let directoryBit: UInt32 = 1 << 31
    private static let exclusionBit: UInt32 = 1 << 30

    /// Creates a request for the item of a claim, or for its directory.
    public init(
        _ number: Int, forDirectory isForDirectory: Bool = false,
        excludesLocalClaims: Bool = false
    ) {
        self.number = number
        self.isForDirectory = isForDirectory
        self.excludesLocalClaims = excludesLocalClaims
    }

    /// Decodes the field of a record: 0 for none, else the number plus one.
    ///
    /// Returns nil for an invalid value.
    init?(encoded: UInt32) {
        let number = encoded & ~(Self.directoryBit | Self.exclusionBit)
        guard (1...UInt32(LedgerLayout.slotCount)).contains(number) else { return nil }
        self.init(
            Int(number) - 1, forDirectory: encoded & Self.directoryBit != 0,
            excludesLocalClaims: encoded & Self.exclusionBit != 0)
    }

    var encoded: UInt32 {
        (UInt32(number) + 1) | (isForDirectory ? Self.directoryBit : 0)
            | (excludesLocalClaims ? Self.exclusionBit : 0)
    }
}
