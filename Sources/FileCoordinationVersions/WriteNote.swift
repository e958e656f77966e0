// SPDX-License-Identifier: Apache-2.0
//
// The note that a process is writing a document which has versions: kept in the store, so that the
// versions follow to what was saved also if the writer dies before it says so.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The note of a coordinated write in the store, for other processes and those that come later.
final class WriteNote: Sendable {
    /// The stored items that the document is.
    let items: Set<StoredItemID>
    /// The place at which they are.
    let place: ItemPath
    private let name: String
    private let folder: Directory
    private let lock: LifeLock?

    private struct Text: Stored {
        var place: [UInt8]
        var items: [String]

        init(place: [UInt8], items: [String]) { (self.place, self.items) = (place, items) }

        init?(_ stored: StoredValue) {
            guard let place = stored[field: "place"]?.bytes,
                let items = stored[field: "items"]?.list(\.text)
            else { return nil }
            self.init(place: place, items: items)
        }

        var stored: StoredValue {
            .object(["place": .bytes(place), "items": .list(items.map { .text($0) })])
        }
    }

    private init(
        items: Set<StoredItemID>, place: ItemPath, name: String, folder: Directory, lock: LifeLock?
    ) {
        self.items = items
        self.place = place
        self.name = name
        self.folder = folder
        self.lock = lock
    }

    /// Leaves a note.
    static func make(
        place: ItemPath, items: Set<StoredItemID>, in folder: Directory
    ) throws(SystemError) -> WriteNote {
        // Each turn is lost only to another process that cleans up at this very instant.
        for _ in 0..<16 {
            let name = StoredItemID().text
            guard let lock = try LifeLock.make(name, in: folder) else { continue }
            try lock.file.write(Text(place: place.bytes, items: items.map(\.text).sorted()))
            return WriteNote(items: items, place: place, name: name, folder: folder, lock: lock)
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "leave a note")
    }

    /// Reads the note `name`; nil if it is gone, or not whole: then its writer had not begun.
    static func read(_ name: String, in folder: Directory, lock: LifeLock? = nil) -> WriteNote? {
        guard let text = folder.read(Text.self, from: name), let place = ItemPath(bytes: text.place)
        else { return nil }
        return WriteNote(
            items: Set(text.items.compactMap { StoredItemID($0) }), place: place, name: name,
            folder: folder, lock: lock)
    }

    /// Takes the note away.
    func remove() { try? folder.remove(name) }
}
