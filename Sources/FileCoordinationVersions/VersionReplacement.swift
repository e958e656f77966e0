// SPDX-License-Identifier: Apache-2.0
//
// Replaces an item by the contents of a version (Rule 19.7). The contents are copied to a temporary
// name beside the item, and one rename puts the copy in place, so a reader gets the old contents or
// the new ones. If the process dies in between, its intention remains in the store. From that,
// another process removes the temporary file, and assigns the item's other versions to the new file
// if the rename was done.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree
import Glibc

/// Replaces one item.
package struct VersionReplacement {
    /// The steps, in order.
    package enum Step: CaseIterable, Comparable, Sendable {
        /// Make a workspace, with a lock that shows that this process lives.
        case makeWorkspace
        /// Write down what will be replaced by what.
        case writeIntention
        /// Copy the contents beside the item, and wait for the device.
        case copyContents
        /// Write down the identity of the new file.
        case writeIdentity
        /// Rename the copy to the item's path.
        case install
        /// Assign the item's versions to the new file.
        case retie
        /// Remove the workspace.
        case cleanUp
    }

    private let store: VersionStore
    private let folders: StoreFolders
    /// The path of the version's contents.
    private let contents: ItemPath
    private let place: ItemPath
    /// The parent directory of the item.
    private let parent: Descriptor
    /// The status of the item, or nil if there is none.
    private let old: stat?
    /// The stored items that are restored.
    private let restored: Set<StoredItemID>
    private var workspace: Workspace?
    private var intention: Intention.Replacing?

    /// The future path of the item.
    package let target: ItemPath

    /// Prepares to replace an item, without doing anything yet.
    ///
    /// - Parameters:
    ///   - place: the path of the item, which need not exist.
    ///   - contents: the path of the version's contents.
    ///   - owner: the stored item to which the version belongs. If it was at `place` and does not
    ///     exist any more, it is restored with all its versions.
    ///   - store: the store of the version.
    ///   - folders: the store's open directories.
    /// - Throws: ``SystemError`` if the parent directory of `place` cannot be opened.
    init(
        _ place: ItemPath, by contents: ItemPath, of owner: StoredItemID?, store: VersionStore,
        folders: StoreFolders
    ) throws(SystemError) {
        self.store = store
        self.folders = folders
        self.contents = contents
        self.place = place
        parent = try Descriptor.openDirectory(at: place.parent.bytes)
        // Without the right to look there, the placing fails, too.
        old = try? parent.status(of: place.name)
        target = old == nil ? place : place.withExtension(of: contents)
        // The existing item keeps its versions, even if the version that replaces it belongs to
        // another item.
        if let identity = ItemIdentity(of: place) { _ = store.adopt(place, identity, in: folders) }
        let lost = owner.flatMap { store.isOrphan($0, at: place, in: folders.view) ? $0 : nil }
        restored = lost.map { [$0] } ?? []
        // An item that cannot be seen makes the placing fail, too.
        guard target == place || (try? parent.status(of: target.name)) == nil else {
            throw SystemError(
                code: ErrorNumber.alreadyExists, operation: "rename the item to \"\(target)\"")
        }
    }

    /// Prepares to replace the item at `place` by its version with this identifier.
    package init(restoring place: ItemPath, to identifier: String, store: VersionStore)
        throws(SystemError)
    {
        guard let version = store.versions(at: place)?.first(where: { $0.id.text == identifier }),
            let contents = ItemPath(bytes: version.contents)
        else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "find \(identifier)")
        }
        try self.init(
            place, by: contents, of: version.item, store: store, folders: store.openOrMake())
    }

    /// Prepares to restore the item that was at `place` from its oldest version.
    package init(restoringOrphanAt place: ItemPath, store: VersionStore) throws(SystemError) {
        guard let version = store.orphans(at: place).first,
            let contents = ItemPath(bytes: version.contents)
        else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "find an orphan")
        }
        try self.init(
            place, by: contents, of: version.item, store: store, folders: store.openOrMake())
    }

    /// Carries out all steps.
    package mutating func run() throws(SystemError) {
        do {
            for step in Step.allCases { try perform(step) }
        } catch {
            do throws(SystemError) {
                // This does what another process would do if this one had died.
                if let intention { try Self.finish(intention, store, in: folders) }
                try workspace?.discard()
            } catch {
                // The first error counts. The next process that changes the store tries again.
            }
            throw error
        }
    }

    /// Carries out one step.
    package mutating func perform(_ step: Step) throws(SystemError) {
        switch step {
        case .makeWorkspace: workspace = try Workspace.make(in: folders.work)
        case .writeIntention:
            try write(
                Intention.Replacing(
                    place: place.bytes, newPlace: target.bytes,
                    identity: ItemIdentity(of: place), items: restored.map(\.text),
                    newIdentity: nil, temporary: Array(".\(openWorkspace.id)~".utf8)))
        case .copyContents: try copyContents()
        case .writeIdentity:
            var intention = noted
            intention.newIdentity = ItemIdentity(of: place.sibling(intention.temporary))
            try write(intention)
        case .install: try install()
        case .retie:
            guard let new = noted.newIdentity else { return }
            try store.retie(
                place, from: noted.identity, items: restored, to: new, at: target, in: folders)
        case .cleanUp:
            // If it cannot be removed now, another process will do it: the lock is released
            // together with this value.
            try? openWorkspace.discard()
        }
    }

    private var openWorkspace: Workspace {
        guard let workspace else { preconditionFailure("The first step makes the workspace") }
        return workspace
    }

    private var noted: Intention.Replacing {
        guard let intention else { preconditionFailure("The second step notes the intention") }
        return intention
    }

    private mutating func write(_ intention: Intention.Replacing) throws(SystemError) {
        self.intention = intention
        try openWorkspace.directory.write(Intention.replacing(intention), to: Intention.name)
    }

    private func copyContents() throws(SystemError) {
        let source = try Descriptor.openDirectory(at: contents.parent.bytes)
        let temporary = noted.temporary
        // Until it has its access rights, only this user has access to the copy, which has a name.
        try TreeCopy.copy(
            TreePlace(contents.name, in: source), to: TreePlace(temporary, in: parent),
            isTopPrivate: true)
        let status = try source.status(of: contents.name)
        guard [S_IFREG, S_IFDIR].contains(status.kind) else { return }
        let copy = try parent.openFile(temporary, O_RDONLY | O_NONBLOCK)
        try giveAccess(to: copy, status, madeFrom: source)
        if status.kind == S_IFREG {
            try copy.synchronize()
        } else {
            try parent.synchronizeFileSystem()
        }
    }

    /// Gives the copy at most the access rights that the item had, whichever program made the
    /// version.
    ///
    /// If there was no item, the copy gets those of a new item.
    private func giveAccess(
        to copy: Descriptor, _ status: stat, madeFrom source: Descriptor
    ) throws(SystemError) {
        guard let old else {
            _ = try CarriedAttributes(
                ofNewFileIn: parent, mode: UInt32(status.st_mode & 0o777),
                umask: CurrentProcess.fileModeMask
            ).give(to: copy)
            return
        }
        guard old.kind == status.kind else {
            // The permissions of a directory and of a file cannot be compared, so only the owner
            // gets access.
            return try set(status.st_mode & 0o700, of: copy)
        }
        _ = try CarriedAttributes(of: place.name, in: parent).give(to: copy)
        // The attributes that belong to the contents come from the version. They can only be set
        // while the file can be written.
        let mode = try copy.fullStatus().st_mode & 0o7777
        try set(mode | 0o200, of: copy)
        UserAttributes.copy(
            from: try source.openFile(contents.name, O_RDONLY | O_NONBLOCK), to: copy)
        try set(mode, of: copy)
    }

    private func set(_ mode: mode_t, of copy: Descriptor) throws(SystemError) {
        guard fchmod(copy.number, mode) == 0 else {
            throw SystemError(code: errno, operation: "set the mode")
        }
    }

    /// Renames the copy to its final name.
    ///
    /// An item of that name, or of the item's former name, is removed once the new one is on the
    /// device. Then the item is replaced, and what cannot be removed stays under the temporary
    /// name.
    private func install() throws(SystemError) {
        let temporary = noted.temporary
        guard let old else {
            try parent.rename(temporary, to: target.name, in: parent, ifTaken: .refuse)
            return try parent.synchronize()
        }
        if target != place {
            try parent.rename(temporary, to: target.name, in: parent, ifTaken: .refuse)
            try parent.rename(place.name, to: temporary, in: parent, ifTaken: .refuse)
        } else if [try parent.status(of: temporary).kind, old.kind].contains(S_IFDIR) {
            try parent.rename(temporary, to: place.name, in: parent, ifTaken: .exchange)
        } else {
            try parent.rename(temporary, to: place.name, in: parent)
            return try parent.synchronize()
        }
        try parent.synchronize()
        TreeRemoval.remove(temporary, from: parent)
    }

    // MARK: After a death

    /// Removes what a dead process left beside the item.
    ///
    /// If that process had replaced the item, assigns the versions to the new file.
    static func finish(
        _ leavings: Intention.Replacing, _ store: VersionStore, in folders: StoreFolders
    ) throws(SystemError) {
        // The versions come first, because removing the files beside the item may fail.
        if let new = leavings.newIdentity, let place = ItemPath(bytes: leavings.place),
            let target = ItemPath(bytes: leavings.newPlace), store.leads(target, to: new)
        {
            let restored = Set(leavings.items.compactMap { StoredItemID($0) })
            try store.retie(
                place, from: leavings.identity, items: restored, to: new, at: target, in: folders)
        }
        try removeTemporary(leavings)
    }

    private static func removeTemporary(_ leavings: Intention.Replacing) throws(SystemError) {
        guard let place = ItemPath(bytes: leavings.place) else { return }
        do {
            let parent = try Descriptor.openDirectory(at: place.parent.bytes)
            try TreeRemoval.removeAll(leavings.temporary, from: parent)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return
        }
    }
}

extension ItemPath {
    /// The name with the extension of `other`.
    ///
    /// It is unchanged if that has none or the same one.
    fileprivate func withExtension(of other: ItemPath) -> ItemPath {
        let dot = UInt8(ascii: ".")
        func split(_ name: Component) -> (stem: Component, fileExtension: Component) {
            guard let last = name.lastIndex(of: dot), last > 0, last < name.count - 1 else {
                return (name, [])
            }
            return (Array(name[..<last]), Array(name[(last + 1)...]))
        }
        func lowercased(_ bytes: Component) -> String {
            String(decoding: bytes, as: UTF8.self).lowercased()
        }
        let (stem, own) = split(name)
        let others = split(other.name).fileExtension
        guard !others.isEmpty, lowercased(own) != lowercased(others) else { return self }
        return sibling(stem + [dot] + others)
    }
}
