// SPDX-License-Identifier: Apache-2.0
//
// What can be said to a presenter, and what a presenter can hear.

/// The optional methods that a presenter implements; read once, at registration (Rule 5.3).
public struct PresenterMethods: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// Methods from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `relinquishPresentedItem(toReader:)`.
    public static let relinquishToReader = Self(rawValue: 1 << 0)
    /// `relinquishPresentedItem(toWriter:)`.
    public static let relinquishToWriter = Self(rawValue: 1 << 1)
    /// `savePresentedItemChanges`, in either spelling.
    public static let save = Self(rawValue: 1 << 2)
    /// `accommodatePresentedItemDeletion`, in either spelling.
    public static let accommodateDeletion = Self(rawValue: 1 << 3)
    /// `accommodatePresentedSubitemDeletion(at:)`, in either spelling.
    public static let accommodateSubitemDeletion = Self(rawValue: 1 << 4)
    /// `accommodatePresentedItemEviction`, in either spelling.
    public static let accommodateEviction = Self(rawValue: 1 << 5)
    /// `presentedItemDidMove(to:)`.
    public static let itemDidMove = Self(rawValue: 1 << 6)
    /// `presentedItemDidChange()`.
    public static let itemDidChange = Self(rawValue: 1 << 7)
    /// `presentedItemDidChangeUbiquityAttributes(_:)`.
    public static let itemDidChangeUbiquityAttributes = Self(rawValue: 1 << 8)
    /// `presentedItemDidGain(_:)`.
    public static let itemDidGainVersion = Self(rawValue: 1 << 9)
    /// `presentedItemDidLose(_:)`.
    public static let itemDidLoseVersion = Self(rawValue: 1 << 10)
    /// `presentedItemDidResolveConflict(_:)`.
    public static let itemDidResolveConflict = Self(rawValue: 1 << 11)
    /// `presentedSubitemDidAppear(at:)`.
    public static let subitemDidAppear = Self(rawValue: 1 << 12)
    /// `presentedSubitem(at:didMoveTo:)`.
    public static let subitemDidMove = Self(rawValue: 1 << 13)
    /// `presentedSubitemDidChange(at:)`.
    public static let subitemDidChange = Self(rawValue: 1 << 14)
    /// `presentedSubitem(at:didGain:)`.
    public static let subitemDidGainVersion = Self(rawValue: 1 << 15)
    /// `presentedSubitem(at:didLose:)`.
    public static let subitemDidLoseVersion = Self(rawValue: 1 << 16)
    /// `presentedSubitem(at:didResolve:)`.
    public static let subitemDidResolveVersion = Self(rawValue: 1 << 17)

    /// All that exist.
    public static let all = Self(rawValue: (1 << 18) - 1)
}

/// What a presenter has to do before one claim may be granted, in this order (Rule 6.5).
///
/// The client runs the steps one after the other and answers once, at the end or at the first
/// error.
public struct YieldSteps: Hashable, Sendable {
    /// Which relinquish methods to call; reader first.
    public var relinquish: Relinquishments
    /// Whether to call `savePresentedItemChanges`.
    public var save: Bool
    /// Whether to call `accommodatePresentedItemDeletion`.
    public var accommodateDeletion: Bool
    /// The items for which to call `accommodatePresentedSubitemDeletion(at:)`.
    public var accommodateSubitemDeletions: [ItemPath]

    /// Steps to take.
    public init(
        relinquish: Relinquishments = [], save: Bool = false, accommodateDeletion: Bool = false,
        accommodateSubitemDeletions: [ItemPath] = []
    ) {
        self.relinquish = relinquish
        self.save = save
        self.accommodateDeletion = accommodateDeletion
        self.accommodateSubitemDeletions = accommodateSubitemDeletions
    }

    /// Whether there is nothing to do, so that no presenter needs to be asked.
    public var isEmpty: Bool {
        relinquish.isEmpty && !save && !accommodateDeletion && accommodateSubitemDeletions.isEmpty
    }
}

/// A message that expects no answer (Rule 7.1).
public enum Notice: Hashable, Sendable {
    /// `presentedItemDidChange()`.
    case itemDidChange
    /// `presentedSubitemDidAppear(at:)`.
    case subitemDidAppear(ItemPath)
    /// `presentedSubitemDidChange(at:)`.
    case subitemDidChange(ItemPath)
    /// `presentedSubitem(at:didMoveTo:)`.
    case subitemDidMove(ItemPath, to: ItemPath)
    /// `presentedItemDidGain(_:)`, `presentedItemDidLose(_:)`,
    /// `presentedItemDidResolveConflict(_:)`.
    case itemVersion(ItemPath, VersionNews)
    /// `presentedSubitem(at:didGain:)`, `presentedSubitem(at:didLose:)`,
    /// `presentedSubitem(at:didResolve:)`.
    case subitemVersion(ItemPath, VersionNews)
    /// `presentedItemDidChangeUbiquityAttributes(_:)`, with those that changed.
    case ubiquityAttributes([[UInt8]])
}

/// A presenter's error, which the arbiter passes on without looking into it (Rule 9.2).
public struct PresenterFailure: Hashable, Sendable {
    /// The error as its process encoded it.
    public var payload: [UInt8]

    /// Wraps an encoded error.
    public init(payload: [UInt8]) { self.payload = payload }
}
