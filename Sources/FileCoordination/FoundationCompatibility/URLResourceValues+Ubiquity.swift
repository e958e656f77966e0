// SPDX-License-Identifier: Apache-2.0
//
// What a cloud knows about an item, as members. They read the values that were asked for by their
// keys, which for a local item are none: all answer nil, as they do on Apple's systems.

#if !canImport(Darwin)
public import Foundation

extension URLResourceValues {
    private func value<Value>(_ key: URLResourceKey, as type: Value.Type = Value.self) -> Value? {
        allValues[key] as? Value
    }

    /// How much of the item is here; nil for a local item.
    public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
        let key = URLResourceKey.ubiquitousItemDownloadingStatusKey
        return value(key) ?? value(key).map(URLUbiquitousItemDownloadingStatus.init(rawValue:))
    }

    /// Whether the item is kept out of the cloud; nil for a local item.
    ///
    /// Nothing is brought into a cloud here, so a value that is set has no effect, and is not kept:
    /// it reads nil again, and `setResourceValues(_:)` succeeds without it.
    public var ubiquitousItemIsExcludedFromSync: Bool? {
        get { value(.ubiquitousItemIsExcludedFromSyncKey) }
        // Foundation's values cannot be added to from outside.
        set { _ = newValue }
    }

    /// Whether others take part in the item; nil for a local item.
    public var ubiquitousItemIsShared: Bool? { value(.ubiquitousItemIsSharedKey) }

    /// What the user is to the shared item; nil for a local item.
    public var ubiquitousSharedItemCurrentUserRole: URLUbiquitousSharedItemRole? {
        let key = URLResourceKey.ubiquitousSharedItemCurrentUserRoleKey
        return value(key) ?? value(key).map(URLUbiquitousSharedItemRole.init(rawValue:))
    }

    /// What the user may do with the shared item; nil for a local item.
    public var ubiquitousSharedItemCurrentUserPermissions: URLUbiquitousSharedItemPermissions? {
        let key = URLResourceKey.ubiquitousSharedItemCurrentUserPermissionsKey
        return value(key) ?? value(key).map(URLUbiquitousSharedItemPermissions.init(rawValue:))
    }

    /// The name of the shared item's owner; nil for a local item.
    public var ubiquitousSharedItemOwnerNameComponents: PersonNameComponents? {
        value(.ubiquitousSharedItemOwnerNameComponentsKey)
    }

    /// The name of the person who was the last to change the shared item; nil for a local item.
    public var ubiquitousSharedItemMostRecentEditorNameComponents: PersonNameComponents? {
        value(.ubiquitousSharedItemMostRecentEditorNameComponentsKey)
    }
}
#endif
