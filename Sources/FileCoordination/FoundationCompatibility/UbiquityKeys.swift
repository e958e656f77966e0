// SPDX-License-Identifier: Apache-2.0
//
// The names of what a cloud knows about an item, and of its news, as far as Foundation lacks them.
// Nothing on Linux has a value for them; programs name them when they say which changes they want
// to be told of (Rule 10.5), and when they ask.

#if !canImport(Darwin)
public import Foundation

extension URLResourceKey {
    /// Whether the item is kept out of the cloud.
    public static let ubiquitousItemIsExcludedFromSyncKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")
    /// Whether others take part in the item.
    public static let ubiquitousItemIsSharedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
    /// What the user is to a shared item: a ``URLUbiquitousSharedItemRole``.
    public static let ubiquitousSharedItemCurrentUserRoleKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemCurrentUserRoleKey")
    /// What the user may do with a shared item: ``URLUbiquitousSharedItemPermissions``.
    public static let ubiquitousSharedItemCurrentUserPermissionsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemCurrentUserPermissionsKey")
    /// The name of a shared item's owner.
    public static let ubiquitousSharedItemOwnerNameComponentsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemOwnerNameComponentsKey")
    /// The name of the person who was the last to change a shared item.
    public static let ubiquitousSharedItemMostRecentEditorNameComponentsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemMostRecentEditorNameComponentsKey")
    /// Whether the contents are here; Apple advises to use `ubiquitousItemDownloadingStatusKey`.
    public static let ubiquitousItemIsDownloadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsDownloadedKey")
    /// How much of the contents is here; Apple advises to use `NSMetadataQuery`.
    public static let ubiquitousItemPercentDownloadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemPercentDownloadedKey")
    /// How much of the contents is in the cloud; Apple advises to use `NSMetadataQuery`.
    public static let ubiquitousItemPercentUploadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemPercentUploadedKey")
}

extension NSNotification.Name {
    /// Posted when another user has signed in to the cloud, or no user is any more: never, on
    /// Linux.
    ///
    /// Programs that keep `FileManager.ubiquityIdentityToken` listen for it.
    public static let NSUbiquityIdentityDidChange =
        NSNotification.Name(rawValue: "NSUbiquityIdentityDidChangeNotification")
}

/// How much of an item is here.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String
    /// A status of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The contents are in the cloud alone.
    public static let notDownloaded = Self(
        rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
    /// There are contents here, but not the newest.
    public static let downloaded = Self(
        rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    /// The newest contents are here.
    public static let current = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
}

/// The role of a user for a shared item.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String
    /// A role of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The item is theirs.
    public static let owner = Self(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    /// They were invited.
    public static let participant = Self(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

/// What a user may do with a shared item.
public struct URLUbiquitousSharedItemPermissions: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String
    /// Permissions of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reading alone.
    public static let readOnly = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadOnly")
    /// Reading and writing.
    public static let readWrite = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadWrite")
}
#endif
