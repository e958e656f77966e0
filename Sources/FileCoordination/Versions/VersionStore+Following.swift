// SPDX-License-Identifier: Apache-2.0
//
// How versions stay with their item: through coordinated writes that leave another file in its
// place, and through moves.

package import FileCoordinationArbiter
import FileCoordinationSystem

extension VersionStore {
    /// Notes that a plain coordinated write to the item at `place` begins.
    ///
    /// To be called before the accessor runs, and ``CoordinatedWrite/end()`` after it has returned
    /// and before the claim is released. Costs a look at the item, and a listing of the store's
    /// ties, if there is a store.
    ///
    /// - Parameter hasTies: whether there is such a store, if that is known.
    package func beginWriting(at place: ItemPath, hasTies: Bool? = nil) -> CoordinatedWrite {
        let write = CoordinatedWrite(place: place, store: self, hasTies: hasTies ?? self.hasTies)
        writes.withLock { $0.append(write) }
        if write.mayHaveVersions(), let folders = try? StoreFolders.open(path, creating: false) {
            write.lookForVersions(in: folders)
        }
        return write
    }

    /// Tells the writes of this process to the item at `place` that it has versions now.
    func tieWasMade(at place: ItemPath, in folders: StoreFolders) {
        Session.existing?.delegated.place(at: place)?.writer?.keepVersions(in: self)
        for write in writes.withLock({ $0 }) where write.place == place {
            write.lookForVersions(in: folders)
        }
    }

    /// Notes that the item at `place` has become another file, but is the same document.
    ///
    /// For whoever knows that better than the file system and has no ``CoordinatedWrite``, such as
    /// a watcher to whom the kernel reports a rename onto the place.
    ///
    /// - Parameter previous: what the item was before.
    package func itemWasReplaced(at place: ItemPath, previous: ItemIdentity) {
        guard let now = ItemIdentity(of: place), now != previous,
            let folders = try? StoreFolders.open(path, creating: false)
        else { return }
        try? retie(place, from: previous, to: now, in: folders)
    }

    /// The stored items that are the document at `place` because somebody writes it right now.
    func itemsBeingSaved(at place: ItemPath, in folders: StoreFolders) -> Set<StoredItemID> {
        // In other processes too: they may list versions while this one's presenters are told.
        let notes = ((try? folders.writing.names()) ?? []).compactMap {
            WriteNote.read($0, in: folders.writing)
        }
        let writes = writes.withLock { $0 }
        return Set(notes.filter { $0.place == place }.flatMap(\.items))
            .union(writes.filter { $0.place == place }.flatMap(\.items))
    }

    /// Lets the versions follow that a dead writer's document has.
    func settleWrites(_ folders: StoreFolders) {
        for name in (try? folders.writing.names()) ?? [] {
            guard let lock = try? LifeLock.seize(name, in: folders.writing) else { continue }
            if let note = WriteNote.read(name, in: folders.writing, lock: lock),
                let now = ItemIdentity(of: note.place)
            {
                try? retie(note.place, from: nil, items: note.items, to: now, in: folders)
            }
            try? folders.writing.remove(name)
        }
    }

    /// Notes that an item was moved by a coordinated write; what is inside it moved along.
    ///
    /// On one file system the versions find their items by themselves; across file systems they are
    /// other files, and only this tells (Rule 11.2).
    package func itemDidMove(from old: ItemPath, to new: ItemPath) {
        guard let folders = try? StoreFolders.open(path, creating: false),
            let ties = try? folders.ties.ties()
        else { return }
        // Of items that had the same name one after the other, the last one was moved: first.
        for tie in ties.sorted(by: { $0.identity.born > $1.identity.born }) {
            guard let last = folders.ties.place(of: tie),
                let place = last.moved(from: old, to: new),
                let identity = ItemIdentity(of: place)
            else { continue }
            switch identity.compared(with: tie.identity) {
            case .same, .sameElsewhere, .perhaps: break
            case .different:
                guard identity.device != tie.identity.device, !leads(last, to: tie.identity),
                    items(at: place, identity, in: folders).isEmpty
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
