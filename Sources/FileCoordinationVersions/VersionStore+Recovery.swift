// SPDX-License-Identifier: Apache-2.0
//
// Finishes the work of processes that died. Every change of the store begins with this. If there is
// nothing to do, it costs three listings of empty directories.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileTree

extension VersionStore {
    /// Finishes the work of processes that died.
    ///
    /// Every change of the store does this, but no read. Call it also when a writer is known to
    /// have died: the sooner its document is examined, the less can have happened to it.
    package func recover() { _ = try? openIfThere() }

    /// Finishes or removes the work of dead processes.
    ///
    /// What fails is left for the next time.
    func recover(_ folders: StoreFolders) {
        // What fails is left for the next time; here and below.
        for workspace in (try? Workspace.seizeAll(in: folders.work)) ?? [] {
            do {
                try finish(workspace, in: folders)
                // The item was made for its first version, which was not added (rule 3 of the
                // store).
                if let item = StoredItemID(workspace.id) {
                    removeIfEmpty(item, at: nil, in: folders)
                }
                try workspace.discard()
            } catch {
                continue
            }
        }
        // What cannot be listed is removed by a later recovery.
        for name in (try? folders.removed.names()) ?? [] {
            TreeRemoval.remove(Array(name.utf8), from: folders.removed.descriptor)
        }
        recoverWrites(folders)
    }

    private func finish(
        _ workspace: Workspace, in folders: StoreFolders
    ) throws(SystemError) {
        // An intention that this program cannot read may describe the only copy of something, so
        // its workspace is kept.
        switch try workspace.directory.readIfThere(Intention.self, from: Intention.name) {
        case nil: return
        case .adding(let adding):
            guard let added = try VersionAddition.finish(adding, workspace, self, folders),
                let place = ItemPath(bytes: adding.place)
            else { return }
            VersionChanges.report(VersionChange(.gained, of: place, added))
        case .replacing(let replacing):
            try VersionReplacement.finish(replacing, self, in: folders)
        }
    }

    /// Changes the ties at a path from one identity to another, as after saving.
    ///
    /// - Parameters:
    ///   - place: the path.
    ///   - old: the identity whose ties change.
    ///   - items: the stored items whose ties change whatever their identity.
    ///   - new: the identity that they get.
    ///   - newPlace: the path that they get; nil for `place`.
    ///   - folders: the store's open directories.
    /// - Throws: ``SystemError`` if ties cannot be read or changed.
    func retie(
        _ place: ItemPath, from old: ItemIdentity?, items: Set<StoredItemID> = [],
        to new: ItemIdentity, at newPlace: ItemPath? = nil, in folders: StoreFolders
    ) throws(SystemError) {
        // An item that was moved away from there keeps its ties.
        for tie in try folders.view.ties(at: place)
        where tie.identity.compared(with: new) == .different {
            guard items.contains(tie.item) || tie.identity == old else { continue }
            try folders.ties.replace(tie, by: new, at: newPlace ?? place)
        }
    }

    /// Records that a coordinated write left no file at the path of these items.
    func vacate(_ place: ItemPath, items: Set<StoredItemID>, in folders: StoreFolders) {
        // A tie that stays leads to a path without an item, which is seen there.
        for tie in (try? folders.view.ties(at: place)) ?? [] where items.contains(tie.item) {
            try? folders.ties.vacate(tie)
        }
    }

    /// Records that a coordinated write has deleted a directory with everything inside.
    func vacate(inside place: ItemPath, in folders: StoreFolders) {
        // A tie that stays leads to a path without an item, which is seen there.
        for tie in (try? folders.view.allTies()) ?? [] where place.contains(tie.place) {
            // If this fails, the tie stays, as above.
            try? folders.ties.vacate(tie)
        }
    }
}
