// SPDX-License-Identifier: Apache-2.0
//
// The store: a directory of the user in which the versions of the user's items are kept.
//
//     VERSIONS/
//       items/ITEM/VERSION/record          the record of the version
//                         /contents/NAME   its contents: a file, a link or a tree
//                         /resolved        marks, which exist or not
//                         /discardable
//       places/HASH/TIE                    which file belongs to which ITEM, by path (ItemTie)
//       files/NUMBER/TIE                   the same by inode number, for files that were moved
//       work/ID  work/ID.lock              unfinished work of living processes (Workspace)
//       writing/ID                         coordinated writes under way (CoordinatedWrite)
//       removed/                           garbage
//
// There is no lock on the store or on an item, so that a stopped process blocks no other one.
// Everything that other processes can see is made or removed by one atomic system call: a version
// appears by a rename and disappears by a rename. The following rules make concurrent processes and
// crashes harmless. Everything else either has an owner or is garbage:
//
// 1. A file in `work` or `writing` belongs to the process that holds its lock. If there is none,
//    any process may take the lock, and finish or remove the file.
// 2. Everything in `removed` is garbage, which any process may remove.
// 3. An empty ITEM is garbage, which any process may remove. A process that was about to put a
//    version into it makes it again.
// 4. A tie is made after its ITEM and before the first version in it. So a tie without an ITEM is
//    garbage, and no version is without a tie.
// 5. A read never changes anything: see StoreView. It recognizes what is out of date and computes
//    the right answer. The next change of the store finishes the work of dead processes.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import Glibc

/// A store of versions.
///
/// It may be used from any thread.
package final class VersionStore: Sendable {
    /// The greatest depth of a version's contents.
    static let deepest = 128

    /// The path of the store's directory, which is made when the first version is added.
    package let path: String
    /// The coordinated writes of this process that are under way.
    let writes = Lock<[CoordinatedWrite]>([])
    private let handedOut = Lock<HandedOut?>(nil)

    /// The path as bytes.
    package let pathBytes: [UInt8]

    /// The store in the directory at `path`.
    package init(path: String) {
        self.path = path
        pathBytes = Array(path.utf8)
    }

    /// Whether the store exists.
    ///
    /// This makes one system call.
    package var isThere: Bool { (try? FileStatus(path: pathBytes)) != nil }

    /// The store for reading; nil if there is none.
    ///
    /// For readers, a store that cannot be opened counts as empty. A change of the store reports
    /// why it cannot be opened.
    var viewIfReadable: StoreView? {
        try? StoreView.open(path)  // To a reader, a store that cannot be opened is empty.
    }

    // MARK: Opening

    /// Opens the store to change it, and finishes the work of dead processes.
    ///
    /// Returns nil if there is none.
    func openIfThere() throws(SystemError) -> StoreFolders? {
        guard let folders = try StoreFolders.open(path, creating: false) else { return nil }
        recover(folders)
        return folders
    }

    /// Does the same, and makes the store if there is none.
    package func openOrMake() throws(SystemError) -> StoreFolders {
        guard let folders = try StoreFolders.open(path, creating: true) else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "open \"\(path)\"")
        }
        recover(folders)
        return folders
    }

    // MARK: Reading

    /// The versions of the item at `place`, the oldest first.
    ///
    /// Returns nil if there is no item.
    package func versions(at place: ItemPath) -> [StoredVersion]? {
        guard var identity = ItemIdentity(of: place) else { return nil }
        guard let view = viewIfReadable else { return [] }
        var items: [StoredItemID] = []
        // The item may be saved during this search.
        for _ in 0..<16 {
            items = self.items(at: place, identity, in: view)
            guard let now = ItemIdentity(of: place), now != identity else { break }
            identity = now
        }
        // First those that are not published: a version may be published between the two reads.
        let added = unpublished(in: view).filter { $0.place == place }.map(\.version)
        let kept = items.flatMap { view.versions(of: $0, in: self) }
        let fresh = added.filter { one in !kept.contains { $0.id == one.id } }
        return Self.sorted(kept + fresh)
    }

    /// A version, or nil if it does not exist.
    package func version(_ id: VersionID, of item: StoredItemID) -> StoredVersion? {
        guard let view = viewIfReadable else { return nil }
        return view.version(id, of: item, in: self)
            ?? unpublished(in: view).first { $0.version.id == id }?.version
            // It may have been published meanwhile.
            ?? view.version(id, of: item, in: self)
    }

    /// The version with this ID, whichever item it belongs to.
    package func version(_ id: VersionID) -> StoredVersion? {
        guard let view = viewIfReadable else { return nil }
        // Without the folder, there are no versions.
        for name in (try? view.names(in: StoreName.items)) ?? [] {
            guard let item = StoredItemID(name),
                let version = view.version(id, of: item, in: self)
            else { continue }
            return version
        }
        return unpublished(in: view).first { $0.version.id == id }?.version
    }

    /// The path of a version's contents.
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

    /// The workspace in which temporary directories are made, and the process to which it belongs.
    private struct HandedOut {
        var workspace: Workspace
        var process: Int32
    }

    /// Makes a directory on the store's file system, for contents that will be moved into the store
    /// (Rule 19.10).
    ///
    /// It exists until the caller removes it or this process has ended.
    package func makeTemporaryDirectory() throws(SystemError) -> String {
        let folders = try openOrMake()
        let process = CurrentProcess.id
        // In a forked child, this value is still the parent's workspace.
        let own = handedOut.withLock { $0 }.flatMap { $0.process == process ? $0.workspace : nil }
        let workspace: Workspace
        if let own {
            workspace = own
        } else {
            let fresh = try Workspace.make(in: folders.work)
            // If another thread was faster, its workspace is used. The next change of the store
            // removes this one with its contents.
            workspace = handedOut.withLock { state in
                if let first = state, first.process == process { return first.workspace }
                state = HandedOut(workspace: fresh, process: process)
                return fresh
            }
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
    static let work = "work"
    static let writing = "writing"
    static let removed = "removed"
    static let record = "record"
    static let contents = "contents"
}
