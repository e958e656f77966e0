// SPDX-License-Identifier: Apache-2.0
//
// What a claim that is filed says of delegation.

/// The slot in which a client would like something delegated that its claim is about.
public struct RequestedSlot: Hashable, Sendable {
    /// The slot.
    public let number: Int
    /// Whether it would like the whole directory that the item is in, and not just the item.
    public let isForDirectory: Bool

    private static let directoryBit: UInt32 = 1 << 31

    /// A slot for the item of a claim, or for the directory that it is in.
    public init(_ number: Int, forDirectory isForDirectory: Bool = false) {
        self.number = number
        self.isForDirectory = isForDirectory
    }

    /// What a record says, if it makes sense: 0 for none, one more than the number for one.
    init?(encoded: UInt32) {
        let number = encoded & ~Self.directoryBit
        guard (1...UInt32(LedgerLayout.slotCount)).contains(number) else { return nil }
        self.init(Int(number) - 1, forDirectory: encoded & Self.directoryBit != 0)
    }

    var encoded: UInt32 {
        (UInt32(number) + 1) | (isForDirectory ? Self.directoryBit : 0)
    }
}
