// SPDX-License-Identifier: Apache-2.0
//
// What people do with versions: keep, discard, resolve, go back. Whatever presenters are to be told
// of is reported once, after it has happened (Rule 10.2).

package import FileCoordinationArbiter
package import FileCoordinationSystem

extension VersionStore {
    /// Keeps contents as a version of the item at `place`, and reports it.
    ///
    /// - Parameter isMoving: whether the contents may be taken away from where they are.
    /// - Throws: ``VersionError``, if what must stay would be taken along, or nothing can be added.
    package func keep(
        _ contents: ItemPath, of place: ItemPath, isMoving: Bool, record: VersionRecord
    ) throws(VersionError) -> StoredVersion {
        guard !isMoving || contents != place && !contents.contains(place) else {
            throw .contentsAreItem
        }
        guard let root = try resolvedPath(), contents != root, !contents.contains(root) else {
            throw .contentsHoldStore(path)
        }
        let version = try explained { () throws(SystemError) in
            try add(of: place, contents: contents, isMoving: isMoving, record: record)
        }
        VersionChanges.report(VersionChange(.gained, of: place, version.id))
        return version
    }

    /// Where the store is, or is going to be.
    private func resolvedPath() throws(VersionError) -> ItemPath? {
        var rest: [[UInt8]] = []
        var known = pathBytes
        while true {
            do throws(SystemError) {
                let real = try RealPath.resolve(known)
                return ItemPath(bytes: real + rest.flatMap { [UInt8(ascii: "/")] + $0 })
            } catch {
                guard error.code == ErrorNumber.noSuchFile,
                    let slash = known.lastIndex(of: UInt8(ascii: "/"))
                else { throw .system(error) }
                rest.insert(Array(known[(slash + 1)...]), at: 0)
                known = slash == 0 ? [UInt8(ascii: "/")] : Array(known[..<slash])
            }
        }
    }

    /// Removes a version, and reports it; returns whether it was there.
    ///
    /// - Parameter place: where its item was when the caller asked.
    package func discard(
        _ id: VersionID, of item: StoredItemID, lastKnown place: ItemPath?
    ) throws(VersionError) -> Bool {
        // Asked first: with the last version goes all that is known of the item.
        let present = presentPlace(of: item, lastKnown: place)
        let wasThere = try explained { () throws(SystemError) in
            try remove(id, of: item, at: place)
        }
        if wasThere, let present { VersionChanges.report(VersionChange(.lost, of: present, id)) }
        return wasThere
    }

    /// Marks a conflict as resolved, and reports it if it was not (Rule 19.3).
    package func resolve(
        _ id: VersionID, of item: StoredItemID, lastKnown place: ItemPath?
    ) throws(SystemError) {
        guard try mark(id, of: item, .resolved) else { return }
        guard let present = presentPlace(of: item, lastKnown: place) else { return }
        VersionChanges.report(VersionChange(.conflictResolved, of: present, id))
    }

    /// Gives the item at `place` these contents, or makes it (Rule 19.7); returns where it is now.
    ///
    /// - Parameter owner: the stored item whose version the contents are.
    package func replace(
        _ place: ItemPath, by contents: ItemPath, of owner: StoredItemID?
    ) throws(VersionError) -> ItemPath {
        try explained { () throws(SystemError) in
            var replacement = try VersionReplacement(
                place, by: contents, of: owner, store: self, folders: openOrMake())
            try replacement.run()
            return replacement.target
        }
    }

    /// Where the item is, also if it was moved since its version was asked for.
    private func presentPlace(of item: StoredItemID, lastKnown place: ItemPath?) -> ItemPath? {
        place.map { self.place(of: item, lastKnown: $0) ?? $0 }
    }

    private func explained<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(VersionError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
