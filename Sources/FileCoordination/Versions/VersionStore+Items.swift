// SPDX-License-Identifier: Apache-2.0
//
// Finding the stored items that a file is. A version belongs to the item for which it was made: if
// that was deleted, a file that takes its name has no versions. But the document that a coordinated
// write leaves in its place is the same document, also where the file is another one.

import FileCoordinationArbiter
import FileCoordinationSystem

extension VersionStore {
    /// The stored items that the file at `place` is; mostly none or one.
    ///
    /// Two, if two processes added the first versions at once. Ties that are behind the times are
    /// put right on the way, and those that lead nowhere are removed.
    func items(
        at place: ItemPath, _ identity: ItemIdentity, in folders: StoreFolders
    ) -> [StoredItemID] {
        let saved = itemsBeingSaved(at: place, in: folders)
        let inode = saved.isEmpty ? identity.inode : nil
        guard let ties = try? folders.ties.ties(inode: inode) else { return [] }
        var items: [StoredItemID] = []
        for tie in ties {
            guard belongs(tie, to: place, identity, saved, in: folders) else { continue }
            guard (try? folders.items.status(of: tie.item.text)) != nil else {
                try? folders.ties.remove(tie.name)
                continue
            }
            if !items.contains(tie.item) { items.append(tie.item) }
        }
        return items
    }

    /// Whether `tie` is the tie of the file at `place`; puts it right if it is.
    private func belongs(
        _ tie: ItemTie, to place: ItemPath, _ identity: ItemIdentity, _ saved: Set<StoredItemID>,
        in folders: StoreFolders
    ) -> Bool {
        let comparison = tie.identity.compared(with: identity)
        // By far most ties are other files', and cost no more than this.
        guard comparison != .different || saved.contains(tie.item),
            let last = folders.ties.place(of: tie)
        else { return false }
        switch comparison {
        case .different, .perhaps:
            guard last == place else { return false }
        case .same:
            // Of two names of one file the first one stays.
            if last != place, leads(last, to: tie.identity) { return true }
        case .sameElsewhere:
            // Devices may be numbered anew at every start; a copy of a whole file system has other
            // devices, and the same identities on it as the original.
            guard last == place || !leads(last, to: tie.identity) else { return false }
        }
        try? folders.ties.replace(tie, by: identity, at: place)
        return true
    }

    /// Where the item is: at `place`, where it was when somebody asked for its versions, or else
    /// where its file was last seen; nil if it is at neither.
    func place(of item: StoredItemID, lastKnown place: ItemPath) -> ItemPath? {
        guard let folders = try? StoreFolders.open(path, creating: false) else { return nil }
        if let identity = ItemIdentity(of: place),
            items(at: place, identity, in: folders).contains(item)
        {
            return place
        }
        for tie in (try? folders.ties.ties()) ?? [] where tie.item == item {
            if let last = folders.ties.place(of: tie), leads(last, to: tie.identity) {
                return last
            }
        }
        return nil
    }

    /// Whether the file of `identity` is still at `place`.
    func leads(_ place: ItemPath, to identity: ItemIdentity) -> Bool {
        ItemIdentity(of: place).map { $0.compared(with: identity) != .different } ?? false
    }
}
