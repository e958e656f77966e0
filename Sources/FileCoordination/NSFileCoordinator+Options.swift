// SPDX-License-Identifier: Apache-2.0
//
// The options of reads and writes, with Apple's names and raw values, and their conversion for the
// server. Unknown bits cause an error instead of being ignored, because an ignored option would
// promise something that does not happen.

#if !canImport(Darwin)
package import FileCoordinationArbiter

extension NSFileCoordinator {
    /// How an item will be read.
    public struct ReadingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Presenters are not asked to save their changes first.
        ///
        /// Together with other options, it omits only this question (Rule 6.9).
        public static let withoutChanges = Self(rawValue: 1 << 0)

        /// A symbolic link at the end of the path is followed: the accessor gets the URL of its
        /// target.
        ///
        /// The call first waits for access to the link and then for access to the target (Rule
        /// 1.5).
        public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)

        /// The accessor will read only metadata that is available without a download.
        ///
        /// Does not change which claims wait for each other (Rule 2.9).
        public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)

        /// The accessor gets the URL of a copy; a directory is copied as a zip archive.
        ///
        /// The copy is made under the claim, which ends before the accessor runs, so that no other
        /// claim waits for an upload. The copy is deleted when the accessor returns; move or open
        /// it to keep it (Rules 15.1, 15.2). If the call has other items, too, the claim lasts
        /// until the accessor returns.
        public static let forUploading = Self(rawValue: 1 << 3)

        /// The accessor will also read everything inside a directory.
        ///
        /// This is beyond Apple's API.
        ///
        /// The effect is as if the call named each item inside (Rule 2.23): it waits for all
        /// writers inside and keeps others out until it is over, and presenters of items inside
        /// save first. It is one claim and is granted for everything at once. It has no effect on a
        /// file. Symbolic links inside are not followed. The raw value is a bit that Apple's
        /// options do not use.
        public static let includingContents = Self(rawValue: 1 << 31)
    }

    /// What an item will be written for.
    ///
    /// Several options add up (Rule 2.8b): the call waits as the strictest of them requires,
    /// presenters are asked what any of them requires, and are told afterwards what each of them
    /// requires.
    public struct WritingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The accessor will delete the item.
        ///
        /// A directory is claimed with everything inside it (Rules 2.2 and 2.3). Presenters are
        /// asked to accommodate the deletion (Rule 6.1).
        public static let forDeleting = Self(rawValue: 1 << 0)

        /// The accessor will move the item.
        ///
        /// A directory is claimed with everything inside it (Rules 2.2 and 2.3). For a file, this
        /// is like a write without options (Rule 2.7).
        public static let forMoving = Self(rawValue: 1 << 1)

        /// The accessor will change the item on the basis of its present contents.
        ///
        /// Presenters are asked to save after they have relinquished the item (Rule 6.1).
        public static let forMerging = Self(rawValue: 1 << 2)

        /// The accessor will replace the item by another one.
        ///
        /// Waits and asks presenters like ``forDeleting`` (Rule 2.8), so editors of the item may
        /// close it. To save a document that is open, write without this option.
        public static let forReplacing = Self(rawValue: 1 << 3)

        /// The accessor will write only metadata that does not depend on the item's contents.
        ///
        /// Does not change which claims wait for each other (Rule 2.9).
        public static let contentIndependentMetadataOnly = Self(rawValue: 1 << 4)

        /// The accessor will also write everything inside a directory.
        ///
        /// This is beyond Apple's API.
        ///
        /// The effect is as if the call named each item inside (Rule 2.23): it waits for all
        /// readers and writers inside and keeps others out until it is over, and presenters of
        /// items inside relinquish them. It is one claim and is granted for everything at once. It
        /// has no effect on a file. Afterwards, all presenters inside are told that their items may
        /// have changed. The raw value is a bit that Apple's options do not use.
        public static let includingContents = Self(rawValue: 1 << 31)
    }
}

extension NSFileCoordinator.ReadingOptions {
    private static let known: Self = [
        .withoutChanges, .resolvesSymbolicLink, .immediatelyAvailableMetadataOnly, .forUploading,
        .includingContents,
    ]

    /// The options for the server; nil if an option is unknown.
    ///
    /// All known reading options can be combined (Rule 6.9).
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

    /// The options for the server; nil if an option is unknown.
    ///
    /// All known writing options can be combined (Rule 2.8b).
    package var arbiterOptions: FileCoordinationArbiter.WritingOptions? {
        guard isSubset(of: Self.known) else { return nil }
        var options = FileCoordinationArbiter.WritingOptions(
            rawValue: UInt8(subtracting(.includingContents).rawValue))
        if contains(.includingContents) { options.insert(.includingContents) }
        return options
    }
}
#endif
