// SPDX-License-Identifier: Apache-2.0
//
// Which file is which stored item's. A tie is a link in the store: its name holds the identity of
// the file and the item, its text the place where the file was last seen. It is filed under that
// place, so that one directory of the store has all that is known of a place; a second link with
// the same name, filed under the file's number, finds the tie of a file that was moved.

import FileCoordinationArbiter
import FileCoordinationSystem

/// One file's belonging to one stored item.
struct ItemTie: Hashable, Sendable {
    /// The file.
    let identity: ItemIdentity
    /// Whose it is.
    let item: StoredItemID
    /// Whether a coordinated write has left nothing at the place: what comes there later is another
    /// document.
    let isVacated: Bool
    /// Tells ties apart that differ in nothing but the place.
    private let distinction: String

    /// A new tie.
    init(identity: ItemIdentity, item: StoredItemID, isVacated: Bool = false) {
        self.identity = identity
        self.item = item
        self.isVacated = isVacated
        distinction = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    }

    /// The same, for another file; its name is free wherever this one's is.
    func of(_ identity: ItemIdentity) -> ItemTie { ItemTie(identity: identity, item: item) }

    /// The same file's, whose place is vacated.
    var vacated: ItemTie { ItemTie(identity: identity, item: item, isVacated: true) }

    // MARK: The name

    private static let separator: Character = "."
    private static let vacancy = "vacated"

    /// The tie that has this name; nil if none can have it.
    init?(name: String) {
        let parts = name.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 6 || parts.count == 7 && parts[6] == Self.vacancy,
            let inode = UInt64(parts[0]), let born = Int64(parts[1]),
            let handle = UInt64(parts[2], radix: 16), let device = UInt64(parts[3], radix: 16),
            let item = StoredItemID(parts[4])
        else { return nil }
        identity = ItemIdentity(device: device, inode: inode, born: born, handle: handle)
        self.item = item
        distinction = String(parts[5])
        isVacated = parts.count == 7
    }

    /// The name of the links.
    var name: String {
        let parts = [
            String(identity.inode), String(identity.born), String(identity.handle, radix: 16),
            String(identity.device, radix: 16), item.text, distinction,
        ]
        return (isVacated ? parts + [Self.vacancy] : parts).joined(
            separator: String(Self.separator))
    }
}

/// A tie as it was found in the store.
struct FoundTie: Hashable, Sendable {
    /// What its name says.
    let tie: ItemTie
    /// Where its file was last seen.
    let place: ItemPath
    /// Whether a program from before the shelves has made it: the next change takes it over.
    var isLegacy = false

    var identity: ItemIdentity { tie.identity }
    var item: StoredItemID { tie.item }
}

/// Where ties are filed, below the root of the store.
enum TieShelf {
    /// The directory of all ties of files that were last seen at `place`.
    static func ofPlace(_ place: ItemPath) -> String { StoreName.places + "/" + label(of: place) }

    /// The directory of the second links of all ties of files with this number.
    static func ofFile(_ inode: UInt64) -> String { "\(StoreName.files)/\(inode)" }

    /// The name of a place's directory; two places may share one.
    static func label(of place: ItemPath) -> String {
        // FNV-1a: the same in every program and on every machine.
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in place.bytes {
            digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        let text = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
