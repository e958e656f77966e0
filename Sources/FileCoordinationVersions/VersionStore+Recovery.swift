// SPDX-License-Identifier: Apache-2.0
//
// Putting right what dead processes left. It is no occasion of its own: every change of the store
// begins with it, and where nothing was left it costs three listings of empty directories.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileTree

extension VersionStore {
    /// Puts right what dead processes left.
    ///
    /// Every change of the store does so, and no read. To be called, too, when a writer is known to
    /// have died: the sooner its document is looked at, the less can have happened to it.
    package func recover() { _ = try? openIfThere() }

    /// Finishes or removes what dead processes left; what cannot be done is left for the next time.
    func recover(_ folders: StoreFolders) {
        folders.ties.takeOverLegacy(folders.view)
        for workspace in (try? Workspace.seizeAll(in: folders.work)) ?? [] {
            do {
                try finish(workspace, in: folders)
                // It was made for the first version, which did not come (rule 3 of the store).
                if let item = StoredItemID(workspace.id),
                    (try? folders.items.removeSubdirectory(item.text)) != nil
                {
                    removeTies(of: item, at: nil, in: folders)
                }
                try workspace.discard()
            } catch {
                continue
            }
        }
        for name in (try? folders.removed.names()) ?? [] {
            TreeRemoval.remove(Array(name.utf8), from: folders.removed.descriptor)
        }
        recoverWrites(folders)
    }

    private func finish(
        _ workspace: Workspace, in folders: StoreFolders
    ) throws(SystemError) {
        // An intention that cannot be read, now or by this program, may be about the only copy of
        // something: then the workspace stays.
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

    /// Lets ties go over from one identity to another at a place, as saving does.
    ///
    /// - Parameter items: those that were the item's whatever the identity.
    func retie(
        _ place: ItemPath, from old: ItemIdentity?, items: Set<StoredItemID> = [],
        to new: ItemIdentity, at newPlace: ItemPath? = nil, in folders: StoreFolders
    ) throws(SystemError) {
        // What was moved away from there is the item elsewhere.
        for tie in try folders.view.ties(at: place)
        where tie.identity.compared(with: new) == .different {
            guard items.contains(tie.item) || tie.identity == old else { continue }
            try folders.ties.replace(tie, by: new, at: newPlace ?? place)
        }
    }

    /// Records that a coordinated write has left nothing where these items were.
    func vacate(_ place: ItemPath, items: Set<StoredItemID>, in folders: StoreFolders) {
        for tie in (try? folders.view.ties(at: place)) ?? [] where items.contains(tie.item) {
            try? folders.ties.vacate(tie)
        }
    }
}
