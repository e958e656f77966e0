// SPDX-License-Identifier: Apache-2.0
//
// Resource values for items in a cloud, as properties. Like on Apple platforms, they are nil for
// local items, and on Linux all items are local.

#if !canImport(Darwin)
public import Foundation

extension URLResourceValues {
    private func value<Value>(_ key: URLResourceKey, as type: Value.Type = Value.self) -> Value? {
        allValues[key] as? Value
    }

    /// How much of the item is local; nil for a local item, and so for every item on Linux (Rule
    /// 15.4).
    ///
    /// As the properties below, it reads what the call that made these values has found: no system
    /// call. Treat nil as "all of it is here".
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
        let key = URLResourceKey.ubiquitousItemDownloadingStatusKey
        return value(key) ?? value(key).map(URLUbiquitousItemDownloadingStatus.init(rawValue:))
    }

    /// Whether the item is excluded from the cloud; nil for a local item.
    ///
    /// On Linux nothing is stored in a cloud, so setting a value has no effect: it remains nil, and
    /// `setResourceValues(_:)` succeeds.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { value(.ubiquitousItemIsExcludedFromSyncKey) }
        // Foundation does not allow to add values to its struct.
        set { _ = newValue }
    }

    /// Whether the item is shared with other users; nil for a local item, so always on Linux.
    public var ubiquitousItemIsShared: Bool? { value(.ubiquitousItemIsSharedKey) }

    /// The role of the user for the shared item; nil for a local item, so always on Linux.
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? {
        let key = URLResourceKey.ubiquitousSharedItemCurrentUserRoleKey
        return value(key) ?? value(key).map(URLUbiquitousSharedItemRole.init(rawValue:))
    }

    /// The permissions of the user for the shared item; nil for a local item, so always on Linux.
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? {
        let key = URLResourceKey.ubiquitousSharedItemCurrentUserPermissionsKey
        return value(key) ?? value(key).map(URLUbiquitousSharedItemPermissions.init(rawValue:))
    }

    /// The name of the shared item's owner; nil for a local item, so always on Linux.
    public var ubiquitousSharedItemOwnerNameComponents: PersonNameComponents? {
        value(.ubiquitousSharedItemOwnerNameComponentsKey)
    }

    /// The name of the last editor of the shared item; nil for a local item, so always on Linux.
    public var ubiquitousSharedItemMostRecentEditorNameComponents: PersonNameComponents? {
        value(.ubiquitousSharedItemMostRecentEditorNameComponentsKey)
    }
}
#endif
