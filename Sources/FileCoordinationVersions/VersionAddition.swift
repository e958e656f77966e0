// SPDX-License-Identifier: Apache-2.0
//
// Adding a version, one step at a time. Up to `publish` no other process can see anything of it,
// and from then on all processes see all of it. A process that dies on the way leaves a workspace:
// the next process that uses the store removes that, or, if contents were moved into it that are
// nowhere else, adds the version. So each step may be the last one.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree
import Glibc

/// The adding of one version.
package struct VersionAddition {
    /// The steps, in order.
    package enum Step: CaseIterable, Comparable, Sendable {
        /// A workspace, known by its lock to be ours.
        case makeWorkspace
        /// What is known of the version.
        case writeRecord
        /// If contents are to be moved: where they belong.
        case writeIntention
        /// Contents that are to be moved come into the version by a rename, where that is possible.
        case moveContents
        /// Others are copied beside the version, onto the device.
        case copyContents
        /// The copy comes into the version.
        case takeCopy
        /// The version is on the device before anybody relies on it.
        case synchronize
        /// The stored item, unless the file has one.
        case makeItem
        /// The tie between the file and a new stored item.
        case makeTie
        /// The version is there.
        case publish
        /// If contents were to be moved and had to be copied: the original goes.
        case removeSource
        /// Nothing is left but the version.
        case cleanUp
    }

    /// What is to be added.
    struct Request: Sendable {
        /// The item that gets the version.
        var place: ItemPath
        /// The item's identity.
        var identity: ItemIdentity
        /// Where the contents are.
        var source: ItemPath
        /// Whether they may be taken away from there.
        var isMoving: Bool
        /// What the version is to remember.
        var record: VersionRecord
    }

    /// The version.
    let id: VersionID
    private let store: VersionStore
    private let folders: StoreFolders
    private let place: ItemPath
    private let identity: ItemIdentity
    /// Nil if another process has begun, and died.
    private let request: Request?
    private var workspace: Workspace?
    private var item: StoredItemID?
    /// Whether the file was found to be that item.
    private var isTied = false
    /// Whether the contents are in the version, and nowhere else.
    private var isMoved = false

    /// Called when a version is there for others to see, and before it is looked at; for tests.
    @TaskLocal package static var whenPublished: (@Sendable () -> Void)?

    /// The name in a workspace of what is to be the version.
    static let version = "version"
    private static let copy = "copy"

    /// Gets ready to add a version; nothing happens yet.
    init(_ request: Request, store: VersionStore, folders: StoreFolders) {
        id = VersionID()
        self.store = store
        self.folders = folders
        place = request.place
        identity = request.identity
        self.request = request
    }

    /// Gets ready to add a version with the usual record.
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

    /// Takes all steps; returns the stored item.
    ///
    /// After an error nothing is left in the store, and contents are where they were.
    mutating func run() throws(SystemError) -> StoredItemID {
        try run(from: .makeWorkspace)
        return madeItem
    }

    /// Takes the step `first` and all that follow.
    package mutating func run(from first: Step) throws(SystemError) {
        do {
            for step in Step.allCases where step >= first { try perform(step) }
        } catch {
            // Contents that cannot be put back stay with the workspace, whose lock is let go of:
            // the next one who uses the store adds the version.
            if isMoved { do { try putBack() } catch _ { throw error } }
            try? workspace?.discard()
            throw error
        }
    }

    /// Takes one step.
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
            // The version is there; what cannot be removed is no reason to say that it is not.
            if let parent = try? parent(of: given.source) {
                TreeRemoval.remove(given.source.name, from: parent)
            }
        case .cleanUp:
            // If it cannot be removed now, another process will do it: its lock goes with this
            // value.
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
        // A file with another name could be written to through that one.
        guard status.kind != S_IFREG || status.st_nlink == 1 else { return }
        let contents = try versionDirectory.openSubdirectory(
            StoreName.contents, creatingWithMode: 0o700)
        do {
            try source.rename(name, to: name, in: contents.descriptor)
            isMoved = true
        } catch let error where error.code == ErrorNumber.crossDevice {
            // They are copied, and what is empty is replaced by the copy.
            return
        }
    }

    private func copyContents() throws(SystemError) {
        let copy = try openWorkspace.directory.openSubdirectory(Self.copy, creatingWithMode: 0o700)
        let name = given.source.name
        try TreeCopy.copy(
            TreePlace(name, in: parent(of: given.source)),
            to: TreePlace(name, in: copy.descriptor), depthLimit: VersionStore.deepest)
        try synchronize(contents: copy)
    }

    private func takeCopy() throws(SystemError) {
        try openWorkspace.directory.rename(Self.copy, to: StoreName.contents, in: versionDirectory)
    }

    /// Moves contents back that were moved in and have not become a version.
    private func putBack() throws(SystemError) {
        for (name, contents) in try Self.contents(in: openWorkspace) {
            let parent = try parent(of: given.source)
            guard (try? parent.status(of: name)) == nil else {
                throw SystemError(code: ErrorNumber.alreadyExists, operation: "put back contents")
            }
            try contents.descriptor.rename(name, to: name, in: parent)
        }
    }

    /// What a version that is not published has for contents: nothing, or one name.
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
                // One call for all of the tree, whatever the number of files in it.
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
        // With the workspace's name, from which another process learns whose the empty item is.
        guard let new = StoredItemID(openWorkspace.id) else {
            preconditionFailure("A workspace has the name of an item")
        }
        _ = try folders.items.openSubdirectory(new.text, creatingWithMode: 0o700)
        try folders.items.descriptor.synchronize()
        item = new
    }

    private func makeTie() throws(SystemError) {
        guard !isTied else { return }
        // Those of an item that was removed while it was empty may be removed at any time.
        let stale = try folders.view.ties(at: place).filter { $0.item == madeItem }
        try folders.ties.make(ItemTie(identity: identity, item: madeItem), at: place)
        for tie in stale { folders.ties.remove(tie) }
        // It may be the item's first version, and the file may yet be replaced.
        store.tieWasMade(at: place, in: folders)
    }

    private mutating func publish() throws(SystemError) {
        // Each turn is lost only to another process that removes the item's last version.
        for _ in 0..<16 {
            do {
                let target = try folders.items.openSubdirectory(madeItem.text)
                try openWorkspace.directory.rename(Self.version, to: id.text, in: target)
                // It is there, and cannot be taken back; at worst a power failure does that.
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

    /// Adds the version whose contents were moved into a dead process's workspace; nil if they were
    /// not yet, or the version is there.
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
