// SPDX-License-Identifier: Apache-2.0
//
// Keeps versions with their document during a coordinated write. Most programs save by writing a
// new file and renaming it into place: then the file is another one, but the document is the same.
// The file system does not distinguish that from deleting the document and making a new one of the
// same name. The options of a coordinated write do.
//
// After a *plain* write (`[]`, `.forMerging`, `.contentIndependentMetadataOnly`), the file at the
// item's path is the same document, however it got there. With `.forReplacing` and `.forDeleting`,
// the item goes. Programs also save with these options, so a new file at the path is taken for the
// same document unless it has versions of its own. If there is no new file, the document was
// deleted. With `.forMoving`, the item is somewhere else afterwards, and this class is not used.

package import FileCoordinationArbiter
import FileCoordinationSystem

/// A coordinated write to one item, from the time before its accessor until the time after it.
///
/// During a plain write, any file at the path counts as the item. If the process dies before it
/// calls ``end()``, the next process that changes the store does that work. For this, a note is
/// kept in the store if the item has versions.
package final class CoordinatedWrite: Sendable {
    /// The effect that the options of a write announce for its item.
    package enum Meaning: Sendable {
        /// The document is the same afterwards, whichever file it is.
        case saving
        /// The item goes, and another one may come.
        case replacing
    }

    package let place: ItemPath
    private let meaning: Meaning
    /// Whether the item was a directory when the write began.
    private let isDirectory: Bool
    private let store: VersionStore
    private let state = Lock(State())

    /// The item's versions as far as they are known.
    private struct State {
        var items: Set<StoredItemID> = []
        var note: WriteNote?
    }

    init(place: ItemPath, meaning: Meaning, isDirectory: Bool = false, store: VersionStore) {
        self.place = place
        self.meaning = meaning
        self.isDirectory = isDirectory
        self.store = store
    }

    /// The stored items to which any file at the path belongs during the write.
    var items: Set<StoredItemID> { meaning == .saving ? state.withLock { $0.items } : [] }

    /// Looks for versions of the item, and writes a note if there are any.
    ///
    /// It is called before the accessor, and again when an item gets its first version.
    func recordVersions(in folders: StoreFolders) {
        guard let now = ItemIdentity(of: place) else { return }
        let found = store.adopt(place, now, in: folders)
        let items = state.withLock { state in
            state.items.formUnion(found)
            return state.items
        }
        let last = state.withLock { $0.note }
        guard meaning == .saving, !items.isEmpty, last?.items != items else { return }
        // Without a note, the versions are only lost to the item if this process dies.
        guard let note = try? WriteNote.make(place: place, items: items, in: folders.writing)
        else { return }
        state.withLock { $0.note = note }
        last?.remove()
    }

    /// Assigns the item's versions to the file that the accessor left, and ends the write.
    ///
    /// A forked child must not call it, because the write belongs to its parent.
    package func end() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        let state = state.withLock { $0 }
        // The items inside a deleted directory were deleted with it.
        let hasContents = isDirectory && meaning == .replacing
        guard !state.items.isEmpty || hasContents && isVacant else { return }
        // The note of a write whose versions cannot be assigned now stays: the next process that
        // changes the store tries again.
        var isDone = false
        defer { if isDone { state.note?.remove() } }
        // The write itself has succeeded.
        guard let folders = try? StoreFolders.open(store.path, creating: false) else { return }
        // The claim is still held, so no other program saves the item between these calls.
        if let now = ItemIdentity(of: place) {
            switch meaning {
            case .saving:
                do throws(SystemError) {
                    try store.retie(place, from: nil, items: state.items, to: now, in: folders)
                } catch {
                    // For example, the device is full.
                    return
                }
            case .replacing: _ = store.adopt(place, now, in: folders)
            }
        } else if isVacant {
            store.vacate(place, items: state.items, in: folders)
            if hasContents { store.vacate(inside: place, in: folders) }
        }
        isDone = true
    }

    private var isVacant: Bool {
        do throws(SystemError) {
            _ = try FileStatus(path: place.bytes, followLinks: false)
            return false
        } catch {
            // With another error, it is unknown whether the item exists.
            return error.code == ErrorNumber.noSuchFile
                // If its directory is not there either, that was moved, and the item with it.
                && (try? FileStatus(path: place.parent.bytes, followLinks: false)) != nil
        }
    }

    /// Ends the write as if the process had been killed; for tests.
    package func abandon() {
        store.writes.withLock { $0.removeAll { $0 === self } }
        state.withLock { $0.note = nil }
    }
}

extension WritingOptions {
    /// The effect that a write with these options announces, or nil if it moves the item.
    package var versions: CoordinatedWrite.Meaning? {
        guard !contains(.moving) else { return nil }
        return isDeletion && !contains(.merging) ? .replacing : .saving
    }
}
