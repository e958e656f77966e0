// SPDX-License-Identifier: Apache-2.0
//
// Most programs save by writing a new file and renaming it into place: the file is another one, the
// document is the same. Nothing in the file system tells that from deleting the document and making
// a new one of the same name. A coordinated write does: what a *plain* one (`[]`, `.forMerging`,
// `.contentIndependentMetadataOnly`) leaves at its own place is the item it was asked for, however
// it got there. `.forReplacing` and `.forDeleting` say that the item goes, `.forMoving` that it is
// somewhere else afterwards; for them there is no such rule, and no object of this class.

import FileCoordinationArbiter
import FileCoordinationSystem

/// A plain coordinated write to one item, from before its accessor until after it.
///
/// While it lasts, whatever is at the place counts as the item. If the process dies before
/// ``end()``, the next one that uses the store does what it would have done: of an item that has
/// versions a note is kept in the store.
package final class CoordinatedWrite: Sendable {
    let place: ItemPath
    private let store: VersionStore
    private let identity: ItemIdentity?
    private let state = Lock(State())

    /// What is known of the item's versions.
    private struct State {
        var items: Set<StoredItemID> = []
        var note: WriteNote?
    }

    init(place: ItemPath, store: VersionStore, hasTies: Bool) {
        self.place = place
        self.store = store
        // Where nobody has ever kept a version there is nothing to carry over; a version that is
        // added meanwhile makes itself known (see ``lookForVersions(in:)``).
        identity = hasTies ? ItemIdentity(of: place) : nil
    }

    /// The stored items that were the item's at some time of the write.
    var items: Set<StoredItemID> { state.withLock { $0.items } }

    /// Looks for versions of the item, and leaves a note if there are any.
    ///
    /// Called before the accessor, and again when an item got its first version.
    func lookForVersions(in folders: StoreFolders) {
        guard let now = ItemIdentity(of: place) else { return }
        let found = store.items(at: place, now, in: folders)
        let items = state.withLock { state in
            state.items.formUnion(found)
            return state.items
        }
        let last = state.withLock { $0.note }
        guard !items.isEmpty, last?.items != items else { return }
        // Without a note the versions still follow, unless this process dies.
        guard let note = try? WriteNote.make(place: place, items: items, in: folders.writing)
        else { return }
        state.withLock { $0.note = note }
        last?.remove()
    }

    /// Whether the item may have versions; for most items the cheapest answer is no.
    func mayHaveVersions() -> Bool {
        guard let identity, let ties = try? Directory.open(store.path + "/" + StoreName.ties),
            let names = try? ties.names(), !names.isEmpty
        else { return false }
        let start = ItemTie.namePrefix(inode: identity.inode)
        return names.contains { $0.hasPrefix(start) }
    }

    /// Lets the item's versions follow to what the accessor left, and ends the write.
    ///
    /// Not in a forked child: the write is its parent's.
    package func end() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        let state = state.withLock { $0 }
        defer { state.note?.remove() }
        guard identity != nil || !state.items.isEmpty, let now = ItemIdentity(of: place),
            now != identity, let folders = try? StoreFolders.open(store.path, creating: false)
        else { return }
        try? store.retie(place, from: identity, items: state.items, to: now, in: folders)
    }

    /// Stops here, as a killed process would; for tests.
    package func abandon() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        state.withLock { $0.note = nil }
    }
}
