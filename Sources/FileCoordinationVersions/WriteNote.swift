// SPDX-License-Identifier: Apache-2.0
//
// A note in the store that a process is writing a document with versions. If the writer dies,
// another process uses the note to assign the versions to the saved file.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// A note about a coordinated write, for other processes.
final class WriteNote: Sendable {
    /// The stored items to which the document belongs.
    let items: Set<StoredItemID>
    /// The path of the document.
    let place: ItemPath
    private let name: String
    private let folder: Directory
    private let lock: LifeLock?

    private struct Text: Stored {
        var place: [UInt8]
        var items: [String]

        init(place: [UInt8], items: [String]) { (self.place, self.items) = (place, items) }

        init?(_ stored: JSONValue) {
            guard let place = stored[field: "place"]?.bytes,
                let items = stored[field: "items"]?.list(\.text)
            else { return nil }
            self.init(place: place, items: items)
        }

        var stored: JSONValue {
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

    /// Writes a note.
    static func make(
        place: ItemPath, items: Set<StoredItemID>, in folder: Directory
    ) throws(SystemError) -> WriteNote {
        // An attempt only fails if another process that cleans up locks the file first.
        for _ in 0..<16 {
            let name = StoredItemID().text
            guard let lock = try LifeLock.make(name, in: folder) else { continue }
            try lock.file.write(Text(place: place.bytes, items: items.map(\.text).sorted()))
            return WriteNote(items: items, place: place, name: name, folder: folder, lock: lock)
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "leave a note")
    }

    /// Reads the note `name`.
    ///
    /// Returns nil if it does not exist or is incomplete, which means that its writer had not begun
    /// to write.
    static func read(_ name: String, in folder: Directory, lock: LifeLock? = nil) -> WriteNote? {
        guard let text = folder.read(Text.self, from: name), let place = ItemPath(bytes: text.place)
        else { return nil }
        return WriteNote(
            items: Set(text.items.compactMap { StoredItemID($0) }), place: place, name: name,
            folder: folder, lock: lock)
    }

    /// Removes the note.
    func remove() { try? folder.remove(name) }
}
