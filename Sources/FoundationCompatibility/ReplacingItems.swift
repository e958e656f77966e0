// SPDX-License-Identifier: Apache-2.0
//
// `FileManager.replaceItemAt`, which replaces a file without losing data. The implementation in
// Foundation of Swift 6.3 for Linux renames in the wrong direction and loses the new contents. Each
// overload below exists because the compiler prefers it to Foundation's in some calls: it has no
// default arguments, takes bracketed options as an array, or takes a name as a non-optional
// `String`.

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation

extension FileManager {
    /// Replaces an item by another one, without a backup, and keeps the metadata of the original.
    ///
    /// **Threads and cost.** As those of ``replaceItemAt(_:withItemAt:backupItemName:options:)``,
    /// which has an example and describes everything else (Rule 6.1).
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    /// - Returns: the URL of the resulting item.
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
    /// **Threads and cost.** As those of ``replaceItemAt(_:withItemAt:backupItemName:options:)``,
    /// which has an example and describes everything else (Rule 6.1).
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    /// - Returns: the URL of the resulting item.
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
    /// **Threads and cost.** As those of ``replaceItemAt(_:withItemAt:backupItemName:options:)``,
    /// which has an example and describes everything else (Rule 6.1).
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - options: what is kept of the original.
    /// - Returns: the URL of the resulting item.
    /// - Throws: a `CocoaError`.
    @discardableResult
    public func replaceItemAt(
        _ originalItemURL: URL, withItemAt newItemURL: URL, options: ItemReplacementOptions
    ) throws -> URL? {
        try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: nil, options: options)
    }

    /// Replaces an item by another one, without ever losing either content.
    ///
    /// If the file system can exchange two names in one step (for example ext4, XFS, Btrfs and
    /// tmpfs), readers always find either the complete old item or the complete new one. If the
    /// process is killed meanwhile, both contents still exist, under the names of the original, the
    /// new item or the backup, or under a hidden name beside the original. When the call returns,
    /// the new item has been written to the device, and `newItemURL` no longer exists.
    ///
    /// The resulting item gets the permissions, the access control list, the group and the `user.`
    /// attributes of the original, if both are files or both are directories. This never grants
    /// more access: what cannot be copied is omitted. The creation date cannot be kept on Linux.
    ///
    /// A new item on another file system is first copied to the directory of the original. If the
    /// original is a symbolic link, the link itself is replaced. If there is no original, the new
    /// item is moved to its path.
    ///
    /// Like other methods of `FileManager`, this does not coordinate. Call it in a coordinated
    /// write: without options to save an open document, with `forReplacing` to put another item in
    /// its place, which asks presenters as before a deletion (Rule 6.1).
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(writingItemAt: document) { document in
    ///     _ = try FileManager.default.replaceItemAt(
    ///         document, withItemAt: draft, backupItemName: nil, options: [])
    /// }
    /// ```
    ///
    /// **Threads.** Any thread, which waits until the new item is on the device.
    ///
    /// **Cost.** One rename or exchange of names, copying the metadata, and writing to the device:
    /// for a directory, everything of its file system is written. From another file system, also a
    /// copy. A directory that is replaced is removed name by name.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item with the new contents.
    ///   - backupItemName: the name that the original gets in its directory. An item with that name
    ///     is removed. The backup is removed, too, unless `options` contain
    ///     `withoutDeletingBackupItem`.
    ///   - options: `usingNewMetadataOnly` keeps no metadata of the original;
    ///     `withoutDeletingBackupItem` keeps the backup.
    /// - Returns: the URL of the resulting item, which is `originalItemURL`.
    /// - Throws: a `CocoaError`. Both items are unchanged then, with two exceptions. If the
    ///   directory could not be synchronized with its device, the item has been replaced, and the
    ///   error says that this may not survive a power failure. If the original could not be moved
    ///   back, it is elsewhere, which takes two failures of the file system. In both cases
    ///   `userInfo["NSFileOriginalItemLocationKey"]` is the original's URL, if it has one.
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
            throw failure.error(error, after: nil)
        }
        do throws(SystemError) {
            try replacement.run()
        } catch {
            throw failure.error(error, after: replacement)
        }
        return originalItemURL
    }

    /// Replaces an item by another one, with bracketed options such as `[]`.
    ///
    /// **Threads and cost.** As those of ``replaceItemAt(_:withItemAt:backupItemName:options:)``,
    /// which has an example and describes everything else (Rule 6.1).
    ///
    /// In a file that also imports Foundation, an option without brackets is an error ("ambiguous
    /// use"), unless the backup's name is not optional. Write `[.usingNewMetadataOnly]`.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    /// - Returns: the URL of the resulting item.
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
    /// **Threads and cost.** As those of ``replaceItemAt(_:withItemAt:backupItemName:options:)``,
    /// which has an example and describes everything else (Rule 6.1).
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    /// - Returns: the URL of the resulting item.
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

    /// Replaces an item by another one, without ever losing either content.
    ///
    /// This is the older form of ``replaceItemAt(_:withItemAt:backupItemName:options:)``, which
    /// describes everything else (Rule 6.1).
    ///
    /// ```swift
    /// var result: NSURL?
    /// try FileManager.default.replaceItem(
    ///     at: document, withItemAt: draft, backupItemName: nil, options: [],
    ///     resultingItemURL: &result)
    /// ```
    ///
    /// **Threads and cost.** As those of that method.
    ///
    /// - Parameters:
    ///   - originalItemURL: the item to replace.
    ///   - newItemURL: the item that takes its place.
    ///   - backupItemName: the name, in the same directory, under which the original is kept during
    ///     the call.
    ///   - options: what is kept of the original.
    ///   - resultingURL: set to the URL of the resulting item; unchanged if the call fails.
    /// - Throws: a `CocoaError`.
    public func replaceItem(
        at originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?,
        options: ItemReplacementOptions = [],
        resultingItemURL resultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        let result = try replaceItemAt(
            originalItemURL, withItemAt: newItemURL, backupItemName: backupItemName,
            options: options)
        unsafe resultingURL?.pointee = result as NSURL?
    }
}
#endif
