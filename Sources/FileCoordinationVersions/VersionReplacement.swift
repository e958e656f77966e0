// SPDX-License-Identifier: Apache-2.0
//
// Putting a version's contents in the place of an item (Rule 19.7). The copy is made beside the
// item under a name that is not to stay, and takes its place in one step: a reader has the old
// contents or the new ones. A process that dies on the way leaves its intention in the store, so
// that the name goes, and the item keeps its other versions if the step was taken.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree
import Glibc

/// The replacing of one item.
package struct VersionReplacement {
    /// The steps, in order.
    package enum Step: CaseIterable, Comparable, Sendable {
        /// A workspace, known by its lock to be ours.
        case makeWorkspace
        /// What is going to be where.
        case writeIntention
        /// The copy, beside the item, onto the device.
        case copyContents
        /// What the item is going to be.
        case writeIdentity
        /// The copy takes the item's place.
        case install
        /// The item's versions follow.
        case retie
        /// Nothing is left but the item.
        case cleanUp
    }

    private let store: VersionStore
    private let folders: StoreFolders
    /// The version's contents.
    private let contents: ItemPath
    private let place: ItemPath
    /// The item's directory.
    private let parent: Descriptor
    /// What is there now; nil if nothing is.
    private let old: stat?
    /// The stored items that come back.
    private let restored: Set<StoredItemID>
    private var workspace: Workspace?
    private var intention: Intention.Replacing?

    /// Where the item is going to be.
    package let target: ItemPath

    /// Gets ready to replace what is at `place`, where nothing need be; nothing happens yet.
    ///
    /// - Parameter owner: the stored item whose version the contents are. If that was at `place`
    ///   and is nowhere any more, it is there again afterwards, with all its versions.
    init(
        _ place: ItemPath, by contents: ItemPath, of owner: StoredItemID?, store: VersionStore,
        folders: StoreFolders
    ) throws(SystemError) {
        self.store = store
        self.folders = folders
        self.contents = contents
        self.place = place
        parent = try Descriptor.openDirectory(at: place.parent.bytes)
        old = try? parent.status(of: place.name)
        target = old == nil ? place : place.withExtension(of: contents)
        // What is there stays the item that it is, whichever item's version takes its place.
        if let identity = ItemIdentity(of: place) { _ = store.adopt(place, identity, in: folders) }
        let lost = owner.flatMap { store.isOrphan($0, at: place, in: folders.view) ? $0 : nil }
        restored = lost.map { [$0] } ?? []
        guard target == place || (try? parent.status(of: target.name)) == nil else {
            throw SystemError(
                code: ErrorNumber.alreadyExists, operation: "rename the item to \"\(target)\"")
        }
    }

    /// Gets ready to go back to the version of the item at `place` that has this identifier.
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

    /// Gets ready to bring back the item that was at `place`, as it was in its oldest version.
    package init(restoringOrphanAt place: ItemPath, store: VersionStore) throws(SystemError) {
        guard let version = store.orphans(at: place).first,
            let contents = ItemPath(bytes: version.contents)
        else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "find an orphan")
        }
        try self.init(
            place, by: contents, of: version.item, store: store, folders: store.openOrMake())
    }

    /// Takes all steps.
    package mutating func run() throws(SystemError) {
        do {
            for step in Step.allCases { try perform(step) }
        } catch {
            // As another process would, if this one had died.
            if let intention { try? Self.finish(intention, store, in: folders) }
            try? workspace?.discard()
            throw error
        }
    }

    /// Takes one step.
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
        case .install:
            try install()
            try parent.synchronize()
        case .retie:
            guard let new = noted.newIdentity else { return }
            try store.retie(
                place, from: noted.identity, items: restored, to: new, at: target, in: folders)
        case .cleanUp:
            // If it cannot be removed now, another process will do it: its lock goes with this
            // value.
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
        try TreeCopy.copy(
            TreePlace(contents.name, in: source), to: TreePlace(temporary, in: parent))
        let status = try parent.status(of: temporary)
        guard [S_IFREG, S_IFDIR].contains(status.kind) else { return }
        let copy = try parent.openFile(temporary, O_RDONLY | O_NONBLOCK)
        try giveAccess(to: copy, status, madeFrom: source)
        if status.kind == S_IFREG {
            try copy.synchronize()
        } else {
            try parent.synchronizeFileSystem()
        }
    }

    /// Makes the copy as accessible as the item was, or less, no matter which program made the
    /// version; as a new item is if there was none.
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
            // What may be done with a directory and with a file cannot be compared.
            guard fchmod(copy.number, status.st_mode & 0o700) == 0 else {
                throw SystemError(code: errno, operation: "set the mode")
            }
            return
        }
        let item = try parent.openFile(place.name, O_RDONLY | O_NONBLOCK)
        _ = try CarriedAttributes(of: item).give(to: copy)
        // But what belongs to the contents is the version's.
        UserAttributes.copy(
            from: try source.openFile(contents.name, O_RDONLY | O_NONBLOCK), to: copy)
    }

    /// Gives the copy its name.
    ///
    /// What had that, or had the item's name before, goes.
    private func install() throws(SystemError) {
        let temporary = noted.temporary
        guard let old else {
            return try parent.rename(temporary, to: target.name, in: parent, ifTaken: .refuse)
        }
        guard target == place else {
            try parent.rename(temporary, to: target.name, in: parent, ifTaken: .refuse)
            return try TreeRemoval.removeAll(place.name, from: parent)
        }
        let kinds = [try parent.status(of: temporary).kind, old.kind]
        guard kinds.contains(S_IFDIR) else {
            return try parent.rename(temporary, to: place.name, in: parent)
        }
        try parent.rename(temporary, to: place.name, in: parent, ifTaken: .exchange)
        try TreeRemoval.removeAll(temporary, from: parent)
    }

    // MARK: After a death

    /// Removes what a dead process left beside the item, and lets the versions follow if it had
    /// replaced the item.
    static func finish(
        _ leavings: Intention.Replacing, _ store: VersionStore, in folders: StoreFolders
    ) throws(SystemError) {
        try removeTemporary(leavings)
        guard let new = leavings.newIdentity,
            let place = ItemPath(bytes: leavings.place),
            let target = ItemPath(bytes: leavings.newPlace), store.leads(target, to: new)
        else { return }
        let restored = Set((leavings.items ?? []).compactMap { StoredItemID($0) })
        try store.retie(
            place, from: leavings.identity, items: restored, to: new, at: target, in: folders)
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
    /// The same name with the extension of `other`; unchanged if that has none, or the same one.
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
