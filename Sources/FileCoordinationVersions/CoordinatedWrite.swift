// SPDX-License-Identifier: Apache-2.0
//
// Most programs save by writing a new file and renaming it into place: the file is another one, the
// document is the same. Nothing in the file system tells that from deleting the document and making
// a new one of the same name. A coordinated write does: what a *plain* one (`[]`, `.forMerging`,
// `.contentIndependentMetadataOnly`) leaves at its own place is the item it was asked for, however
// it got there. `.forReplacing` and `.forDeleting` say that the item goes: what they leave is
// another file, which is inferred to be the document unless it has versions of its own, since
// programs save with these options, too; if they leave nothing, the document certainly is deleted.
// `.forMoving` says that the item is somewhere else afterwards: no object of this class.

package import FileCoordinationArbiter
import FileCoordinationSystem

/// A coordinated write to one item, from before its accessor until after it.
///
/// While a plain one lasts, whatever is at the place counts as the item. If the process dies before
/// ``end()``, the next one that changes the store does what it would have done: of an item that has
/// versions a note is kept in the store.
package final class CoordinatedWrite: Sendable {
    /// What a write says of its item.
    package enum Meaning: Sendable {
        /// It is the same document afterwards, whatever file that is.
        case saving
        /// It goes, and another one may come.
        case replacing
    }

    package let place: ItemPath
    private let meaning: Meaning
    private let store: VersionStore
    private let state = Lock(State())

    /// What is known of the item's versions.
    private struct State {
        var items: Set<StoredItemID> = []
        var note: WriteNote?
    }

    init(place: ItemPath, meaning: Meaning, store: VersionStore) {
        self.place = place
        self.meaning = meaning
        self.store = store
    }

    /// The stored items that whatever is at the place is while the write lasts.
    var items: Set<StoredItemID> { meaning == .saving ? state.withLock { $0.items } : [] }

    /// Looks for versions of the item, and leaves a note if there are any.
    ///
    /// Called before the accessor, and again when an item got its first version.
    func recordVersions(in folders: StoreFolders) {
        guard let now = ItemIdentity(of: place) else { return }
        let found = store.adopt(place, now, in: folders)
        let items = state.withLock { state in
            state.items.formUnion(found)
            return state.items
        }
        let last = state.withLock { $0.note }
        guard meaning == .saving, !items.isEmpty, last?.items != items else { return }
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
            switch meaning {
            case .saving:
                try? store.retie(place, from: nil, items: state.items, to: now, in: folders)
            case .replacing: _ = store.adopt(place, now, in: folders)
            }
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

extension WritingOptions {
    /// What a write with these options says of its item's versions; nil for one that moves it.
    package var versions: CoordinatedWrite.Meaning? {
        guard !contains(.moving) else { return nil }
        return isDeletion && !contains(.merging) ? .replacing : .saving
    }
}
