// SPDX-License-Identifier: Apache-2.0
//
// How versions stay with their item: through coordinated writes that leave another file in its
// place, and through moves.

package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

extension VersionStore {
    /// Records that a coordinated write to the item at `place` begins.
    ///
    /// To be called before the accessor runs, and ``CoordinatedWrite/end()`` after it has returned
    /// and before the claim is released. Costs three looks, unless the item has versions.
    ///
    /// - Parameters:
    ///   - meaning: what the write says of the item.
    ///   - mayHaveVersions: false if the item is known to have none; one that is added meanwhile
    ///     makes itself known.
    package func beginWriting(
        at place: ItemPath, _ meaning: CoordinatedWrite.Meaning = .saving,
        mayHaveVersions: Bool = true
    ) -> CoordinatedWrite {
        let write = CoordinatedWrite(place: place, meaning: meaning, store: self)
        writes.withLock { $0.append(write) }
        if mayHaveVersions,
            let status = try? FileStatus(path: place.bytes, followLinks: false),
            self.mayHaveVersions(at: place, status), let folders = try? openIfThere()
        {
            write.recordVersions(in: folders)
        }
        return write
    }

    /// Tells the writes of this process to the item at `place` that it has versions now.
    func tieWasMade(at place: ItemPath, in folders: StoreFolders) {
        Session.itemGotVersions(at: place, in: self)
        for write in writes.withLock({ $0 }) where write.place == place {
            write.recordVersions(in: folders)
        }
    }

    /// Records that the item at `place` has become another file, but is the same document.
    ///
    /// For callers that know it better than the file system and have no ``CoordinatedWrite``, such
    /// as a watcher to whom the kernel reports a rename onto the place.
    ///
    /// - Parameter previous: what the item was before.
    package func itemWasReplaced(at place: ItemPath, previous: ItemIdentity) {
        guard let now = ItemIdentity(of: place), now != previous,
            let folders = try? openIfThere()
        else { return }
        try? retie(place, from: previous, to: now, in: folders)
    }

    /// The stored items that the document at `place` is because of a write that is under way.
    func itemsBeingWritten(at place: ItemPath, in view: StoreView) -> Set<StoredItemID> {
        // In other processes too: they may list versions while this one's presenters are told.
        writes.withLock { $0 }.filter { $0.place == place }.reduce(
            into: view.itemsBeingWritten(at: place)
        ) { $0.formUnion($1.items) }
    }

    /// Lets the versions follow that a dead writer's document has.
    func recoverWrites(_ folders: StoreFolders) {
        for name in (try? folders.writing.names()) ?? [] {
            guard let lock = try? LifeLock.seize(name, in: folders.writing) else { continue }
            if let note = WriteNote.read(name, in: folders.writing, lock: lock) {
                recover(note, in: folders)
            }
            try? folders.writing.remove(name)
        }
    }

    private func recover(_ note: WriteNote, in folders: StoreFolders) {
        var last: ItemIdentity?
        // This process has no claim on the item: another one may save it at the same time.
        for _ in 0..<16 {
            guard let now = ItemIdentity(of: note.place), now != last else { return }
            try? retie(note.place, from: nil, items: note.items, to: now, in: folders)
            last = now
        }
    }

    // MARK: Moves

    /// Records that an item was moved by a coordinated write; what is inside it moved along.
    ///
    /// On one file system the versions find their items by themselves; across file systems they are
    /// other files, and only this tells (Rule 11.2).
    package func itemDidMove(from old: ItemPath, to new: ItemPath) {
        guard let folders = try? StoreFolders.open(path, creating: false) else { return }
        folders.ties.takeOverLegacy(folders.view)
        let isDirectory =
            (try? FileStatus(path: new.bytes, followLinks: false))?.kind == .directory
        let ties = isDirectory ? try? folders.view.allTies() : try? folders.view.ties(at: old)
        // Of items that had the same name one after the other, the last one was moved: first.
        for tie in (ties ?? []).sorted(by: { $0.identity.born > $1.identity.born }) {
            guard let place = tie.place.moved(from: old, to: new),
                let identity = ItemIdentity(of: place)
            else { continue }
            switch identity.compared(with: tie.identity) {
            case .same, .sameElsewhere, .perhaps: break
            case .different:
                guard identity.device != tie.identity.device,
                    !leads(tie.place, to: tie.identity),
                    ownTies(at: place, identity, in: folders.view).isEmpty
                else { continue }
            }
            try? folders.ties.replace(tie, by: identity, at: place)
        }
    }
}

extension ItemPath {
    /// Where what is at this path is after a move; nil if the move does not concern it.
    fileprivate func moved(from old: ItemPath, to new: ItemPath) -> ItemPath? {
        guard self == old || old.contains(self) else { return nil }
        return ItemPath(components: new.components + components.dropFirst(old.depth))
    }
}
