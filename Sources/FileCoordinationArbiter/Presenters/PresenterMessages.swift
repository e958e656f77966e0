// SPDX-License-Identifier: Apache-2.0
//
// The methods of presenters, and the messages that presenters get.

/// The optional methods that a presenter implements.
///
/// The client determines them at registration (Rule 5.3).
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

    /// All methods that a presenter may have.
    public static let all = Self(rawValue: (1 << 18) - 1)
    /// `provideContents(ofItemAt:)` of a provider, which brings here what is in its directory (Rule
    /// 15.4).
    public static let provideContents = Self(rawValue: 1 << 18)
    /// Those of presenters and of providers.
    public static let known = all.union(provideContents)
}

/// The steps that a presenter must take before a claim may be granted, in this order (Rule 6.5).
///
/// The client calls the methods one after the other and answers once: at the end or at the first
/// error.
public struct YieldSteps: Hashable, Sendable {
    /// The relinquish methods to call; reader first.
    public var relinquish: Relinquishments
    /// Whether to call `savePresentedItemChanges`.
    public var save: Bool
    /// Whether to call `accommodatePresentedItemDeletion`.
    public var accommodateDeletion: Bool
    /// The items for which to call `accommodatePresentedSubitemDeletion(at:)`.
    public var accommodateSubitemDeletions: [ItemPath]
    /// Whether to call `accommodatePresentedItemEviction`.
    public var accommodateEviction: Bool
    /// The items whose contents a provider has to bring here (Rule 15.4).
    public var provideContents: [ItemPath]

    /// Creates steps.
    public init(
        relinquish: Relinquishments = [], save: Bool = false, accommodateDeletion: Bool = false,
        accommodateSubitemDeletions: [ItemPath] = [], accommodateEviction: Bool = false,
        provideContents: [ItemPath] = []
    ) {
        self.relinquish = relinquish
        self.save = save
        self.accommodateDeletion = accommodateDeletion
        self.accommodateSubitemDeletions = accommodateSubitemDeletions
        self.accommodateEviction = accommodateEviction
        self.provideContents = provideContents
    }

    /// Whether there is no step, so that the presenter need not be asked.
    public var isEmpty: Bool {
        relinquish.isEmpty && !save && !accommodateDeletion && accommodateSubitemDeletions.isEmpty
            && !accommodateEviction && provideContents.isEmpty
    }
}

/// A message to a presenter that expects no answer (Rule 7.1).
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
    /// `presentedItemDidChangeUbiquityAttributes(_:)`, with the changed attributes.
    case ubiquityAttributes([[UInt8]])
}

/// A presenter's error.
///
/// The arbiter passes it on without decoding it (Rule 9.2).
public struct PresenterFailure: Hashable, Sendable {
    /// The error as the presenter's process encoded it.
    public var payload: [UInt8]

    /// Wraps an encoded error.
    public init(payload: [UInt8]) { self.payload = payload }

    /// The failure of a claim that needs a presenter's answer and gets none (Rule 18.16).
    public static let noAnswer = PresenterFailure(payload: [])
    /// The failure of a claim that needs contents which are not here, while their provider does not
    /// run or does not answer (Rule 15.4).
    public static let noProvider = PresenterFailure(payload: [1])
    /// The failure of an eviction because of a presenter that cannot be asked (Rule 15.6).
    public static let presented = PresenterFailure(payload: [2])
}

extension PresenterMethods {
    /// Returns the notice that anything may have changed, for a presenter with these methods (Rule
    /// 7.14).
    ///
    /// A presenter of a directory may have methods for subitems only. It is told of the directory.
    ///
    /// - Parameter path: the presented path, or nil if there is none.
    /// - Returns: the notice, or nil if the presenter has no method for it.
    public func noticeOfAnyChange(at path: ItemPath?) -> Notice? {
        if contains(.itemDidChange) { return .itemDidChange }
        return contains(.subitemDidChange) ? path.map { .subitemDidChange($0) } : nil
    }
}
