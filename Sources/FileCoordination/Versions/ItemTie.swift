// SPDX-License-Identifier: Apache-2.0
//
// Which file is which stored item's. A tie is a link in the store's `ties`: its name holds the
// identity and the item, its text the place where the file was last seen. So one look at the names
// finds an item's versions, and both are made in one step.

import FileCoordinationArbiter
import FileCoordinationSystem

/// One file's belonging to one stored item.
struct ItemTie: Hashable, Sendable {
    /// The file.
    let identity: ItemIdentity
    /// Whose it is.
    let item: StoredItemID
    /// Tells ties apart that differ in nothing but the place.
    private let distinction: String

    /// A new tie.
    init(identity: ItemIdentity, item: StoredItemID) {
        self.identity = identity
        self.item = item
        distinction = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    }

    /// The same, for another file; its name is free wherever this one's is.
    func of(_ identity: ItemIdentity) -> ItemTie { ItemTie(identity: identity, item: item) }

    // MARK: The name

    private static let separator: Character = "."

    /// How the names of all ties of files with this number begin.
    static func namePrefix(inode: UInt64) -> String { "\(inode)\(separator)" }

    /// The tie that has this name; nil if none can have it.
    init?(name: String) {
        let parts = name.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 6, let inode = UInt64(parts[0]), let born = Int64(parts[1]),
            let handle = UInt64(parts[2], radix: 16), let device = UInt64(parts[3], radix: 16),
            let item = StoredItemID(parts[4])
        else { return nil }
        identity = ItemIdentity(device: device, inode: inode, born: born, handle: handle)
        self.item = item
        distinction = String(parts[5])
    }

    /// The name of the link.
    var name: String {
        [
            String(identity.inode), String(identity.born), String(identity.handle, radix: 16),
            String(identity.device, radix: 16), item.text, distinction,
        ].joined(separator: String(Self.separator))
    }
}

extension Directory {
    /// The ties in this directory; only those of files with this number, if one is given.
    func ties(inode: UInt64? = nil) throws(SystemError) -> [ItemTie] {
        let names = try names()
        // Reading a name takes longer than seeing that it is another file's.
        guard let start = inode.map(ItemTie.namePrefix(inode:)) else {
            return names.compactMap(ItemTie.init(name:))
        }
        return names.filter { $0.hasPrefix(start) }.compactMap(ItemTie.init(name:))
    }

    /// Where the file of `tie` was last seen; nil if the tie is gone.
    func place(of tie: ItemTie) -> ItemPath? {
        (try? descriptor.linkText(of: Array(tie.name.utf8))).flatMap { ItemPath(bytes: $0) }
    }

    /// Makes a tie.
    func make(_ tie: ItemTie, at place: ItemPath) throws(SystemError) {
        try descriptor.makeLink(Array(tie.name.utf8), saying: place.bytes)
    }

    /// Changes what a tie says; nothing happens if it is gone.
    ///
    /// Another identity at the same place takes one step. Another place takes two, the new tie
    /// first: an item with two ties is still one item.
    func replace(
        _ tie: ItemTie, by identity: ItemIdentity, at place: ItemPath
    ) throws(SystemError) {
        guard let before = self.place(of: tie) else { return }
        guard tie.identity != identity || before != place else { return }
        do {
            if before == place {
                try rename(tie.name, to: tie.of(identity).name)
            } else {
                try make(tie.of(identity), at: place)
                try remove(tie.name)
            }
        } catch let error where error.code == ErrorNumber.noSuchFile {
            // Somebody else did the same.
            return
        }
        try descriptor.synchronize()
    }
}
