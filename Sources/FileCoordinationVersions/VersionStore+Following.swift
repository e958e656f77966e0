// SPDX-License-Identifier: Apache-2.0
//
// Keeps versions with their item when a coordinated write replaces its file, and when it is moved.

package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

extension VersionStore {
    /// Records the beginning of a coordinated write to the item at `place`.
    ///
    /// Call it before the accessor runs. Call ``CoordinatedWrite/end()`` after the accessor has
    /// returned and before the claim is released. It costs three system calls unless the item has
    /// versions.
    ///
    /// - Parameters:
    ///   - place: the path of the item.
    ///   - meaning: what the write says about the item.
    ///   - mayHaveVersions: false if the item is known to have no versions. If one is added
    ///     meanwhile, the write is told.
    /// - Returns: the write.
    package func beginWriting(
        at place: ItemPath, _ meaning: CoordinatedWrite.Meaning = .saving,
        mayHaveVersions: Bool = true
    ) -> CoordinatedWrite {
        var status: FileStatus?
        if mayHaveVersions || meaning == .replacing {
            // Without a file, there are no versions to follow it.
            status = try? FileStatus(path: place.bytes, followLinks: false)
        }
        let write = CoordinatedWrite(
            place: place, meaning: meaning, isDirectory: status?.kind == .directory, store: self)
        writes.withLock { $0.append(write) }
        if mayHaveVersions,
            let status,
            // A store that cannot be opened must not prevent the write.
            self.mayHaveVersions(at: place, status), let folders = try? openIfThere()
        {
            write.recordVersions(in: folders)
        }
        return write
    }

    /// Tells the writes of this process to the item at `place` that the item has versions now.
    func tieWasMade(at place: ItemPath, in folders: StoreFolders) {
        Session.itemGotVersions(at: place, in: self)
        for write in writes.withLock({ $0 }) where write.place == place {
            write.recordVersions(in: folders)
        }
    }

    /// The stored items to which the document at `place` belongs because a process is writing it.
    func itemsBeingWritten(at place: ItemPath, in view: StoreView) -> Set<StoredItemID> {
        // Writes of other processes count too: they may list versions while this process's
        // presenters are told.
        writes.withLock { $0 }.filter { $0.place == place }.reduce(
            into: view.itemsBeingWritten(at: place)
        ) { $0.formUnion($1.items) }
    }

    /// Assigns versions to documents whose writers died.
    func recoverWrites(_ folders: StoreFolders) {
        // What cannot be read now is recovered when the store is changed next.
        for name in (try? folders.writing.names()) ?? [] {
            // Its process lives, or another one recovers it now.
            guard let lock = try? LifeLock.seize(name, in: folders.writing) else { continue }
            if let note = WriteNote.read(name, in: folders.writing, lock: lock),
                !recover(note, in: folders)
            {
                continue
            }
            // A note that cannot be removed is handled again by the next recovery.
            try? folders.writing.remove(name)
        }
    }

    /// Returns whether the versions are assigned, or there is no item to assign them to.
    private func recover(_ note: WriteNote, in folders: StoreFolders) -> Bool {
        var last: ItemIdentity?
        // This process has no claim, so another one may save the item at the same time.
        for _ in 0..<16 {
            guard let now = ItemIdentity(of: note.place), now != last else { return true }
            do throws(SystemError) {
                try retie(note.place, from: nil, items: note.items, to: now, in: folders)
            } catch {
                return false
            }
            last = now
        }
        return true
    }

    // MARK: Moves

    /// Records that a coordinated write moved an item with everything inside.
    ///
    /// On one file system, the versions find their items by identity. Only this call connects them
    /// with new files (Rule 11.2): after a move to another file system, and if a program has
    /// replaced the file before the move and nothing has told the store.
    package func itemDidMove(from old: ItemPath, to new: ItemPath) {
        // A store that cannot be opened must not prevent the move.
        guard let folders = try? StoreFolders.open(path, creating: false) else { return }
        let isDirectory =
            // If the item does not exist any more, only its own ties are examined.
            (try? FileStatus(path: new.bytes, followLinks: false))?.kind == .directory
        // Without ties, nothing follows. The versions stay, as those of an item that is gone.
        let ties = isDirectory ? try? folders.view.allTies() : try? folders.view.ties(at: old)
        // If several items had the same name one after the other, the last one was moved. It comes
        // first.
        for tie in (ties ?? []).sorted(by: { $0.identity.born > $1.identity.born }) {
            guard let place = tie.place.moved(from: old, to: new),
                let identity = ItemIdentity(of: place)
            else { continue }
            switch identity.compared(with: tie.identity) {
            case .same, .sameElsewhere, .perhaps: break
            case .different:
                // As at a path that was not moved: the document was not deleted, and its former
                // file is nowhere else.
                guard !leads(tie.place, to: tie.identity), isLeftBehind(tie, by: identity),
                    ownTies(at: place, identity, in: folders.view).isEmpty
                else { continue }
            }
            // The versions still find the item by its identity, if it has kept that.
            try? folders.ties.replace(tie, by: identity, at: place)
        }
    }
}

extension ItemPath {
    /// The path after a move of what is at this path, or nil if the move does not concern it.
    fileprivate func moved(from old: ItemPath, to new: ItemPath) -> ItemPath? {
        guard self == old || old.contains(self) else { return nil }
        return ItemPath(components: new.components + components.dropFirst(old.depth))
    }
}
