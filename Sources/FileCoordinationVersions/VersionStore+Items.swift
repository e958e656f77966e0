// SPDX-License-Identifier: Apache-2.0
//
// Finds the stored items to which a file belongs. Two facts are certain: a version belongs to the
// file for which it was made, wherever that is moved, and to the file that a coordinated write
// leaves in its place. One is inferred: if the file is gone, and another file at its path belongs
// to nothing else in the store, that file is the same document, saved by a program that does not
// coordinate.

package import FileCoordinationArbiter
package import FileCoordinationSystem

extension VersionStore {
    /// The stored items to which the file at `place` belongs; usually none or one.
    ///
    /// There are two if two processes added the first versions at the same time. This changes
    /// nothing.
    func items(
        at place: ItemPath, _ identity: ItemIdentity, in view: StoreView
    ) -> [StoredItemID] {
        Self.items(of: ties(at: place, identity, in: view))
    }

    static func items(of ties: [FoundTie]) -> [StoredItemID] {
        ties.reduce(into: []) { items, tie in
            if !items.contains(tie.item) { items.append(tie.item) }
        }
    }

    /// The ties of the file at `place`, or, if it has none, those of the file that was there
    /// before.
    func ties(
        at place: ItemPath, _ identity: ItemIdentity, in view: StoreView
    ) -> [FoundTie] {
        let candidates = candidates(at: place, identity, in: view).filter { view.hasItem($0.item) }
        guard !candidates.isEmpty else { return [] }
        let own = ownTies(among: candidates, at: place, identity, in: view)
        guard own.isEmpty else { return own }
        return candidates.filter { $0.place == place && isLeftBehind($0, by: identity) }
    }

    /// The ties that certainly belong to the file at `place`.
    func ownTies(
        at place: ItemPath, _ identity: ItemIdentity, in view: StoreView
    ) -> [FoundTie] {
        let candidates = candidates(at: place, identity, in: view).filter { view.hasItem($0.item) }
        return candidates.isEmpty
            ? [] : ownTies(among: candidates, at: place, identity, in: view)
    }

    /// Whether the file at `place` may have versions.
    ///
    /// For most files the answer is no, with the least work.
    package func mayHaveVersions(at place: ItemPath, _ status: FileStatus) -> Bool {
        [TieShelf.ofPlace(place), TieShelf.ofFile(status.inode)].contains {
            // No entry, no versions. A store that cannot be searched cannot be opened either.
            (try? FileStatus(path: path + "/" + $0)) != nil
        }
    }

    private func candidates(
        at place: ItemPath, _ identity: ItemIdentity, in view: StoreView
    ) -> [FoundTie] {
        // Ties that cannot be read lead to no items, here and below.
        var found = (try? view.ties(at: place)) ?? []
        found += ((try? view.ties(ofFile: identity.inode)) ?? []).filter { !found.contains($0) }
        return found
    }

    private func ownTies(
        among candidates: [FoundTie], at place: ItemPath, _ identity: ItemIdentity,
        in view: StoreView
    ) -> [FoundTie] {
        let written = itemsBeingWritten(at: place, in: view)
        return candidates.filter { tie in
            switch tie.identity.compared(with: identity) {
            case .same: true
            // The device number may change at a reboot. A copy of a file system also has another
            // device number, but has the same identities.
            case .sameElsewhere: tie.place == place || !leads(tie.place, to: tie.identity)
            // Inode numbers are used again.
            case .perhaps: tie.place == place && !tie.tie.isVacated
            case .different: tie.place == place && written.contains(tie.item)
            }
        }
    }

    /// Whether the file of `tie` is gone, and the file with `identity` has taken its path.
    func isLeftBehind(_ tie: FoundTie, by identity: ItemIdentity) -> Bool {
        switch tie.identity.compared(with: identity) {
        case .same, .sameElsewhere, .perhaps: false
        // The versions of a file that was moved away are at its new path.
        case .different: !tie.tie.isVacated && !FileSearch.finds(tie.identity, around: tie.place)
        }
    }

    // MARK: For changes

    /// Finds the stored items to which the file at `place` belongs, and corrects their ties.
    ///
    /// It is for processes that are about to change the item or its versions, not for readers.
    func adopt(
        _ place: ItemPath, _ identity: ItemIdentity, in folders: StoreFolders
    ) -> [StoredItemID] {
        for tie in candidates(at: place, identity, in: folders.view)
        where folders.view.isMissing(tie.item) {
            folders.ties.remove(tie)
        }
        let found = ties(at: place, identity, in: folders.view)
        // The caller may be finishing the work of a dead process, whose identity of the item may be
        // out of date.
        if ItemIdentity(of: place) == identity {
            for tie in found where !isOtherName(tie, of: identity, than: place) {
                // The old tie stays, and leads to the item as long as its path is the same.
                try? folders.ties.replace(tie, by: identity, at: place)
            }
        }
        return Self.items(of: found)
    }

    /// Whether the file still has the name in the tie.
    ///
    /// If it has two names, the tie keeps the first one.
    private func isOtherName(
        _ tie: FoundTie, of identity: ItemIdentity, than place: ItemPath
    ) -> Bool {
        tie.place != place && tie.identity.compared(with: identity) == .same
            && leads(tie.place, to: tie.identity)
    }

    // MARK: Where things are

    /// The present path of the item: `place`, where it was when its versions were asked for, or
    /// else where its file was last seen.
    ///
    /// Returns nil if it is at neither.
    package func place(of item: StoredItemID, lastKnown place: ItemPath) -> ItemPath? {
        guard let view = viewIfReadable else { return nil }
        if let identity = ItemIdentity(of: place),
            items(at: place, identity, in: view).contains(item)
        {
            return place
        }
        // Ties that cannot be read lead to no places.
        return (try? view.allTies())?.first {
            $0.item == item && leads($0.place, to: $0.identity)
        }?.place
    }

    /// Whether the file with `identity` is still at `place`.
    func leads(_ place: ItemPath, to identity: ItemIdentity) -> Bool {
        ItemIdentity(of: place).map { $0.compared(with: identity) != .different } ?? false
    }
}
