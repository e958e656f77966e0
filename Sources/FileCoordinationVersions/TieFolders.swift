// SPDX-License-Identifier: Apache-2.0
//
// Changes ties. It is only used by changes of the store, never by reads. Each operation is given
// the tie that it changes. If another process was faster, that tie does not exist any more, and the
// operation does nothing. The link in `places` counts. The second link in `files` is made before it
// and removed after it, and is ignored if a process dies in between.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The ties of a store that is being changed.
struct TieFolders: Sendable {
    /// The directory of the store.
    let root: Directory

    /// Makes a tie.
    ///
    /// - Parameters:
    ///   - tie: the tie.
    ///   - place: the path of the item that it ties.
    ///   - isLasting: whether the tie must be on the device when this returns.
    /// - Throws: ``SystemError`` if one of its two links cannot be made.
    func make(
        _ tie: ItemTie, at place: ItemPath, isLasting: Bool = true
    ) throws(SystemError) {
        try link(tie, at: place, in: TieShelf.ofFile(tie.identity.inode))
        try link(tie, at: place, in: TieShelf.ofPlace(place))
        guard isLasting else { return }
        for shelf in [TieShelf.ofPlace(place), StoreName.places] {
            // The file system may refuse that. After a crash of the machine, the tie may then be
            // lost.
            try? root.openSubdirectory(shelf).descriptor.synchronize()
        }
    }

    /// Removes a tie.
    ///
    /// Returns whether it existed.
    @discardableResult
    func remove(_ found: FoundTie) -> Bool {
        let wasThere = unlink(found.tie, in: TieShelf.ofPlace(found.place))
        unlink(found.tie, in: TieShelf.ofFile(found.identity.inode))
        return wasThere
    }

    /// Changes the identity or the path of a tie.
    ///
    /// Does nothing if the tie does not exist any more.
    ///
    /// If only the identity changes, this is one rename. If the path changes, the new tie is made
    /// before the old one is removed, as an item may have two ties. Only if both change does this
    /// wait for the device: otherwise, after a power failure, the old tie is still found by its
    /// path or its inode number.
    func replace(
        _ found: FoundTie, by identity: ItemIdentity, at place: ItemPath
    ) throws(SystemError) {
        let isRight = found.identity == identity && found.place == place
        guard !isRight || found.tie.isVacated else { return }
        let fresh = found.tie.of(identity)
        guard found.place == place else {
            guard isThere(found) else { return }
            try make(fresh, at: place, isLasting: found.identity != identity)
            remove(found)
            return
        }
        try exchange(found, for: fresh)
    }

    /// Marks a tie as vacated, because a coordinated write left no file at its path.
    func vacate(_ found: FoundTie) throws(SystemError) {
        guard !found.tie.isVacated else { return }
        try exchange(found, for: found.tie.vacated)
    }

    /// Replaces a tie by another one with the same path.
    private func exchange(_ found: FoundTie, for fresh: ItemTie) throws(SystemError) {
        let shelf = TieShelf.ofPlace(found.place)
        try link(fresh, at: found.place, in: TieShelf.ofFile(fresh.identity.inode))
        do {
            try root.rename(shelf + "/" + found.tie.name, to: shelf + "/" + fresh.name)
            unlink(found.tie, in: TieShelf.ofFile(found.identity.inode))
        } catch {
            unlink(fresh, in: TieShelf.ofFile(fresh.identity.inode))
            // Another process has done the same already.
            guard error.code == ErrorNumber.noSuchFile else { throw error }
        }
    }

    // MARK: Links

    private func isThere(_ found: FoundTie) -> Bool {
        let shelf = TieShelf.ofPlace(found.place)
        // This is the question.
        return (try? root.status(of: shelf + "/" + found.tie.name)) != nil
    }

    private func link(
        _ tie: ItemTie, at place: ItemPath, in shelf: String
    ) throws(SystemError) {
        // An attempt only fails if another process removes the empty directory meanwhile.
        for _ in 0..<64 {
            do {
                try root.openSubdirectory(shelf, creatingWithMode: 0o700).descriptor.makeLink(
                    Array(tie.name.utf8), saying: place.bytes)
                return
            } catch let error where error.code == ErrorNumber.noSuchFile {
                continue
            } catch let error where error.code == ErrorNumber.alreadyExists {
                return
            }
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "note whose file it is")
    }

    @discardableResult
    private func unlink(_ tie: ItemTie, in shelf: String) -> Bool {
        // The result says whether it was there.
        let wasThere = (try? root.remove(shelf + "/" + tie.name)) != nil
        // The directory remains if it has other ties.
        try? root.removeSubdirectory(shelf)
        return wasThere
    }
}
