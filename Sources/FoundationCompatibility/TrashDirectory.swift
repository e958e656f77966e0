// SPDX-License-Identifier: Apache-2.0
//
// One trash directory: items in "files", and for each an info file in "info" that says where it
// was. The info file is created first and exclusively, so that concurrent processes never choose
// the same name. Then the item is renamed without replacing anything.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationSystem
import Glibc

/// An open trash directory.
package struct TrashDirectory {
    /// The path of the directory.
    var path: ItemPath
    /// The directory to which paths in info files are relative; nil for the root.
    var top: ItemPath?
    private let files: Descriptor
    private let info: Descriptor

    /// The permissions of the user's own trash directories.
    static let ownersOnly: UInt32 = 0o700
    private static let filesName = Array("files".utf8)

    /// Opens the parts of a trash directory, and creates those that are missing.
    ///
    /// Fails if the directory belongs to another user, because the user could not remove items from
    /// it again.
    init(
        _ directory: Descriptor, at path: ItemPath, top: ItemPath?, of userID: UInt32
    ) throws(SystemError) {
        let owner = try directory.status().ownerUserID
        guard owner == userID else {
            throw SystemError(
                code: ErrorNumber.notPermitted,
                operation: "use \"\(path)\", which belongs to user \(owner)")
        }
        self.path = path
        self.top = top
        files = try directory.openDirectory(Self.filesName, creatingWithMode: Self.ownersOnly)
        info = try directory.openDirectory(Array("info".utf8), creatingWithMode: Self.ownersOnly)
    }

    /// Moves an item into this directory, with its info file.
    ///
    /// Returns the item's new path.
    ///
    /// Fails with ``ErrorNumber/crossDevice`` if the item is on another file system. After a
    /// failure, the item is unchanged and has no info file.
    package func take(_ item: TrashItem) throws(SystemError) -> ItemPath {
        let note = TrashNote(
            place: item.path, top: top, seconds: Int(RealTimeClock.now / 1_000_000_000))
        for name in TrashName.candidates(for: item.name) {
            do {
                try take(item, as: name, note.bytes)
            } catch {
                if error.code == ErrorNumber.alreadyExists { continue }
                throw error
            }
            let place = ItemPath(components: path.components + [Self.filesName, name])
            guard let place else { preconditionFailure("A name in a trash directory is legal") }
            return place
        }
        throw SystemError(
            code: ErrorNumber.alreadyExists,
            operation: "find a free name in \"\(path)\" for \"\(item.path)\"")
    }

    private func take(
        _ item: TrashItem, as name: [UInt8], _ note: [UInt8]
    ) throws(SystemError) {
        let infoName = name + TrashName.infoSuffix
        let file = try info.openFile(infoName, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            let written = unsafe note.withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try unsafe file.write(bytes, at: 0) }
            }
            try written.get()
            try item.parent.rename(item.name, to: name, in: files, ifTaken: .refuse)
        } catch {
            // The first error is reported; an info file without an item is harmless.
            try? info.removeEntry(infoName)
            throw error
        }
    }
}

/// An item that will be moved to a trash directory.
package struct TrashItem {
    /// The path of the item.
    var path: ItemPath
    /// The directory that contains the item.
    var parent: Descriptor
    /// The name of the item in that directory.
    var name: [UInt8]
    /// Whether it is a directory, and not a link to one.
    var isDirectory: Bool

    /// Examines the item at `path`, which must not be the root.
    package init?(_ path: ItemPath) throws(SystemError) {
        guard let name = path.lastComponent else { return nil }
        self.path = path
        self.name = name
        parent = try Descriptor.openDirectory(at: path.parent.bytes, followLinks: false)
        isDirectory = try parent.status(of: name).kind == S_IFDIR
    }

    /// The path of the directory that contains the item.
    var parentPath: ItemPath { path.prefix(depth: path.depth - 1) }
}
#endif
