// SPDX-License-Identifier: Apache-2.0
//
// The options of reads and writes, with Apple's names and raw values, and their conversion for the
// server. Unknown bits cause an error instead of being ignored, because an ignored option would
// promise something that does not happen.

#if !canImport(Darwin)
package import FileCoordinationArbiter

extension NSFileCoordinator {
    /// How an item will be read: what the accessor promises, and what it wants from others.
    ///
    /// A call with unknown bits fails with ``FileCoordinationError/Code/invalidOptions``; all known
    /// options can be combined (Rule 6.9).
    ///
    /// ```swift
    /// let reading = NSFileAccessIntent.readingIntent(with: url, options: .withoutChanges)
    /// ```
    ///
    /// **Threads and cost.** A value, for any thread. What an option costs the call is said there.
    public struct ReadingOptions: OptionSet, Hashable, Sendable {
        /// The bits, the same as on Apple platforms.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: the bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Presenters are not asked to save their changes first.
        ///
        /// Together with other options, it omits only this question (Rule 6.9): presenters are
        /// asked to relinquish all the same. The accessor finds the item as it was saved last.
        public static let withoutChanges = Self(rawValue: 1 << 0)

        /// A symbolic link at the end of the path is followed: the accessor gets the URL of its
        /// target.
        ///
        /// The call first waits for access to the link and then for access to the target (Rule
        /// 1.5). So it is two claims for each link. A loop of links is an error (Rule 17.3).
        public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)

        /// The accessor will read only metadata that is available without a download.
        ///
        /// Does not change which claims wait for each other (Rule 2.9). On Linux, all items are
        /// local, so this is like a read without options.
        public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)

        /// The accessor gets the URL of a copy; a directory is copied as a zip archive.
        ///
        /// The copy is made under the claim, which ends before the accessor runs, so that no other
        /// claim waits for an upload. The copy is deleted when the accessor returns; move or open
        /// it to keep it (Rules 15.1, 15.2). If the call has other items, too, the claim lasts
        /// until the accessor returns. A copy shares the file's blocks where the file system can do
        /// that; an archive costs reading and compressing the whole directory.
        public static let forUploading = Self(rawValue: 1 << 3)

        /// The accessor will also read everything inside a directory.
        ///
        /// This is beyond Apple's API.
        ///
        /// The effect is as if the call named each item inside (Rule 2.23): it waits for all
        /// writers inside and keeps others out until it is over, and presenters of items inside
        /// save first. It is one claim, by way of the server, and is granted for everything at
        /// once: its cost grows with the claims and presenters inside, not with the files. It has
        /// no effect on a file. Symbolic links inside are not followed. The raw value is a bit that
        /// Apple's options do not use.
        public static let includingContents = Self(rawValue: 1 << 31)
    }

    /// What an item will be written for.
    ///
    /// Several options add up (Rule 2.8b): the call waits as the strictest of them requires,
    /// presenters are asked what any of them requires, and are told afterwards what each of them
    /// requires. A call with unknown bits fails with ``FileCoordinationError/Code/invalidOptions``.
    ///
    /// ```swift
    /// let writing = NSFileAccessIntent.writingIntent(with: url, options: .forDeleting)
    /// ```
    ///
    /// **Threads and cost.** A value, for any thread. Each option says which presenters the call
    /// waits for.
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
        /// asked to accommodate the deletion (Rule 6.1), and any of them can refuse it (Rule 9.1).
        /// The call waits for all presenters inside, and is never delegated.
        public static let forDeleting = Self(rawValue: 1 << 0)

        /// The accessor will move the item.
        ///
        /// A directory is claimed with everything inside it (Rules 2.2 and 2.3). For a file, this
        /// is like a write without options (Rule 2.7). Announce the move in the accessor with
        /// ``NSFileCoordinator/item(at:didMoveTo:)``; what is not announced is looked for by the
        /// item's identity when the accessor returns (Rule 11.1).
        public static let forMoving = Self(rawValue: 1 << 1)

        /// The accessor will change the item on the basis of its present contents.
        ///
        /// Presenters are asked to save after they have relinquished the item (Rule 6.1). A
        /// presenter that cannot save makes the call fail (Rule 9.1).
        public static let forMerging = Self(rawValue: 1 << 2)

        /// The accessor will replace the item by another one.
        ///
        /// Waits and asks presenters like ``forDeleting`` (Rule 2.8), so editors of the item may
        /// close it. To save a document that is open, write without this option. The call means the
        /// name: it does not follow an item that moves while the call waits (Rule 11.5).
        public static let forReplacing = Self(rawValue: 1 << 3)

        /// The accessor will write only metadata that does not depend on the item's contents.
        ///
        /// Does not change which claims wait for each other (Rule 2.9). Presenters are told of a
        /// change (Rule 7.13).
        public static let contentIndependentMetadataOnly = Self(rawValue: 1 << 4)

        /// The accessor will also write everything inside a directory.
        ///
        /// This is beyond Apple's API.
        ///
        /// The effect is as if the call named each item inside (Rule 2.23): it waits for all
        /// readers and writers inside and keeps others out until it is over, and presenters of
        /// items inside relinquish them. It is one claim, by way of the server, and is granted for
        /// everything at once. It has no effect on a file. Afterwards, all presenters inside are
        /// told that their items may have changed. The raw value is a bit that Apple's options do
        /// not use.
        public static let includingContents = Self(rawValue: 1 << 31)

        /// A symbolic link at the end of the path is followed: the accessor gets the URL of its
        /// target.
        ///
        /// This is beyond Apple's API.
        ///
        /// As for a read with the option of the same name, the call first waits for access to the
        /// link, to read it, and then for access to the target (Rule 2.25). A link to nowhere leads
        /// to the place that it names. The raw value is a bit that Apple's options do not use.
        public static let resolvesSymbolicLink = Self(rawValue: 1 << 30)
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
        .includingContents, .resolvesSymbolicLink,
    ]

    /// The options for the server; nil if an option is unknown.
    ///
    /// All known writing options can be combined (Rule 2.8b).
    package var arbiterOptions: FileCoordinationArbiter.WritingOptions? {
        guard isSubset(of: Self.known) else { return nil }
        var options = FileCoordinationArbiter.WritingOptions(
            rawValue: UInt8(subtracting([.includingContents, .resolvesSymbolicLink]).rawValue))
        if contains(.includingContents) { options.insert(.includingContents) }
        if contains(.resolvesSymbolicLink) { options.insert(.resolvesSymbolicLink) }
        return options
    }
}
#endif
