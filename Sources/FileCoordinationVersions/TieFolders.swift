// SPDX-License-Identifier: Apache-2.0
//
// Changing ties. Only changes of the store come here, never a read. Each change names the tie that
// it saw: if another process was quicker, that is gone, and nothing happens. The tie itself counts;
// its second link is made before it and removed after it, and leads nowhere if a process dies in
// between.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The ties of a store that is being changed.
struct TieFolders: Sendable {
    /// The store.
    let root: Directory

    /// Makes a tie.
    ///
    /// - Parameter isLasting: whether it has to be on the device when this returns.
    func make(
        _ tie: ItemTie, at place: ItemPath, isLasting: Bool = true
    ) throws(SystemError) {
        try link(tie, at: place, in: TieShelf.ofFile(tie.identity.inode))
        try link(tie, at: place, in: TieShelf.ofPlace(place))
        guard isLasting else { return }
        for shelf in [TieShelf.ofPlace(place), StoreName.places] {
            try? root.openSubdirectory(shelf).descriptor.synchronize()
        }
    }

    /// Removes a tie; whether it was there.
    @discardableResult
    func remove(_ found: FoundTie) -> Bool {
        if found.isLegacy {
            return (try? root.remove(StoreName.ties + "/" + found.tie.name)) != nil
        }
        let wasThere = unlink(found.tie, in: TieShelf.ofPlace(found.place))
        unlink(found.tie, in: TieShelf.ofFile(found.identity.inode))
        return wasThere
    }

    /// Changes what a tie says; nothing happens if it is gone.
    ///
    /// Another identity at the same place takes one step. Another place takes two, the new tie
    /// first: an item with two ties is still one item. Only if both change, the device is waited
    /// for: else the tie is found by its place, or by its file, after a power failure.
    func replace(
        _ found: FoundTie, by identity: ItemIdentity, at place: ItemPath
    ) throws(SystemError) {
        let isRight = found.identity == identity && found.place == place
        guard !isRight || found.isLegacy || found.tie.isVacated else { return }
        let fresh = found.tie.of(identity)
        guard found.place == place, !found.isLegacy else {
            guard isThere(found) else { return }
            try make(fresh, at: place, isLasting: found.identity != identity)
            remove(found)
            return
        }
        try exchange(found, for: fresh)
    }

    /// Records that a coordinated write has left nothing at the place of a tie.
    func vacate(_ found: FoundTie) throws(SystemError) {
        guard !found.isLegacy, !found.tie.isVacated else { return }
        try exchange(found, for: found.tie.vacated)
    }

    /// Puts one tie in the place of another one, at the same place in the file tree.
    private func exchange(_ found: FoundTie, for fresh: ItemTie) throws(SystemError) {
        let shelf = TieShelf.ofPlace(found.place)
        try link(fresh, at: found.place, in: TieShelf.ofFile(fresh.identity.inode))
        do {
            try root.rename(shelf + "/" + found.tie.name, to: shelf + "/" + fresh.name)
            unlink(found.tie, in: TieShelf.ofFile(found.identity.inode))
        } catch {
            unlink(fresh, in: TieShelf.ofFile(fresh.identity.inode))
            // Another process did the same.
            guard error.code == ErrorNumber.noSuchFile else { throw error }
        }
    }

    /// Takes over the ties that a program from before the shelves has made.
    func takeOverLegacy(_ view: StoreView) {
        guard let found = try? view.legacyTies() else { return }
        for legacy in found {
            guard (try? make(legacy.tie, at: legacy.place)) != nil else { return }
            remove(legacy)
        }
        try? root.removeSubdirectory(StoreName.ties)
    }

    // MARK: Links

    private func isThere(_ found: FoundTie) -> Bool {
        let shelf = found.isLegacy ? StoreName.ties : TieShelf.ofPlace(found.place)
        return (try? root.status(of: shelf + "/" + found.tie.name)) != nil
    }

    private func link(
        _ tie: ItemTie, at place: ItemPath, in shelf: String
    ) throws(SystemError) {
        // Each turn is lost only to another process that removes the empty shelf.
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
        let wasThere = (try? root.remove(shelf + "/" + tie.name)) != nil
        // Unless others are on it.
        try? root.removeSubdirectory(shelf)
        return wasThere
    }
}
