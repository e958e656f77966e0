// SPDX-License-Identifier: Apache-2.0
//
// Removes items so that this can be undone. The trash is that of the desktop environments (KDE,
// GNOME and others share one specification), so users can see and restore what a program puts
// there.

#if !canImport(Darwin)
public import Foundation

extension FileManager {
    /// Moves an item to the trash.
    ///
    /// The trash is defined by the freedesktop.org Trash specification: in the user's data
    /// directory (`$XDG_DATA_HOME/Trash`) for items on the same file system, else at the top of the
    /// item's file system. The item is renamed, never copied, and gets another name if its own is
    /// taken. If it is a symbolic link, the link itself is moved.
    ///
    /// Like other methods of `FileManager`, this does not coordinate. Call it in a coordinated
    /// write with `forMoving` or `forDeleting`, so that the item's presenters are asked first (Rule
    /// 6.1).
    ///
    /// ```swift
    /// try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMoving) { url in
    ///     try FileManager.default.trashItem(at: url, resultingItemURL: nil)
    /// }
    /// ```
    ///
    /// **Threads and cost.** Any thread. One rename and one small file; the size of the item does
    /// not matter. The first item of a user or a file system also creates directories.
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - outResultingURL: set to the item's URL in the trash; unchanged if the call fails.
    /// - Throws: a `CocoaError`; the item is unchanged then. `fileNoSuchFile` if it does not exist,
    ///   `featureUnsupported` if its file system cannot have a trash, `fileWriteUnknown` if it is
    ///   in the trash already or contains the trash.
    public func trashItem(
        at url: URL, resultingItemURL outResultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        let place = try Trash.current.put(url)
        unsafe outResultingURL?.pointee = place as NSURL
    }
}
#endif
