// SPDX-License-Identifier: Apache-2.0
//
// What a process notes in its workspace before it does what no other process could find out
// afterwards.

/// What a process is about to do that no other process could find out from what it leaves.
enum Intention: Sendable {
    /// Contents are moved into the store: once they are there, they are nowhere else, so the
    /// process that finds them adds the version.
    case adding(Adding)
    /// A version's contents take the place of an item: once they have, the item's other versions
    /// must follow.
    case replacing(Replacing)

    /// See ``adding(_:)``.
    struct Adding: Sendable {
        var place: [UInt8]
        var identity: ItemIdentity
        var version: String
    }

    /// See ``replacing(_:)``.
    struct Replacing: Sendable {
        /// Where the item is, and where it is going to be.
        var place: [UInt8]
        var newPlace: [UInt8]
        /// What the item was before; nil if there was none.
        var identity: ItemIdentity?
        /// The stored items that come back; nil in what older programs wrote.
        var items: [String]?
        /// What it is going to be; nil until that is made.
        var newIdentity: ItemIdentity?
        /// A name in the item's directory that is not to stay.
        var temporary: [UInt8]
    }

    /// The file's name in the workspace.
    static let name = "intention"
}

extension Intention: Stored {
    /// As the coder of Swift writes a case with a value.
    private static let payload = "_0"

    var stored: StoredValue {
        switch self {
        case .adding(let adding):
            .object(["adding": .object([Self.payload: adding.stored])])
        case .replacing(let replacing):
            .object(["replacing": .object([Self.payload: replacing.stored])])
        }
    }

    init?(_ stored: StoredValue) {
        if let adding = stored[field: "adding"]?[field: Self.payload].flatMap({ Adding($0) }) {
            self = .adding(adding)
        } else if let replacing = stored[field: "replacing"]?[field: Self.payload]
            .flatMap({ Replacing($0) })
        {
            self = .replacing(replacing)
        } else {
            return nil
        }
    }
}

extension Intention.Adding: Stored {
    var stored: StoredValue {
        .object([
            "place": .bytes(place), "identity": identity.stored, "version": .text(version),
        ])
    }

    init?(_ stored: StoredValue) {
        guard let place = stored[field: "place"]?.bytes,
            let identity = stored[field: "identity"].flatMap({ ItemIdentity($0) }),
            let version = stored[field: "version"]?.text
        else { return nil }
        self.init(place: place, identity: identity, version: version)
    }
}

extension Intention.Replacing: Stored {
    var stored: StoredValue {
        .fields([
            "place": .bytes(place), "newPlace": .bytes(newPlace), "identity": identity?.stored,
            "items": items.map { .list($0.map { .text($0) }) }, "newIdentity": newIdentity?.stored,
            "temporary": .bytes(temporary),
        ])
    }

    init?(_ stored: StoredValue) {
        guard let place = stored[field: "place"]?.bytes,
            let newPlace = stored[field: "newPlace"]?.bytes,
            let temporary = stored[field: "temporary"]?.bytes
        else { return nil }
        let (old, new) = (stored[field: "identity"], stored[field: "newIdentity"])
        let (identity, newIdentity) = (
            old.flatMap { ItemIdentity($0) }, new.flatMap { ItemIdentity($0) }
        )
        let items = stored[field: "items"]?.list(\.text)
        // What is there must make sense: it may be about the only copy of something.
        guard (old == nil) == (identity == nil), (new == nil) == (newIdentity == nil),
            (stored[field: "items"] == nil) == (items == nil)
        else { return nil }
        self.init(
            place: place, newPlace: newPlace, identity: identity, items: items,
            newIdentity: newIdentity, temporary: temporary)
    }
}
