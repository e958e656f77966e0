// SPDX-License-Identifier: Apache-2.0
//
// The names of ubiquity attributes, which programs give when they announce that such an attribute
// has changed.

/// The names of ubiquity attributes.
enum UbiquityAttributes {
    /// All that have a name (Rule 10.5).
    static let all: Set<String> = [
        "NSURLIsUbiquitousItemKey",
        "NSURLUbiquitousItemContainerDisplayNameKey",
        "NSURLUbiquitousItemDownloadRequestedKey",
        "NSURLUbiquitousItemDownloadingErrorKey",
        "NSURLUbiquitousItemDownloadingStatusKey",
        "NSURLUbiquitousItemHasUnresolvedConflictsKey",
        "NSURLUbiquitousItemIsDownloadedKey",
        "NSURLUbiquitousItemIsDownloadingKey",
        "NSURLUbiquitousItemIsExcludedFromSyncKey",
        "NSURLUbiquitousItemIsSharedKey",
        "NSURLUbiquitousItemIsUploadedKey",
        "NSURLUbiquitousItemIsUploadingKey",
        "NSURLUbiquitousItemPercentDownloadedKey",
        "NSURLUbiquitousItemPercentUploadedKey",
        "NSURLUbiquitousItemUploadingErrorKey",
        "NSURLUbiquitousSharedItemCurrentUserPermissionsKey",
        "NSURLUbiquitousSharedItemCurrentUserRoleKey",
        "NSURLUbiquitousSharedItemMostRecentEditorNameComponentsKey",
        "NSURLUbiquitousSharedItemOwnerNameComponentsKey",
    ]
}
