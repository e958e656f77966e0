// SPDX-License-Identifier: Apache-2.0
//
// An item of a claim, and what kind of access the claim needs to it. The client has examined the
// file system when it creates one: whether the item is a directory or a package is a fact for the
// arbiter.

/// The access that a claim needs to an item.
public enum Access: Hashable, Sendable {
    /// A coordinated read.
    case reading(ReadingOptions)
    /// A coordinated write.
    case writing(WritingOptions)

    /// Whether it is a write.
    public var isWriting: Bool {
        switch self {
        case .reading: false
        case .writing: true
        }
    }
}

/// The options of a read.
///
/// Except for ``includingContents``, the raw values are those of
/// `NSFileCoordinator.ReadingOptions`.
public struct ReadingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt8

    /// Options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Presenters are not asked to save (Rule 6.9).
    public static let withoutChanges = Self(rawValue: 1 << 0)
    /// The client follows a symbolic link at the end of the path after the claim on the link was
    /// granted (Rule 1.5).
    public static let resolvesSymbolicLink = Self(rawValue: 1 << 1)
    /// The accessor reads only metadata that needs no download (Rule 2.9).
    public static let immediatelyAvailableMetadataOnly = Self(rawValue: 1 << 2)
    /// The accessor gets a snapshot of the item, and the claim ends before the accessor runs (Rule
    /// 15.1).
    public static let forUploading = Self(rawValue: 1 << 3)
    /// The accessor also reads everything inside a directory (Rule 2.23).
    public static let includingContents = Self(rawValue: 1 << 6)

    /// All options, with their names in Swift.
    package static let named: [(name: String, option: Self)] = [
        ("withoutChanges", .withoutChanges), ("resolvesSymbolicLink", .resolvesSymbolicLink),
        ("immediatelyAvailableMetadataOnly", .immediatelyAvailableMetadataOnly),
        ("forUploading", .forUploading), ("includingContents", .includingContents),
    ]
    /// The union of all options.
    package static let all = Self(named.map(\.option))
}

/// The options of a write.
///
/// Except for ``includingContents`` and ``resolvesSymbolicLink``, the raw values are those of
/// `NSFileCoordinator.WritingOptions`.
///
/// Several options add up (Rule 2.8b): the claim waits as the strictest option requires, and
/// presenters are asked and told what any of the options requires.
public struct WritingOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt8

    /// Options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No option.
    public static let plain: Self = []
    /// `forDeleting`.
    public static let deleting = Self(rawValue: 1 << 0)
    /// `forMoving`.
    public static let moving = Self(rawValue: 1 << 1)
    /// `forMerging`.
    public static let merging = Self(rawValue: 1 << 2)
    /// `forReplacing`.
    public static let replacing = Self(rawValue: 1 << 3)
    /// `contentIndependentMetadataOnly`.
    public static let metadataOnly = Self(rawValue: 1 << 4)
    /// The client follows a symbolic link at the end of the path after a reading claim on the link
    /// was granted (Rule 2.25).
    ///
    /// A request of the client alone: no claim has it.
    public static let resolvesSymbolicLink = Self(rawValue: 1 << 5)
    /// The accessor also writes everything inside a directory (Rule 2.23).
    public static let includingContents = Self(rawValue: 1 << 6)
    /// The accessor runs only if the item is as the caller has seen it (Rule 18.16).
    ///
    /// The client compares that under the claim. So presenters save first, whatever the other
    /// options, and what one that does not answer has not saved is unknown: the claim fails.
    public static let conditional = Self(rawValue: 1 << 7)

    /// All options of claims, with their names in Swift.
    package static let named: [(name: String, option: Self)] = [
        ("forDeleting", .deleting), ("forMoving", .moving), ("forMerging", .merging),
        ("forReplacing", .replacing), ("contentIndependentMetadataOnly", .metadataOnly),
        ("includingContents", .includingContents), ("conditional", .conditional),
    ]
    /// The union of all options of claims.
    package static let all = Self(named.map(\.option))

    /// Whether the write also concerns everything inside a directory: the rules' "D/M/R".
    public var isStructural: Bool { !isDisjoint(with: [.deleting, .moving, .replacing]) }

    /// Whether the write removes the present item for good, so that its presenters must accommodate
    /// the deletion (Rule 6.1).
    public var isDeletion: Bool { !isDisjoint(with: [.deleting, .replacing]) }

    /// Whether presenters of the item save before the write.
    var asksToSave: Bool { !isDisjoint(with: [.merging, .conditional]) }

    /// Whether the write is granted before claims that wait inside the directory (Rule 2.8a).
    ///
    /// This holds only if none of the other options has to wait for those claims (Rule 2.8b).
    var goesBeforeQueued: Bool {
        contains(.moving) && isDisjoint(with: [.deleting, .replacing, .includingContents])
    }

    /// Whether the write is about the path, so that a waiting claim stays there when the item moves
    /// (Rule 11.5).
    var staysInPlace: Bool { contains(.replacing) }

    /// Whether the claim also covers the new path of an item that its own accessor moves.
    ///
    /// A replaced item is covered there only if the write is for moving, too.
    var followsOwnMoves: Bool { !contains(.replacing) || contains(.moving) }
}

extension Access {
    /// Whether the claim covers everything inside a directory, as if the call had named each item
    /// there (Rule 2.23).
    public var coversContents: Bool {
        switch self {
        case .reading(let options): options.contains(.includingContents)
        case .writing(let options): options.contains(.includingContents)
        }
    }

    /// Whether the accessor uses the contents that the item has, which a provider then brings here
    /// (Rule 15.4).
    var needsContents: Bool {
        switch self {
        case .reading(let options): !options.contains(.immediatelyAvailableMetadataOnly)
        case .writing(let options):
            options.contains(.merging)
                || !options.isStructural && !options.contains(.metadataOnly)
        }
    }

    /// The options of a write; nil for a read.
    public var writingOptions: WritingOptions? {
        switch self {
        case .reading: nil
        case .writing(let options): options
        }
    }
}

/// One item of a claim.
public struct AccessItem: Hashable, Sendable {
    /// The path of the item.
    public var path: ItemPath
    /// The access that the claim needs.
    public var access: Access
    /// Whether the item is a directory; a package is one, too.
    public var isDirectory: Bool
    /// The depths of the packages among the ancestors of `path` and `path` itself, ascending (Rule
    /// 1.12).
    ///
    /// A depth is a number of components: ``ItemPath/prefix(depth:)`` returns the path of the
    /// package.
    public var packageDepths: [Int]
    /// Whether the client has seen that the contents are not here, so that a claim which uses them
    /// waits for a provider (Rule 15.4).
    public var lacksContents: Bool

    /// Creates an item of a claim.
    public init(
        path: ItemPath, access: Access, isDirectory: Bool = false, packageDepths: [Int] = [],
        lacksContents: Bool = false
    ) {
        self.path = path
        self.access = access
        self.isDirectory = isDirectory
        self.lacksContents = lacksContents
        self.packageDepths = packageDepths
    }
}

/// What a write did to its item.
///
/// The client compares the item before and after the accessor (Rule 7.8).
public enum ItemOutcome: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing changed; presenters are not told.
    case unchanged = 0
    /// The item changed, or the client cannot tell.
    case changed = 1
    /// The item did not exist before and does now (Rule 7.5).
    case created = 2
    /// The item existed before and does not now (Rule 7.6).
    case deleted = 3
}
