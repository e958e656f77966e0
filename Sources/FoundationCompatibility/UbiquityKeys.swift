// SPDX-License-Identifier: Apache-2.0
//
// Keys and names for items in a cloud that Foundation for Linux lacks. On Linux they have no
// values. Programs use them to query values and to say which changes they want to be told about
// (Rule 10.5).

#if !canImport(Darwin)
public import Foundation

extension URLResourceKey {
    /// Whether the item is excluded from the cloud: no value on Linux, as for the keys below.
    ///
    /// Presenters can observe each of these keys (Rule 10.5), and programs can announce that its
    /// value has changed: ``NSFileCoordinator/item(at:didChangeUbiquityAttributes:)``.
    public static let ubiquitousItemIsExcludedFromSyncKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")
    /// Whether the item is shared with other users.
    public static let ubiquitousItemIsSharedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
    /// The role of the user for a shared item: a ``URLUbiquitousSharedItemRole``.
    public static let ubiquitousSharedItemCurrentUserRoleKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemCurrentUserRoleKey")
    /// The permissions of the user for a shared item: ``URLUbiquitousSharedItemPermissions``.
    public static let ubiquitousSharedItemCurrentUserPermissionsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemCurrentUserPermissionsKey")
    /// The name of a shared item's owner.
    public static let ubiquitousSharedItemOwnerNameComponentsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemOwnerNameComponentsKey")
    /// The name of the last editor of a shared item.
    public static let ubiquitousSharedItemMostRecentEditorNameComponentsKey =
        URLResourceKey(rawValue: "NSURLUbiquitousSharedItemMostRecentEditorNameComponentsKey")
    /// Whether the contents are local; Apple recommends `ubiquitousItemDownloadingStatusKey`.
    public static let ubiquitousItemIsDownloadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemIsDownloadedKey")
    /// How much of the contents is local; Apple recommends `NSMetadataQuery`.
    public static let ubiquitousItemPercentDownloadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemPercentDownloadedKey")
    /// How much of the contents is in the cloud; Apple recommends `NSMetadataQuery`.
    public static let ubiquitousItemPercentUploadedKey =
        URLResourceKey(rawValue: "NSURLUbiquitousItemPercentUploadedKey")
}

extension NSNotification.Name {
    /// Posted when a user has signed in to the cloud or signed out: never on Linux.
    ///
    /// Programs that store `FileManager.ubiquityIdentityToken` observe it.
    public static let NSUbiquityIdentityDidChange =
        NSNotification.Name(rawValue: "NSUbiquityIdentityDidChangeNotification")
}

/// How much of an item in a cloud is local; no item on Linux has such a status.
///
/// **Threads and cost.** A value, for any thread.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
    /// The name as a string, the same as on Apple platforms.
    public let rawValue: String
    /// Creates a status with this name.
    ///
    /// - Parameter rawValue: the name as a string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The contents are only in the cloud.
    public static let notDownloaded = Self(
        rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
    /// The contents are local, but not the newest ones.
    public static let downloaded = Self(
        rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
    /// The newest contents are local.
    public static let current = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")
}

/// The role of a user for a shared item; no item on Linux has one.
///
/// **Threads and cost.** A value, for any thread.
public struct URLUbiquitousSharedItemRole: RawRepresentable, Hashable, Sendable {
    /// The name as a string, the same as on Apple platforms.
    public let rawValue: String
    /// Creates a role with this name.
    ///
    /// - Parameter rawValue: the name as a string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user owns the item.
    public static let owner = Self(rawValue: "NSURLUbiquitousSharedItemRoleOwner")
    /// The user was invited.
    public static let participant = Self(rawValue: "NSURLUbiquitousSharedItemRoleParticipant")
}

/// The permissions of a user for a shared item; no item on Linux has them.
///
/// File permissions decide on Linux.
///
/// **Threads and cost.** A value, for any thread.
public struct URLUbiquitousSharedItemPermissions: RawRepresentable, Hashable, Sendable {
    /// The name as a string, the same as on Apple platforms.
    public let rawValue: String
    /// Creates permissions with this name.
    ///
    /// - Parameter rawValue: the name as a string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user may only read.
    public static let readOnly = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadOnly")
    /// The user may read and write.
    public static let readWrite = Self(rawValue: "NSURLUbiquitousSharedItemPermissionsReadWrite")
}
#endif
