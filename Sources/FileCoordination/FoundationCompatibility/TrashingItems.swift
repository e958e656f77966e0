// SPDX-License-Identifier: Apache-2.0
//
// Removing so that it can be undone. A Mac's trash is the Finder's; here it is the desktops' (KDE,
// GNOME and others share one specification), so what a program puts there can be seen and put back.

#if !canImport(Darwin)
public import Foundation

extension FileManager {
    /// Moves an item to the trash.
    ///
    /// The trash is that of the freedesktop.org Trash specification: in the user's data directory
    /// (`$XDG_DATA_HOME/Trash`) for items on the same file system, else at the top of the item's
    /// file system. The item is renamed, never copied, and gets another name there if its own is
    /// taken. Of a symbolic link the link itself is moved.
    ///
    /// Like other calls of `FileManager` it does not coordinate. Call it in a coordinated write
    /// with `forMoving` or `forDeleting`, so that the item's presenters are asked first.
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - outResultingURL: Gets the item's URL in the trash; is not written if the call fails.
    /// - Throws: A `CocoaError`; the item is then where it was. `fileNoSuchFile` if there is none,
    ///   `featureUnsupported` if there can be no trash on its file system, `fileWriteUnknown` if it
    ///   is in the trash already or if the trash is in it.
    public func trashItem(
        at url: URL, resultingItemURL outResultingURL: UnsafeMutablePointer<NSURL?>?
    ) throws {
        let place = try Trash.current.put(url)
        outResultingURL?.pointee = place as NSURL
    }
}
#endif
