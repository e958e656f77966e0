// SPDX-License-Identifier: Apache-2.0
//
// The operations on versions that the public API and filecoord offer: keep, discard, resolve and
// replace. Presenters are told of each change once, after it has happened (Rule 10.2).

package import FileCoordinationArbiter
package import FileCoordinationSystem

extension VersionStore {
    /// Keeps contents as a version of the item at `place`, and reports it.
    ///
    /// - Parameters:
    ///   - contents: the path of the contents.
    ///   - place: the path of the item.
    ///   - isMoving: whether the contents may be moved away from their path.
    ///   - record: what is recorded about the version.
    ///   - copyName: the name of the stored copy; nil for that of the contents. Contents that are
    ///     moved keep their name.
    /// - Returns: the new version.
    /// - Throws: ``VersionError`` if the contents may not be moved, or if no version can be added.
    package func keep(
        _ contents: ItemPath, of place: ItemPath, isMoving: Bool, record: VersionRecord,
        copyName: [UInt8]? = nil
    ) throws(VersionError) -> StoredVersion {
        guard !isMoving || contents != place && !contents.contains(place) else {
            throw .contentsAreItem
        }
        guard let root = try resolvedPath(), contents != root, !contents.contains(root) else {
            throw .contentsHoldStore(path)
        }
        let version = try explained { () throws(SystemError) in
            try add(
                of: place, contents: contents, isMoving: isMoving, record: record,
                copyName: copyName)
        }
        VersionChanges.report(VersionChange(.gained, of: place, version.id))
        return version
    }

    /// The canonical path of the store, or its future path.
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

    /// Removes a version and reports it.
    ///
    /// - Parameters:
    ///   - id: the version.
    ///   - item: the stored item to which it belongs.
    ///   - place: the path of its item when the caller asked for the version.
    /// - Returns: whether it existed.
    /// - Throws: ``VersionError`` if it cannot be removed.
    package func discard(
        _ id: VersionID, of item: StoredItemID, lastKnown place: ItemPath?
    ) throws(VersionError) -> Bool {
        // The path is determined first, because the ties are removed together with the last
        // version.
        let present = presentPlace(of: item, lastKnown: place)
        let wasThere = try explained { () throws(SystemError) in
            try remove(id, of: item, at: place)
        }
        if wasThere, let present { VersionChanges.report(VersionChange(.lost, of: present, id)) }
        return wasThere
    }

    /// Marks a conflict as resolved, and reports it if it was not resolved before (Rule 19.3).
    package func resolve(
        _ id: VersionID, of item: StoredItemID, lastKnown place: ItemPath?
    ) throws(SystemError) {
        guard try mark(id, of: item, .resolved) else { return }
        guard let present = presentPlace(of: item, lastKnown: place) else { return }
        VersionChanges.report(VersionChange(.conflictResolved, of: present, id))
    }

    /// Replaces the item at `place` by the contents of a version, or creates it (Rule 19.7).
    ///
    /// - Parameters:
    ///   - place: the path of the item.
    ///   - id: the version.
    ///   - owner: the stored item to which the version belongs.
    /// - Returns: the present path of the item, which may have another extension.
    /// - Throws: ``VersionError`` if the version is gone, or the item cannot be replaced.
    package func replace(
        _ place: ItemPath, by id: VersionID, of owner: StoredItemID
    ) throws(VersionError) -> ItemPath {
        let folders = try explained { () throws(SystemError) in try openOrMake() }
        // The path is looked up only now: if a process died while it moved the contents into the
        // store, opening the store has moved them on.
        guard let version = version(id, of: owner), let contents = ItemPath(bytes: version.contents)
        else { throw .gone }
        return try replace(place, by: contents, of: owner, in: folders)
    }

    /// Replaces the item at `place` by a copy of another item, or creates it (Rule 19.7).
    ///
    /// - Parameters:
    ///   - place: the path of the item.
    ///   - contents: the path of the other item.
    /// - Returns: the present path of the item, which may have another extension.
    /// - Throws: ``VersionError`` if the item cannot be replaced.
    package func replace(
        _ place: ItemPath, by contents: ItemPath
    ) throws(VersionError) -> ItemPath {
        let folders = try explained { () throws(SystemError) in try openOrMake() }
        return try replace(place, by: contents, of: nil, in: folders)
    }

    private func replace(
        _ place: ItemPath, by contents: ItemPath, of owner: StoredItemID?, in folders: StoreFolders
    ) throws(VersionError) -> ItemPath {
        try explained { () throws(SystemError) in
            var replacement = try VersionReplacement(
                place, by: contents, of: owner, store: self, folders: folders)
            try replacement.run()
            return replacement.target
        }
    }

    /// The present path of the item, even if it was moved since its version was asked for.
    private func presentPlace(of item: StoredItemID, lastKnown place: ItemPath?) -> ItemPath? {
        place.map { self.place(of: item, lastKnown: $0) ?? $0 }
    }

    private func explained<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(VersionError) -> Result {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
