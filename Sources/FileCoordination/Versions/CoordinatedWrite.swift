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
    private let state = Lock(State())

    /// What is known of the item's versions.
    private struct State {
        var items: Set<StoredItemID> = []
        var note: WriteNote?
    }

    init(place: ItemPath, store: VersionStore) {
        self.place = place
        self.store = store
    }

    /// The stored items that were the item's at some time of the write.
    var items: Set<StoredItemID> { state.withLock { $0.items } }

    /// Looks for versions of the item, and leaves a note if there are any.
    ///
    /// Called before the accessor, and again when an item got its first version.
    func lookForVersions(in folders: StoreFolders) {
        guard let now = ItemIdentity(of: place) else { return }
        let found = store.adopt(place, now, in: folders)
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

    /// Lets the item's versions follow to what the accessor left, and ends the write.
    ///
    /// Not in a forked child: the write is its parent's.
    package func end() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        let state = state.withLock { $0 }
        guard !state.items.isEmpty else { return }
        defer { state.note?.remove() }
        guard let folders = try? StoreFolders.open(store.path, creating: false) else { return }
        // Under the claim, so nothing else saves the item between the look and the change.
        if let now = ItemIdentity(of: place) {
            try? store.retie(place, from: nil, items: state.items, to: now, in: folders)
        } else if isVacant {
            store.vacate(place, items: state.items, in: folders)
        }
    }

    private var isVacant: Bool {
        do throws(SystemError) {
            _ = try FileStatus(path: place.bytes, followLinks: false)
            return false
        } catch {
            // Another error says nothing of the item.
            return error.code == ErrorNumber.noSuchFile
        }
    }

    /// Stops here, as a killed process would; for tests.
    package func abandon() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        state.withLock { $0.note = nil }
    }
}
