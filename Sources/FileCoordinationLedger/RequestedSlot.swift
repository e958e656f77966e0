// SPDX-License-Identifier: Apache-2.0
//
// What a claim that is filed says of delegation.

/// The slot in which a client would like something delegated that its claim is about.
public struct RequestedSlot: Hashable, Sendable {
    /// The slot.
    public let number: Int
    /// Whether it would like the whole directory that the item is in, and not just the item.
    public let isForDirectory: Bool
    /// Whether no claim that its process granted itself runs at the item, and none will before this
    /// one is over: then a delegation of the item, which the process has got meanwhile, may stand.
    public let excludesLocalClaims: Bool

    private static let directoryBit: UInt32 = 1 << 31
    private static let exclusionBit: UInt32 = 1 << 30

    /// A slot for the item of a claim, or for the directory that it is in.
    public init(
        _ number: Int, forDirectory isForDirectory: Bool = false,
        excludesLocalClaims: Bool = false
    ) {
        self.number = number
        self.isForDirectory = isForDirectory
        self.excludesLocalClaims = excludesLocalClaims
    }

    /// What a record says, if it makes sense: 0 for none, one more than the number for one.
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
