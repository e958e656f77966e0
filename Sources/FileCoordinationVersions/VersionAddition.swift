// SPDX-License-Identifier: Apache-2.0
//
// Adds a version in steps. Before the step `publish`, no other process can see the version; after
// it, all processes see it completely. If the process dies in between, it leaves a workspace. The
// next process that changes the store removes the workspace, or finishes the work if contents were
// moved into it that are nowhere else.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree
import Glibc

/// Adds one version.
package struct VersionAddition {
    /// The steps, in order.
    package enum Step: CaseIterable, Comparable, Sendable {
        /// Make a workspace, with a lock that shows that this process lives.
        case makeWorkspace
        /// Write the record of the version.
        case writeRecord
        /// If the contents are moved: write where they belong.
        case writeIntention
        /// If the contents are moved: rename them into the version if that is possible.
        case moveContents
        /// Otherwise: copy them beside the version and wait for the device.
        case copyContents
        /// Rename the copy into the version.
        case takeCopy
        /// Wait until the version is on the device, before any program relies on it.
        case synchronize
        /// Make the stored item unless the file has one.
        case makeItem
        /// Make the tie between the file and a new stored item.
        case makeTie
        /// Rename the version to its place, where all processes see it.
        case publish
        /// If the contents had to be copied instead of moved: remove the original.
        case removeSource
        /// Remove the workspace.
        case cleanUp
    }

    /// What is to be added.
    struct Request: Sendable {
        /// The path of the item that gets the version.
        var place: ItemPath
        /// The identity of the item.
        var identity: ItemIdentity
        /// The path of the contents.
        var source: ItemPath
        /// The name of a copy, if it is not that of the contents.
        ///
        /// Going back to the version gives the item this name's extension (Rule 19.7).
        var copyName: [UInt8]?
        /// Whether the contents may be moved away from there.
        var isMoving: Bool
        /// The record of the version.
        var record: VersionRecord
    }

    /// The ID of the version.
    let id: VersionID
    private let store: VersionStore
    private let folders: StoreFolders
    private let place: ItemPath
    private let identity: ItemIdentity
    /// The request, or nil if this finishes the work of a dead process.
    private let request: Request?
    private var workspace: Workspace?
    private var item: StoredItemID?
    /// Whether the file has a tie to the stored item.
    private var isTied = false
    /// Whether the contents are in the version and nowhere else.
    private var isMoved = false

    /// Called after a version is published and before it is read; for tests.
    @TaskLocal package static var whenPublished: (@Sendable () -> Void)?

    /// The name of the directory in the workspace that becomes the version.
    static let version = "version"
    private static let copy = "copy"

    /// Prepares to add a version without doing anything yet.
    init(_ request: Request, store: VersionStore, folders: StoreFolders) {
        id = VersionID()
        self.store = store
        self.folders = folders
        place = request.place
        identity = request.identity
        self.request = request
    }

    /// Prepares to add a version with the usual record.
    package init(
        of place: ItemPath, contents: ItemPath, isMoving: Bool, store: VersionStore
    ) throws(SystemError) {
        guard let identity = ItemIdentity(of: place) else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "find \"\(place)\"")
        }
        let record = VersionRecord(name: String(decoding: place.name, as: UTF8.self))
        self.init(
            Request(
                place: place, identity: identity, source: contents, isMoving: isMoving,
                record: record),
            store: store, folders: try store.openOrMake())
    }

    /// Carries out all steps.
    ///
    /// Returns the stored item.
    ///
    /// After an error, nothing remains in the store, and the contents are where they were.
    mutating func run() throws(SystemError) -> StoredItemID {
        try run(from: .makeWorkspace)
        return madeItem
    }

    /// Carries out the step `first` and all later ones.
    package mutating func run(from first: Step) throws(SystemError) {
        do {
            for step in Step.allCases where step >= first { try perform(step) }
        } catch {
            // If the contents cannot be moved back, the workspace remains, and its lock is
            // released. The next process that changes the store adds the version.
            if isMoved { do { try putBack() } catch _ { throw error } }
            // The first error counts. What is left is removed by the next process that changes the
            // store.
            try? workspace?.discard()
            throw error
        }
    }

    /// Carries out one step.
    package mutating func perform(_ step: Step) throws(SystemError) {
        switch step {
        case .makeWorkspace:
            let workspace = try Workspace.make(in: folders.work)
            self.workspace = workspace
            _ = try workspace.directory.openSubdirectory(Self.version, creatingWithMode: 0o700)
        case .writeRecord: try writeRecord()
        case .writeIntention: try writeIntention()
        case .moveContents: if given.isMoving { try moveContents() }
        case .copyContents: if !isMoved { try copyContents() }
        case .takeCopy: if !isMoved { try takeCopy() }
        case .synchronize: try synchronize()
        case .makeItem: try makeItem()
        case .makeTie: try makeTie()
        case .publish: try publish()
        case .removeSource:
            guard given.isMoving, !isMoved else { return }
            // The version exists. If the original cannot be removed, that is no reason to report a
            // failure.
            if let parent = try? parent(of: given.source) {
                TreeRemoval.remove(given.source.name, from: parent)
            }
        case .cleanUp:
            // If it cannot be removed now, another process will do it: the lock is released
            // together with this value.
            try? openWorkspace.discard()
        }
    }

    // MARK: In the workspace

    private var openWorkspace: Workspace {
        guard let workspace else { preconditionFailure("The first step makes the workspace") }
        return workspace
    }

    private var given: Request {
        guard let request else { preconditionFailure("What another began has its contents") }
        return request
    }

    private var madeItem: StoredItemID {
        guard let item else { preconditionFailure("The item is made before it is used") }
        return item
    }

    private var versionDirectory: Directory {
        get throws(SystemError) { try openWorkspace.directory.openSubdirectory(Self.version) }
    }

    private func parent(of path: ItemPath) throws(SystemError) -> Descriptor {
        try Descriptor.openDirectory(at: path.parent.bytes)
    }

    private func writeRecord() throws(SystemError) {
        var record = given.record
        record.added = RealTimeClock.now
        if record.modified == 0 {
            let source = given.source.bytes
            record.modified = try FileStatus(path: source, followLinks: false).modified
        }
        try versionDirectory.write(record, to: StoreName.record)
    }

    private func writeIntention() throws(SystemError) {
        guard given.isMoving else { return }
        let adding = Intention.Adding(place: place.bytes, identity: identity, version: id.text)
        try openWorkspace.directory.write(Intention.adding(adding), to: Intention.name)
    }

    private mutating func moveContents() throws(SystemError) {
        let source = try parent(of: given.source)
        let name = given.source.name
        let status = try source.status(of: name)
        // If a file has another hard link, its contents could be changed through that one.
        guard status.kind != S_IFREG || status.st_nlink == 1 else { return }
        if status.kind == S_IFDIR, try TreeLinks.hasHardLinks(name, in: source) { return }
        let contents = try versionDirectory.openSubdirectory(
            StoreName.contents, creatingWithMode: 0o700)
        do {
            try source.rename(name, to: name, in: contents.descriptor)
            isMoved = true
        } catch let error where error.code == ErrorNumber.crossDevice {
            // The contents will be copied, and the copy will replace this empty directory.
            return
        }
    }

    private func copyContents() throws(SystemError) {
        let copy = try openWorkspace.directory.openSubdirectory(Self.copy, creatingWithMode: 0o700)
        let name = given.source.name
        try TreeCopy.copy(
            TreePlace(name, in: parent(of: given.source)),
            to: TreePlace(given.copyName ?? name, in: copy.descriptor),
            depthLimit: VersionStore.deepest)
        try synchronize(contents: copy)
    }

    private func takeCopy() throws(SystemError) {
        try openWorkspace.directory.rename(Self.copy, to: StoreName.contents, in: versionDirectory)
    }

    /// Moves contents back that have not become a version.
    private func putBack() throws(SystemError) {
        for (name, contents) in try Self.contents(in: openWorkspace) {
            let parent = try parent(of: given.source)
            try contents.descriptor.rename(name, to: name, in: parent, ifTaken: .refuse)
        }
    }

    /// The contents of an unpublished version: none, or one name.
    private static func contents(
        in workspace: Workspace
    ) throws(SystemError) -> [(name: [UInt8], contents: Directory)] {
        do {
            let version = try workspace.directory.openSubdirectory(Self.version)
            let contents = try version.openSubdirectory(StoreName.contents)
            return try contents.rawNames().map { ($0, contents) }
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return []
        }
    }

    private func synchronize() throws(SystemError) {
        let version = try versionDirectory
        // A copy is on the device already.
        if isMoved { try synchronize(contents: version.openSubdirectory(StoreName.contents)) }
        try version.descriptor.synchronize()
    }

    private func synchronize(contents: Directory) throws(SystemError) {
        for name in try contents.rawNames() {
            switch try contents.descriptor.status(of: name).kind {
            case S_IFREG:
                try contents.descriptor.openFile(name, O_RDONLY | O_NONBLOCK).synchronize()
            case S_IFDIR:
                // One call for the whole tree, however many files it has.
                try contents.descriptor.synchronizeFileSystem()
            default: break
            }
        }
        try contents.descriptor.synchronize()
    }

    // MARK: In sight

    private mutating func makeItem() throws(SystemError) {
        item = store.adopt(place, identity, in: folders).first
        isTied = item != nil
        guard !isTied else { return }
        // The item gets the name of the workspace, from which another process learns to whom the
        // empty item belongs.
        guard let new = StoredItemID(openWorkspace.id) else {
            preconditionFailure("A workspace has the name of an item")
        }
        _ = try folders.items.openSubdirectory(new.text, creatingWithMode: 0o700)
        try folders.items.descriptor.synchronize()
        item = new
    }

    private func makeTie() throws(SystemError) {
        guard !isTied else { return }
        // The ties of an item that was removed while it was empty may be removed at any time.
        let stale = try folders.view.ties(at: place).filter { $0.item == madeItem }
        try folders.ties.make(ItemTie(identity: identity, item: madeItem), at: place)
        for tie in stale { folders.ties.remove(tie) }
        // If this is the item's first version, writes under way must learn of it, because they may
        // replace the file.
        store.tieWasMade(at: place, in: folders)
    }

    private mutating func publish() throws(SystemError) {
        // An attempt only fails if another process removes the item's last version meanwhile.
        for _ in 0..<16 {
            do {
                let target = try folders.items.openSubdirectory(madeItem.text)
                try openWorkspace.directory.rename(Self.version, to: id.text, in: target)
                // The version exists and cannot be taken back. Only a power failure can still undo
                // that.
                try? target.descriptor.synchronize()
                return
            } catch let error where error.code == ErrorNumber.noSuchFile {
                try makeItem()
                try makeTie()
            }
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "add a version")
    }

    // MARK: After a death

    private init(
        _ workspace: Workspace, _ adding: Intention.Adding, place: ItemPath, id: VersionID,
        store: VersionStore, folders: StoreFolders
    ) {
        self.id = id
        self.store = store
        self.folders = folders
        self.place = place
        identity = adding.identity
        request = nil
        isMoved = true
        self.workspace = workspace
    }

    /// Adds the version whose contents a dead process moved into its workspace.
    ///
    /// Returns nil if it had not moved them yet, or if the version exists already.
    static func finish(
        _ adding: Intention.Adding, _ workspace: Workspace, _ store: VersionStore,
        _ folders: StoreFolders
    ) throws(SystemError) -> VersionID? {
        guard try !contents(in: workspace).isEmpty else { return nil }
        guard let place = ItemPath(bytes: adding.place), let id = VersionID(adding.version) else {
            throw SystemError(code: ErrorNumber.invalidArgument, operation: "read an intention")
        }
        var addition = VersionAddition(
            workspace, adding, place: place, id: id, store: store, folders: folders)
        for step in [Step.synchronize, .makeItem, .makeTie, .publish] {
            try addition.perform(step)
        }
        return id
    }
}
