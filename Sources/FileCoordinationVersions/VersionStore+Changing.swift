// SPDX-License-Identifier: Apache-2.0
//
// Adds, marks and removes versions. Each operation returns whether it changed something, so that
// every change is reported once, even if several processes make it at the same time.

package import FileCoordinationArbiter
package import FileCoordinationSystem
import FileTree

extension VersionStore {
    /// Adds a version of the item at `place`.
    ///
    /// If there is no space, versions that may be discarded are removed first.
    package func add(
        of place: ItemPath, contents: ItemPath, isMoving: Bool, record: VersionRecord,
        copyName: [UInt8]? = nil
    ) throws(SystemError) -> StoredVersion {
        guard let identity = ItemIdentity(of: place) else {
            throw SystemError(
                code: ErrorNumber.noSuchFile, operation: "keep a version of \"\(place)\"")
        }
        let request = VersionAddition.Request(
            place: place, identity: identity, source: contents, copyName: copyName,
            isMoving: isMoving, record: record)
        let folders = try openOrMake()
        do {
            return try add(request, in: folders)
        } catch let error
            where [ErrorNumber.noSpace, ErrorNumber.quotaExceeded].contains(error.code)
        {
            guard try makeRoom() > 0 else { throw error }
            return try add(request, in: folders)
        }
    }

    private func add(
        _ request: VersionAddition.Request, in folders: StoreFolders
    ) throws(SystemError) -> StoredVersion {
        var addition = VersionAddition(request, store: self, folders: folders)
        let item = try addition.run()
        VersionAddition.whenPublished?()
        // Another process may have removed the version meanwhile. It was added nevertheless, and
        // its contents are gone as with any version that another process removes.
        return version(addition.id, of: item)
            ?? StoredVersion(
                item: item, id: addition.id, record: request.record, marks: [],
                contents: contentsPath(
                    of: addition.id, of: item, name: request.copyName ?? request.source.name),
                isDirectory: false)
    }

    /// Sets a mark.
    ///
    /// Returns whether it was not set before.
    package func mark(
        _ id: VersionID, of item: StoredItemID, _ mark: VersionMark
    ) throws(SystemError) -> Bool {
        guard let folders = try openIfThere() else { return false }
        do {
            let version = try folders.items.openSubdirectory(item.text).openSubdirectory(id.text)
            _ = try version.openFile(mark.rawValue, [.write, .create, .exclusive])
            try version.descriptor.synchronize()
            return true
        } catch let error
            where [ErrorNumber.alreadyExists, ErrorNumber.noSuchFile].contains(error.code)
        {
            return false
        }
    }

    /// Removes a version.
    ///
    /// - Parameters:
    ///   - id: the version.
    ///   - item: the stored item to which it belongs.
    ///   - place: the path of its item, as far as the caller knows.
    /// - Returns: whether it existed.
    /// - Throws: ``SystemError`` if the store cannot be opened, or the version cannot be removed.
    package func remove(
        _ id: VersionID, of item: StoredItemID, at place: ItemPath? = nil
    ) throws(SystemError) -> Bool {
        guard let folders = try openIfThere() else { return false }
        return try remove(id, of: item, at: place, in: folders)
    }

    private func remove(
        _ id: VersionID, of item: StoredItemID, at place: ItemPath?, in folders: StoreFolders
    ) throws(SystemError) -> Bool {
        do {
            let directory = try folders.items.openSubdirectory(item.text)
            try directory.rename(id.text, to: id.text, in: folders.removed)
            try directory.descriptor.synchronize()
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return false
        }
        // If this process dies now, the next recovery by any process removes the version.
        TreeRemoval.remove(Array(id.text.utf8), from: folders.removed.descriptor)
        removeIfEmpty(item, at: place, in: folders)
        return true
    }

    /// Removes an item that has no versions, and its ties.
    ///
    /// Another process may make the item again under its name, for the version that it adds. So
    /// only the ties are removed that there were before.
    func removeIfEmpty(_ item: StoredItemID, at place: ItemPath?, in folders: StoreFolders) {
        // An item that cannot be examined stays; so does one that another process has removed.
        guard let directory = try? folders.items.openSubdirectory(item.text),
            (try? directory.names())?.isEmpty == true
        else { return }
        let ties = ties(of: item, at: place, in: folders)
        // This fails while the item has versions; its ties must then stay.
        guard (try? folders.items.removeSubdirectory(item.text)) != nil else { return }
        for tie in ties { folders.ties.remove(tie) }
    }

    private func ties(
        of item: StoredItemID, at place: ItemPath?, in folders: StoreFolders
    ) -> [FoundTie] {
        // If they cannot be read they stay, and lead to an item without versions.
        let near = place.flatMap { try? folders.view.ties(at: $0) } ?? []
        let found = near.filter { $0.item == item }
        // If the item has moved since then, all ties must be examined.
        guard found.isEmpty else { return found }
        // Ties that cannot be read stay, as above.
        return ((try? folders.view.allTies()) ?? []).filter { $0.item == item }
    }

    /// Removes all versions that may be discarded when space is needed (Rule 19.4), and reports
    /// that.
    ///
    /// A conflict that is not resolved is kept.
    ///
    /// - Returns: the number of removed versions.
    package func makeRoom() throws(SystemError) -> Int {
        guard let folders = try openIfThere() else { return 0 }
        var count = 0
        for tie in try folders.view.allTies() {
            for version in folders.view.versions(of: tie.item, in: self)
            where version.marks.contains(.discardable) && !version.isUnresolved {
                guard try remove(version.id, of: tie.item, at: tie.place, in: folders)
                else { continue }
                VersionChanges.report(VersionChange(.lost, of: tie.place, version.id))
                count += 1
            }
        }
        return count
    }
}
