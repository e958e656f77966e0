// SPDX-License-Identifier: Apache-2.0
//
// One trash directory: items in "files", and for each a note in "info" that says where it was. The
// note comes first, and only one can have its name, so two who trash at the same time never meet;
// the item follows by a rename that replaces nothing.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationSystem

/// An open trash directory.
package struct TrashDirectory {
    /// Where it is.
    var path: ItemPath
    /// The directory from which its notes tell places; nil for the root.
    var top: ItemPath?
    private let files: RawDirectory
    private let info: RawDirectory

    /// What is kept from other users.
    static let ownersOnly: UInt32 = 0o700
    private static let filesName = Array("files".utf8)

    /// Opens what a trash directory consists of, or makes it.
    ///
    /// One that is another user's is refused: what is put there could not be taken out again.
    init(
        _ directory: RawDirectory, at path: ItemPath, top: ItemPath?, of userID: UInt32
    ) throws(SystemError) {
        let owner = try directory.status().ownerUserID
        guard owner == userID else {
            throw SystemError(
                code: ErrorNumber.notPermitted,
                operation: "use \"\(path)\", which belongs to user \(owner)")
        }
        self.path = path
        self.top = top
        files = try directory.openSubdirectory(Self.filesName, creatingWithMode: Self.ownersOnly)
        info = try directory.openSubdirectory(
            Array("info".utf8), creatingWithMode: Self.ownersOnly)
    }

    /// Puts an item here, with its note; tells where it is now.
    ///
    /// Fails with ``ErrorNumber/crossDevice`` if the item is on another file system. After any
    /// failure the item is where it was, and there is no note about it.
    package func take(_ item: TrashItem) throws(SystemError) -> ItemPath {
        let note = TrashNote(
            place: item.path, top: top, time: Int(RealTimeClock.now / 1_000_000_000))
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
        let file = try info.openFile(infoName, [.write, .create, .exclusive], mode: 0o600)
        do {
            let written = note.withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try file.write(bytes, at: 0) }
            }
            try written.get()
            try item.parent.move(item.name, to: name, in: files)
        } catch {
            // The first failure is the one to tell of; a note without an item does no harm.
            try? info.remove(infoName)
            throw error
        }
    }
}

/// An item that is to be put into a trash directory.
package struct TrashItem {
    /// Where it is.
    var path: ItemPath
    /// The directory that it is in.
    var parent: RawDirectory
    /// Its name there.
    var name: [UInt8]
    /// Whether it is a directory, and not a link to one.
    var isDirectory: Bool

    /// Looks at the item at `path`, which may not be the root.
    package init?(_ path: ItemPath) throws(SystemError) {
        guard let name = path.lastComponent else { return nil }
        self.path = path
        self.name = name
        parent = try RawDirectory.open(
            path.prefix(depth: path.depth - 1).bytes, followLinks: false)
        isDirectory = try parent.status(of: name).kind == .directory
    }

    /// The path of the directory that the item is in.
    var parentPath: ItemPath { path.prefix(depth: path.depth - 1) }
}
#endif
