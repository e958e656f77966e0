// SPDX-License-Identifier: Apache-2.0
//
// Looking at the store. Nothing here changes anything: a reader is under no claim, so what it knows
// of an item may be older than what the store says. Whatever it finds out of date it sees through,
// and leaves to the next change. Processes may change the store while it is looked at: what
// vanishes between two calls is looked for again.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc

/// A store, opened to be looked at.
package struct StoreView: Sendable {
    /// The store.
    let root: Directory

    /// The view of an open directory.
    init(root: Directory) { self.root = root }

    /// Opens the store at `path`; nil if there is none.
    static func open(_ path: String) throws(SystemError) -> StoreView? {
        let root: Directory
        do {
            root = try Directory.open(path)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return nil
        }
        try requireTrusted(root)
        return StoreView(root: root)
    }

    /// Fails for a store that others own or may write to.
    static func requireTrusted(_ root: Directory) throws(SystemError) {
        let status = try root.status()
        // Versions are as private as the items; and what others may write is not to be trusted.
        guard status.ownerUserID == CurrentProcess.effectiveUserID, status.permissions & 0o022 == 0
        else {
            throw SystemError(
                code: ErrorNumber.accessDenied,
                operation: "use \"\(root.path)\", which others own or may write to")
        }
    }

    /// The names in a directory of the store; none if there is no such directory.
    func names(in folder: String) throws(SystemError) -> [String] {
        do {
            return try root.openSubdirectory(folder).names()
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return []
        }
    }

    /// Whether the stored item is there.
    func hasItem(_ item: StoredItemID) -> Bool {
        (try? root.status(of: StoreName.items + "/" + item.text)) != nil
    }

    // MARK: Ties

    /// The ties of files that were last seen at `place`.
    func ties(at place: ItemPath) throws(SystemError) -> [FoundTie] {
        try stableTies(on: TieShelf.ofPlace(place)) { $0.place == place }
    }

    /// The ties of files with this number, wherever they were last seen.
    func ties(ofFile inode: UInt64) throws(SystemError) -> [FoundTie] {
        try stableTies(on: TieShelf.ofFile(inode)) { found in
            let tie = TieShelf.ofPlace(found.place) + "/" + found.tie.name
            return (try? root.status(of: tie)) != nil ? true : nil
        }
    }

    /// All ties.
    func allTies() throws(SystemError) -> [FoundTie] {
        var all: [FoundTie] = []
        for label in try names(in: StoreName.places) {
            all += try stableTies(on: StoreName.places + "/" + label) { _ in true }
        }
        return try all + legacyTies()
    }

    /// Those that programs from before the shelves have made.
    func legacyTies() throws(SystemError) -> [FoundTie] {
        try stableTies(on: StoreName.ties) { _ in true }.map {
            FoundTie(tie: $0.tie, place: $0.place, isLegacy: true)
        }
    }

    /// The ties on a shelf for which `isWanted`.
    ///
    /// - Parameter isWanted: nil if what it depends on has vanished.
    private func stableTies(
        on shelf: String, where isWanted: (FoundTie) -> Bool?
    ) throws(SystemError) -> [FoundTie] {
        var last: [String]?
        var found: [FoundTie] = []
        for _ in 0..<16 {
            let names = try names(in: shelf)
            guard !names.isEmpty else { return [] }
            let folder = try? root.openSubdirectory(shelf)
            var isWhole = true
            found = []
            for name in names {
                guard let tie = ItemTie(name: name) else { continue }
                guard let text = try? folder?.descriptor.linkText(of: Array(name.utf8)) else {
                    isWhole = false
                    continue
                }
                guard let place = ItemPath(bytes: text) else { continue }
                let one = FoundTie(tie: tie, place: place)
                switch isWanted(one) {
                case true: found.append(one)
                case false: continue
                case nil: isWhole = false
                }
            }
            // What is the same twice is no change under way, but what a dead process has left.
            if isWhole || names == last { return found }
            last = names
        }
        return found
    }

    // MARK: Writes under way

    /// The stored items that the document at `place` is because of a write to it that is under way,
    /// or whose process has died.
    func itemsBeingWritten(at place: ItemPath) -> Set<StoredItemID> {
        guard let names = try? names(in: StoreName.writing), !names.isEmpty,
            let folder = try? root.openSubdirectory(StoreName.writing)
        else { return [] }
        return Set(
            names.compactMap { WriteNote.read($0, in: folder) }
                .filter { $0.place == place }.flatMap(\.items))
    }
}
