// SPDX-License-Identifier: Apache-2.0
//
// The store: a directory of the user's in which the versions of his items are kept.
//
//     VERSIONS/
//       items/ITEM/VERSION/record          what is known of the version
//                         /contents/NAME   its contents: a file, a link or a tree
//                         /resolved        marks: there or not there
//                         /discardable
//       places/HASH/TIE                    which file is which ITEM's, by its place (ItemTie)
//       files/NUMBER/TIE                   the same by its number, for files that were moved
//       work/ID  work/ID.lock              what living processes have not finished (Workspace)
//       writing/ID                         coordinated writes under way (CoordinatedWrite)
//       removed/                           rubbish
//
// There is no lock on the store and none on an item, so that a stopped process blocks no other.
// Whatever others can see is made or taken away by one call to the kernel that happens wholly or
// not at all: a version appears by one rename and disappears by one rename. What keeps concurrent
// processes and crashes from harm is that everything else has an owner or is rubbish:
//
// 1. What is in `work` or `writing` belongs to the process that holds its lock. No process: then
//    any process may take the lock, and finish or remove it.
// 2. What is in `removed` is rubbish; anybody may remove it.
// 3. An empty ITEM is rubbish; any process may remove it, and a process that was about to put a
//    version into it makes it again.
// 4. A tie is made after its ITEM and before the first version in it. So a tie without an ITEM is
//    rubbish, and no version is without a tie.
// 5. A read changes nothing, ever: see StoreView. What is out of date it sees through; what dead
//    processes left is put right by the next change.
//
// Programs from before `places` and `files` kept all ties in one directory, `ties`. What is there
// is read, and taken over by the next change.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import Glibc

/// A store of versions.
///
/// May be used from any thread.
package final class VersionStore: Sendable {
    /// How many levels the contents of a version may have.
    static let deepest = 128

    /// Where it is; the directory is made when the first version is added.
    package let path: String
    /// The coordinated writes of this process that are under way.
    let writes = Lock<[CoordinatedWrite]>([])
    private let handedOut = Lock<HandedOut?>(nil)

    /// The same, as bytes.
    package let pathBytes: [UInt8]

    /// The store in the directory at `path`.
    package init(path: String) {
        self.path = path
        pathBytes = Array(path.utf8)
    }

    /// Whether there is a store: one look.
    package var isThere: Bool { (try? FileStatus(path: pathBytes)) != nil }

    // MARK: Opening

    /// Opens the store to change it, and puts right what dead processes left; nil if there is none.
    func openIfThere() throws(SystemError) -> StoreFolders? {
        guard let folders = try StoreFolders.open(path, creating: false) else { return nil }
        recover(folders)
        return folders
    }

    /// The same; makes the store if there is none.
    package func openOrMake() throws(SystemError) -> StoreFolders {
        guard let folders = try StoreFolders.open(path, creating: true) else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "open \"\(path)\"")
        }
        recover(folders)
        return folders
    }

    // MARK: Reading

    /// The versions of the item at `place`, oldest first; nil if there is no item.
    package func versionIdentifiers(at place: ItemPath) -> [String]? {
        versions(at: place)?.map(\.id.text)
    }

    /// The versions of the item at `place`, oldest first; nil if there is no item.
    package func versions(at place: ItemPath) -> [StoredVersion]? {
        guard var identity = ItemIdentity(of: place) else { return nil }
        guard let view = try? StoreView.open(path) else { return [] }
        var items: [StoredItemID] = []
        // The item may be saved while the store is looked at.
        for _ in 0..<16 {
            items = self.items(at: place, identity, in: view)
            guard let now = ItemIdentity(of: place), now != identity else { break }
            identity = now
        }
        let kept = items.flatMap { view.versions(of: $0, in: self) }
        let added = unpublished(in: view).filter { $0.place == place }.map(\.version)
        // What was unpublished may have been published between the two looks.
        let fresh = added.filter { one in !kept.contains { $0.id == one.id } }
        return Self.sorted(kept + fresh)
    }

    /// One version, if it is there.
    package func version(_ id: VersionID, of item: StoredItemID) -> StoredVersion? {
        guard let view = try? StoreView.open(path) else { return nil }
        return view.version(id, of: item, in: self)
            ?? unpublished(in: view).first { $0.version.id == id }?.version
    }

    /// The version with this name, whosever it is.
    package func version(_ id: VersionID) -> StoredVersion? {
        guard let view = try? StoreView.open(path) else { return nil }
        for name in (try? view.names(in: StoreName.items)) ?? [] {
            guard let item = StoredItemID(name),
                let version = view.version(id, of: item, in: self)
            else { continue }
            return version
        }
        return unpublished(in: view).first { $0.version.id == id }?.version
    }

    /// Where the contents of a version are.
    func contentsPath(
        of id: VersionID, of item: StoredItemID, name: some Sequence<UInt8>
    ) -> [UInt8] {
        contentsPath(in: [StoreName.items, item.text, id.text].joined(separator: "/"), name: name)
    }

    func contentsPath(in directory: String, name: some Sequence<UInt8>) -> [UInt8] {
        let parent = [path, directory, StoreName.contents].joined(separator: "/")
        return Array(parent.utf8) + [UInt8(ascii: "/")] + name
    }

    // MARK: Room for what is not a version yet

    /// The workspace from which directories are handed out, and the process that it belongs to.
    private struct HandedOut {
        var workspace: Workspace
        var process: Int32
    }

    /// Makes a directory on the store's file system, for contents that are to be moved into it
    /// (Rule 19.10).
    ///
    /// It lasts until the caller removes it, or until this process has ended.
    package func makeTemporaryDirectory() throws(SystemError) -> String {
        let folders = try openOrMake()
        let process = CurrentProcess.id
        // A forked child's is its parent's.
        let own = handedOut.withLock { $0 }.flatMap { $0.process == process ? $0.workspace : nil }
        let workspace: Workspace
        if let own {
            workspace = own
        } else {
            workspace = try Workspace.make(in: folders.work)
            handedOut.withLock { $0 = HandedOut(workspace: workspace, process: process) }
        }
        return try workspace.directory.openSubdirectory(
            StoredItemID().text, creatingWithMode: 0o700
        ).path
    }
}

/// Names inside the store.
package enum StoreName {
    static let items = "items"
    package static let places = "places"
    static let files = "files"
    /// Of programs from before the two.
    static let ties = "ties"
    static let work = "work"
    static let writing = "writing"
    static let removed = "removed"
    static let record = "record"
    static let contents = "contents"
}
