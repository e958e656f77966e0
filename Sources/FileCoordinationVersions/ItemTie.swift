// SPDX-License-Identifier: Apache-2.0
//
// Connects files with stored items. A tie is a symbolic link in the store: its name has the
// identity of the file and the ID of the stored item, and its target is the path where the file was
// last seen. Ties are kept in directories by that path, so that one directory of the store has
// everything that is known about a path. A second link with the same name is kept by the inode
// number, to find the tie of a file that was moved.

import FileCoordinationArbiter
import FileCoordinationSystem

/// The connection of a file with a stored item.
struct ItemTie: Hashable, Sendable {
    /// The identity of the file.
    let identity: ItemIdentity
    /// The stored item.
    let item: StoredItemID
    /// Whether a coordinated write left no file at the path.
    ///
    /// A file that appears there later is another document.
    let isVacated: Bool
    /// Distinguishes ties that only differ in their paths.
    private let distinction: String

    /// Makes a new tie.
    init(identity: ItemIdentity, item: StoredItemID, isVacated: Bool = false) {
        self.identity = identity
        self.item = item
        self.isVacated = isVacated
        distinction = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    }

    /// A tie of the same item for another file.
    ///
    /// Its name is unused wherever this tie's name is.
    func of(_ identity: ItemIdentity) -> ItemTie { ItemTie(identity: identity, item: item) }

    /// The same tie, marked as vacated.
    var vacated: ItemTie { ItemTie(identity: identity, item: item, isVacated: true) }

    // MARK: The name

    private static let separator: Character = "."
    private static let vacancy = "vacated"

    /// The tie with this name, or nil if the name is not valid.
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

    /// The name of the tie's links.
    var name: String {
        let parts = [
            String(identity.inode), String(identity.born), String(identity.handle, radix: 16),
            String(identity.device, radix: 16), item.text, distinction,
        ]
        return (isVacated ? parts + [Self.vacancy] : parts).joined(
            separator: String(Self.separator))
    }
}

/// A tie that was found in the store.
struct FoundTie: Hashable, Sendable {
    /// The tie that the name describes.
    let tie: ItemTie
    /// The path where the file was last seen.
    let place: ItemPath

    var identity: ItemIdentity { tie.identity }
    var item: StoredItemID { tie.item }
}

/// The directories of ties, relative to the root of the store.
enum TieShelf {
    /// The directory with the ties of all files that were last seen at `place`.
    static func ofPlace(_ place: ItemPath) -> String { StoreName.places + "/" + label(of: place) }

    /// The directory with the second links of all ties of files with this inode number.
    static func ofFile(_ inode: UInt64) -> String { "\(StoreName.files)/\(inode)" }

    /// The name of a path's directory.
    ///
    /// Two paths may share one.
    static func label(of place: ItemPath) -> String {
        // FNV-1a, which gives the same result in every program and on every machine.
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in place.bytes {
            digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        let text = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
