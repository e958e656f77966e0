// SPDX-License-Identifier: Apache-2.0
//
// What a call wants of one of its items besides access: that it is as the caller has seen it, or to
// be told its state at the grant (Rule 18.16).

package import FileCoordinationWire

/// What a call demands of an item's state, and wants to know of it.
package final class TokenTerms: Sendable {
    /// The state in which the item must be, or the accessor does not run; nil for any.
    package let onlyIf: ItemToken?
    /// Whether the accessor gets the token of the state at the grant.
    package let isWanted: Bool
    /// Whether that token has a digest of the contents.
    package let withDigest: Bool

    /// Creates terms; nil if nothing is demanded or wanted.
    package convenience init?(
        onlyIf: ItemToken?, isWanted: Bool = false, withDigest: Bool = false
    ) {
        guard onlyIf != nil || isWanted else { return nil }
        self.init(given: onlyIf, isWanted, withDigest)
    }

    private init(given onlyIf: ItemToken?, _ isWanted: Bool, _ withDigest: Bool) {
        self.onlyIf = onlyIf
        self.isWanted = isWanted
        self.withDigest = withDigest
    }
}

/// Why a call's accessor does not run: an item is not as the caller has seen it.
package struct Staleness: Hashable, Sendable {
    /// What differs.
    package var difference: ItemDifference
    /// The last coordinated writer, if what that has left is what is there now.
    package var writer: ChangeAuthor?

    /// Creates a reason.
    package init(difference: ItemDifference, writer: ChangeAuthor? = nil) {
        self.difference = difference
        self.writer = writer
    }
}
