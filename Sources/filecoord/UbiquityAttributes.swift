// SPDX-License-Identifier: Apache-2.0
//
// The attributes that a cloud gives to items, by the names that programs announce them with.

/// Names of ubiquity attributes.
enum UbiquityAttributes {
    /// Every one that has a name (Rule 10.5).
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
