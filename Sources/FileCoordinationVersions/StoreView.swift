// SPDX-License-Identifier: Apache-2.0
//
// Reads the store without changing it. A reader has no claim, so its knowledge of an item may be
// older than the store's. If it finds something out of date, it computes the right answer but
// leaves the correction to the next change. Other processes may change the store meanwhile, so a
// name that vanishes between two system calls is looked for again.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc

/// A store that is open for reading.
package struct StoreView: Sendable {
    /// The directory of the store.
    let root: Directory

    /// Reads the store in an open directory.
    init(root: Directory) { self.root = root }

    /// Opens the store at `path`.
    ///
    /// Returns nil if there is none.
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

    /// Throws if another user owns the store or may write to it.
    static func requireTrusted(_ root: Directory) throws(SystemError) {
        let status = try root.status()
        // Versions are as private as their items, and a store that other users can write to is not
        // trustworthy.
        guard status.ownerUserID == CurrentProcess.effectiveUserID, status.permissions & 0o022 == 0
        else {
            throw SystemError(
                code: ErrorNumber.accessDenied,
                operation: "use \"\(root.path)\", which others own or may write to")
        }
    }

    /// The names in a directory of the store, or none if the directory does not exist.
    func names(in folder: String) throws(SystemError) -> [String] {
        do {
            return try root.openSubdirectory(folder).names()
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return []
        }
    }

    /// Whether the stored item exists; one that cannot be examined counts as missing.
    func hasItem(_ item: StoredItemID) -> Bool {
        // The error says that it is missing.
        (try? root.status(of: StoreName.items + "/" + item.text)) != nil
    }

    /// Whether the stored item certainly does not exist.
    func isMissing(_ item: StoredItemID) -> Bool {
        do {
            _ = try root.status(of: StoreName.items + "/" + item.text)
            return false
        } catch {
            return error.code == ErrorNumber.noSuchFile
        }
    }

    // MARK: Ties

    /// The ties of files that were last seen at `place`.
    func ties(at place: ItemPath) throws(SystemError) -> [FoundTie] {
        try stableTies(on: TieShelf.ofPlace(place)) { $0.place == place }
    }

    /// The ties of files with this inode number, wherever they were last seen.
    func ties(ofFile inode: UInt64) throws(SystemError) -> [FoundTie] {
        try stableTies(on: TieShelf.ofFile(inode)) { found in
            let tie = TieShelf.ofPlace(found.place) + "/" + found.tie.name
            // This is the question.
            return (try? root.status(of: tie)) != nil ? true : nil
        }
    }

    /// All ties.
    func allTies() throws(SystemError) -> [FoundTie] {
        var all: [FoundTie] = []
        for label in try names(in: StoreName.places) {
            all += try stableTies(on: StoreName.places + "/" + label) { _ in true }
        }
        return all
    }

    /// Lists the ties in a directory for which `isWanted` returns true.
    ///
    /// Reads the directory again while another process changes it.
    ///
    /// - Parameters:
    ///   - shelf: the directory.
    ///   - isWanted: returns nil if a file that it needs has vanished.
    /// - Returns: those ties.
    /// - Throws: ``SystemError`` if the directory exists and cannot be read.
    private func stableTies(
        on shelf: String, where isWanted: (FoundTie) -> Bool?
    ) throws(SystemError) -> [FoundTie] {
        var last: [String]?
        var found: [FoundTie] = []
        for _ in 0..<16 {
            let names = try names(in: shelf)
            guard !names.isEmpty else { return [] }
            let folder = try openIfThere(shelf)
            var isWhole = true
            found = []
            for name in names {
                guard let tie = ItemTie(name: name) else { continue }
                // Another process has removed it; then the shelf is looked at again.
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
            // If two reads find the same names, no process is changing them: a dead process left
            // them so.
            if isWhole || names == last { return found }
            last = names
        }
        return found
    }

    /// Opens a directory of ties; nil if it is gone with its last tie.
    private func openIfThere(_ shelf: String) throws(SystemError) -> Directory? {
        do {
            return try root.openSubdirectory(shelf)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return nil
        }
    }

    // MARK: Writes under way

    /// The stored items to which the document at `place` belongs, because a process is writing it
    /// or died while it wrote it.
    func itemsBeingWritten(at place: ItemPath) -> Set<StoredItemID> {
        // Without the folder, no process is writing.
        guard let names = try? names(in: StoreName.writing), !names.isEmpty,
            let folder = try? root.openSubdirectory(StoreName.writing)
        else { return [] }
        return Set(
            names.compactMap { WriteNote.read($0, in: folder) }
                .filter { $0.place == place }.flatMap(\.items))
    }
}
