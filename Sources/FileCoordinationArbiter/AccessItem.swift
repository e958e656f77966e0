// SPDX-License-Identifier: Apache-2.0
//
// What one claim wants with one item. The client has looked at the file system when it makes one
// of these: what is a directory and what is a package are facts here, not questions.

/// What a claim wants with an item.
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

/// The options of a read; but for the last one, the raw values are those of
/// `NSFileCoordinator.ReadingOptions`.
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
    /// Everything inside a directory is read, too (Rule 2.23).
    public static let includingContents = Self(rawValue: 1 << 6)
}

/// What a write is for; but for the last one, the raw values are those of
/// `NSFileCoordinator.WritingOptions`.
///
/// Several options are their union (Rule 2.8b): the write waits as the strictest of them, asks
/// what any of them asks, and ends as each of them ends.
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
    /// Everything inside a directory is written, too (Rule 2.23).
    public static let includingContents = Self(rawValue: 1 << 6)

    /// Whether the write concerns everything inside a directory, too: "D/M/R" in the rules.
    public var isStructural: Bool { !isDisjoint(with: [.deleting, .moving, .replacing]) }

    /// Whether what is there now goes for good, so that presenters accommodate that (Rule 6.1).
    public var isDeletion: Bool { !isDisjoint(with: [.deleting, .replacing]) }

    /// Whether the write goes before what is queued inside a directory (Rule 2.8a).
    ///
    /// Only if none of the other options waits for that (Rule 2.8b).
    var goesBeforeQueued: Bool {
        contains(.moving) && isDisjoint(with: [.deleting, .replacing, .includingContents])
    }

    /// Whether the write means the place, so that a waiting one stays there when the item moves
    /// (Rule 11.5).
    var staysInPlace: Bool { contains(.replacing) }

    /// Whether an item that its own accessor moves is the write's item at the new place, too; of
    /// what is replaced only if it is to be moved as well.
    var followsOwnMoves: Bool { !contains(.replacing) || contains(.moving) }
}

extension Access {
    /// Whether a claim covers everything inside a directory, as if each item there were named in
    /// the same call (Rule 2.23).
    public var coversContents: Bool {
        switch self {
        case .reading(let options): options.contains(.includingContents)
        case .writing(let options): options.contains(.includingContents)
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
