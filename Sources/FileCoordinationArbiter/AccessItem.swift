// SPDX-License-Identifier: Apache-2.0
//
// What one claim wants with one item. The client has looked at the file system when it makes one
// of these: what is a directory and what is a package are facts here, not questions.

/// What a claim wants with an item.
public enum Access: Hashable, Sendable {
    /// A coordinated read.
    case reading(ReadingOptions)
    /// A coordinated write.
    case writing(WritingMode)

    /// Whether it is a write.
    public var isWriting: Bool {
        switch self {
        case .reading: false
        case .writing: true
        }
    }
}

/// The options of a read; the raw values are those of `NSFileCoordinator.ReadingOptions`.
public struct ReadingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt8

    /// Options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Presenters are not asked to save (Rule 6.9).
    public static let withoutChanges = Self(rawValue: 1 << 0)
    /// A final link is followed, after the claim on the link was granted (Rule 1.5).
    public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)
    /// Only metadata that needs no download is read (Rule 2.9).
    public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)
    /// The accessor gets a snapshot, and the claim ends before it runs (Rule 15.1).
    public static let forUploading = Self(rawValue: 1 << 3)
}

/// What a write is for; at most one of `NSFileCoordinator.WritingOptions`.
public enum WritingMode: UInt8, CaseIterable, Hashable, Sendable {
    /// No option.
    case plain = 0
    /// `forDeleting`.
    case deleting = 1
    /// `forMoving`.
    case moving = 2
    /// `forMerging`.
    case merging = 3
    /// `forReplacing`.
    case replacing = 4
    /// `contentIndependentMetadataOnly`.
    case metadataOnly = 5

    /// Whether the write concerns everything inside a directory, too: "D/M/R" in the rules.
    public var isStructural: Bool {
        switch self {
        case .deleting, .moving, .replacing: true
        case .plain, .merging, .metadataOnly: false
        }
    }
}

/// One item of a claim.
public struct AccessItem: Hashable, Sendable {
    /// The item's place.
    public var path: ItemPath
    /// What the claim wants with it.
    public var access: Access
    /// Whether the item is a directory (a package is one, too).
    public var isDirectory: Bool
    /// Depths of the ancestors of `path`, itself included, that are packages; ascending (Rule
    /// 1.12).
    ///
    /// A depth is a number of components: ``ItemPath/prefix(depth:)`` of it is the package.
    public var packageDepths: [Int]

    /// One item of a claim.
    public init(
        path: ItemPath, access: Access, isDirectory: Bool = false, packageDepths: [Int] = []
    ) {
        self.path = path
        self.access = access
        self.isDirectory = isDirectory
        self.packageDepths = packageDepths
    }
}

/// What a write did to its item, as compared before and after by the client (Rule 7.8).
public enum ItemOutcome: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing changed: no message is sent.
    case unchanged = 0
    /// The item changed, or it cannot be told.
    case changed = 1
    /// The item did not exist before and does now (Rule 7.5).
    case created = 2
    /// The item existed before and does not now (Rule 7.6).
    case deleted = 3
}
