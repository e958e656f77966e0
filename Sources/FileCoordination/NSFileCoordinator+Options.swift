// SPDX-License-Identifier: Apache-2.0
//
// What callers may say about a read or a write, with Apple's names and raw values, and how it is
// put to the arbiter. A bit that has no name here is refused, not ignored: an option that silently
// does nothing would promise what is not kept.

#if !canImport(Darwin)
package import FileCoordinationArbiter

extension NSFileCoordinator {
    /// How an item is to be read.
    public struct ReadingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Presenters are not asked to save their changes first.
        ///
        /// Combined with anything else it drops that question and nothing more (Rule 6.9).
        public static let withoutChanges = Self(rawValue: 1 << 0)

        /// A link in the last component is followed: the accessor gets the URL of what it leads to.
        ///
        /// Access to the link is waited for first, then access to where it leads (Rule 1.5).
        public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)

        /// Only metadata that is at hand without a download is going to be read.
        ///
        /// Changes nothing about which claims wait for each other (Rule 2.9).
        public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)

        /// The accessor gets the URL of a copy, a directory's as a zip archive.
        ///
        /// The copy is made under the claim, which ends before the accessor runs, so that no other
        /// claim waits for an upload; it goes when the accessor returns: move it away, or open it,
        /// to keep it (Rules 15.1, 15.2). In a call with other items the claim lasts as for them.
        public static let forUploading = Self(rawValue: 1 << 3)

        /// Everything inside a directory is read, too; beyond Apple's.
        ///
        /// As if each item inside were named in the same call (Rule 2.23): the call waits for all
        /// writers inside, keeps them out until it is over, and presenters of items inside save
        /// first. It is one claim, granted at once or not at all. Of a file it changes nothing.
        /// Links inside are not followed. The raw value is a bit that Apple's options do not use.
        public static let includingContents = Self(rawValue: 1 << 31)
    }

    /// What an item is to be written for.
    ///
    /// Several options are their union (Rule 2.8b): the call waits as the strictest of them, asks
    /// presenters what any of them asks, and counts as each of them when it ends.
    public struct WritingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The item is going to be deleted.
        ///
        /// For a directory, everything inside it is concerned as well (Rules 2.2 and 2.3), and
        /// presenters are asked to accommodate the deletion (Rule 6.1).
        public static let forDeleting = Self(rawValue: 1 << 0)

        /// The item is going to be moved.
        ///
        /// For a directory, everything inside it is concerned as well (Rules 2.2 and 2.3); a plain
        /// file is treated as by a write without options (Rule 2.7).
        public static let forMoving = Self(rawValue: 1 << 1)

        /// The item is going to be changed on top of what its presenters have not saved yet.
        ///
        /// Presenters are asked to save after they relinquished the item (Rule 6.1).
        public static let forMerging = Self(rawValue: 1 << 2)

        /// The item is going to be replaced by another one.
        ///
        /// Waits and asks like ``forDeleting`` (Rule 2.8).
        public static let forReplacing = Self(rawValue: 1 << 3)

        /// Only metadata that does not depend on the item's contents is going to be written.
        ///
        /// Changes nothing about which claims wait for each other (Rule 2.9).
        public static let contentIndependentMetadataOnly = Self(rawValue: 1 << 4)

        /// Everything inside a directory is written, too; beyond Apple's.
        ///
        /// As if each item inside were named in the same call (Rule 2.23): the call waits for all
        /// readers and writers inside, keeps them out until it is over, and presenters of items
        /// inside relinquish them. It is one claim, granted at once or not at all. Of a file it
        /// changes nothing. When it is over, all presenters inside are told that their items may
        /// have changed. The raw value is a bit that Apple's options do not use.
        public static let includingContents = Self(rawValue: 1 << 31)
    }
}

extension NSFileCoordinator.ReadingOptions {
    private static let known: Self = [
        .withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading,
        .includingContents,
    ]

    /// The same options in the arbiter's words, or nil if there is one that is not known here.
    ///
    /// Known options for reading combine freely (Rule 6.9).
    package var arbiterOptions: FileCoordinationArbiter.ReadingOptions? {
        guard isSubset(of: Self.known) else { return nil }
        var options = FileCoordinationArbiter.ReadingOptions(
            rawValue: UInt8(subtracting(.includingContents).rawValue))
        if contains(.includingContents) { options.insert(.includingContents) }
        return options
    }
}

extension NSFileCoordinator.WritingOptions {
    private static let known: Self = [
        .forDeleting, .forMoving, .forMerging, .forReplacing, .contentIndependentMetadataOnly,
        .includingContents,
    ]

    /// The same options in the arbiter's words, or nil if there is one that is not known here.
    ///
    /// Known options for writing combine freely (Rule 2.8b).
    package var arbiterOptions: FileCoordinationArbiter.WritingOptions? {
        guard isSubset(of: Self.known) else { return nil }
        var options = FileCoordinationArbiter.WritingOptions(
            rawValue: UInt8(subtracting(.includingContents).rawValue))
        if contains(.includingContents) { options.insert(.includingContents) }
        return options
    }
}
#endif
