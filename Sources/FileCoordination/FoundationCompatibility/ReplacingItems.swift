// SPDX-License-Identifier: Apache-2.0
//
// `FileManager.replaceItemAt`, which saves without losing anything. The one in Foundation of Swift
// 6.3 for Linux renames the wrong way round and loses the new contents. Each method below is there
// because the compiler prefers it to that one: it has no default values, takes options in brackets
// as the array that they look like, or a name as the `String` that it is.

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

extension FileManager {
    /// Replaces an item by another one, without a backup, and keeps the metadata of the original.
    ///
    /// See ``replaceItemAt(_:withItemAt:backupItemName:options:)``.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL
    ) throws -> URL? {
        let options: ItemReplacementOptions = []
        return try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: nil, options: options)
    }

    /// Replaces an item by another one, and keeps the metadata of the original.
    ///
    /// See ``replaceItemAt(_:withItemAt:backupItemName:options:)``.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?
    ) throws -> URL? {
        let options: ItemReplacementOptions = []
        return try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: backupItemName,
            options: options)
    }

    /// Replaces an item by another one, without a backup.
    ///
    /// See ``replaceItemAt(_:withItemAt:backupItemName:options:)``.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - options: what is kept of the original.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, options: ItemReplacementOptions
    ) throws -> URL? {
        try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: nil, options: options)
    }

    /// Replaces an item by another one, so that neither content is ever lost.
    ///
    /// Readers find the old item or the new one, whole, at every instant, where the file system
    /// can exchange two names in one step (ext4, XFS, Btrfs, tmpfs and others can). If the process
    /// is killed on the way, both contents are still there, under the names of the original, the
    /// new item or the backup, or a hidden name beside the original. When the call returns, the new
    /// item is on the device, and is gone from `newItemURL`.
    ///
    /// The resulting item gets the permissions, the access control list, the group and the `user.`
    /// attributes of the original, if both are files or both are directories. Access is never
    /// widened: what cannot be carried over is left out. The date of creation cannot be kept on
    /// Linux.
    ///
    /// A new item on another file system is copied beside the original first. Of a symbolic link
    /// the link itself is replaced. If there is no original, the new item is moved there.
    ///
    /// Like other calls of `FileManager` it does not coordinate. Call it in a coordinated write
    /// with `forReplacing`.
    ///
    /// - Parameters:
    ///   - originalItemURL: The item to replace.
    ///   - newItemURL: The item with the new contents.
    ///   - backupItemName: The name that the original gets in its directory. What has that name is
    ///     removed. The backup goes, too, unless `options` contain `withoutDeletingBackupItem`.
    ///   - options: `usingNewMetadataOnly` keeps none of the original's metadata;
    ///     `withoutDeletingBackupItem` leaves the backup.
    /// - Returns: The URL of the resulting item, which is `originalItemURL`.
    /// - Throws: A `CocoaError`; both items are then where they were. If the original is not, which
    ///   takes two failures of the file system, `userInfo["NSFileOriginalItemLocationKey"]` is its
    ///   URL.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?,
        options: ItemReplacementOptions
    ) throws -> URL? {
        let failure = ReplacementFailure(original: originalItemURL, new: newItemURL)
        let places = try (failure.place(originalItemURL), failure.place(newItemURL))
        var replacement: ItemReplacement
        do throws(SystemError) {
            replacement = try ItemReplacement(
                of: places.0, by: places.1, backupName: backupItemName,
                keepsBackup: options.contains(.withoutDeletingBackupItem),
                keepsMetadata: !options.contains(.usingNewMetadataOnly))
        } catch {
            throw failure.error(error, originalIsAt: nil)
        }
        do throws(SystemError) {
            try replacement.run()
        } catch {
            throw failure.error(error, originalIsAt: replacement.strayOriginal)
        }
        return originalItemURL
    }

    /// Replaces an item by another one, with the options in brackets: `[]`.
    ///
    /// See ``replaceItemAt(_:withItemAt:backupItemName:options:)``. A file that imports Foundation,
    /// too, cannot pass an option without brackets, unless the backup has a name that is not
    /// optional: the compiler then says "ambiguous use". Write `[.usingNewMetadataOnly]`.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?,
        options: [ItemReplacementOptions]
    ) throws -> URL? {
        let all = ItemReplacementOptions(options)
        return try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: backupItemName, options: all)
    }

    /// Replaces an item by another one, with a backup whose name is given.
    ///
    /// See ``replaceItemAt(_:withItemAt:backupItemName:options:)``.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    /// - Returns: where the item is now.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String,
        options: ItemReplacementOptions
    ) throws -> URL? {
        let name: String? = backupItemName
        return try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: name, options: options)
    }

    /// Replaces an item by another one, so that neither content is ever lost.
    ///
    /// As ``replaceItemAt(_:withItemAt:backupItemName:options:)``, in the older spelling.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    ///   - resultingURL: gets the URL of the resulting item; is not written if the call
    ///     fails.
    /// - Throws: a `CocoaError`.
    public func replaceItem(
        at originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?,
        options: ItemReplacementOptions = [],
        resultingItemURL resultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        let result = try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: backupItemName,
            options: options)
        resultingURL?.pointee = result as NSURL?
    }
}
#endif
