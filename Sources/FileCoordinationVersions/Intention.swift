// SPDX-License-Identifier: Apache-2.0
//
// A note that a process writes into its workspace before a step from whose result alone another
// process could not determine how to finish the work.

import FileCoordinationWire

/// What a process is about to do.
enum Intention: Sendable {
    /// It moves contents into the store.
    ///
    /// Then they are nowhere else, so if the process dies, the process that finds them adds the
    /// version.
    case adding(Adding)
    /// It replaces an item by the contents of a version.
    ///
    /// Then the item's other versions must be assigned to the new file.
    case replacing(Replacing)

    /// The values of ``adding(_:)``.
    struct Adding: Sendable {
        var place: [UInt8]
        var identity: ItemIdentity
        var version: String
    }

    /// The values of ``replacing(_:)``.
    struct Replacing: Sendable {
        /// The present path of the item and its future path.
        var place: [UInt8]
        var newPlace: [UInt8]
        /// The identity of the item before, or nil if there was no item.
        var identity: ItemIdentity?
        /// The stored items that are restored.
        var items: [String]
        /// The identity of the new file, or nil before it is made.
        var newIdentity: ItemIdentity?
        /// The name of a temporary file in the item's directory.
        var temporary: [UInt8]
    }

    /// The name of the note in the workspace.
    static let name = "intention"
}

extension Intention: Stored {
    var stored: JSONValue {
        switch self {
        case .adding(let adding): .object(["adding": adding.stored])
        case .replacing(let replacing): .object(["replacing": replacing.stored])
        }
    }

    init?(_ stored: JSONValue) {
        if let adding = stored[field: "adding"].flatMap({ Adding($0) }) {
            self = .adding(adding)
        } else if let replacing = stored[field: "replacing"].flatMap({ Replacing($0) }) {
            self = .replacing(replacing)
        } else {
            return nil
        }
    }
}

extension Intention.Adding: Stored {
    var stored: JSONValue {
        .object([
            "place": .bytes(place), "identity": identity.stored, "version": .text(version),
        ])
    }

    init?(_ stored: JSONValue) {
        guard let place = stored[field: "place"]?.bytes,
            let identity = stored[field: "identity"].flatMap({ ItemIdentity($0) }),
            let version = stored[field: "version"]?.text
        else { return nil }
        self.init(place: place, identity: identity, version: version)
    }
}

extension Intention.Replacing: Stored {
    var stored: JSONValue {
        .fields([
            "place": .bytes(place), "newPlace": .bytes(newPlace), "identity": identity?.stored,
            "items": .list(items.map { .text($0) }), "newIdentity": newIdentity?.stored,
            "temporary": .bytes(temporary),
        ])
    }

    init?(_ stored: JSONValue) {
        guard let place = stored[field: "place"]?.bytes,
            let newPlace = stored[field: "newPlace"]?.bytes,
            let temporary = stored[field: "temporary"]?.bytes,
            let items = stored[field: "items"]?.list(\.text)
        else { return nil }
        let (old, new) = (stored[field: "identity"], stored[field: "newIdentity"])
        let (identity, newIdentity) = (
            old.flatMap { ItemIdentity($0) }, new.flatMap { ItemIdentity($0) }
        )
        // An inconsistent note is refused, because it may describe the only copy of something.
        guard (old == nil) == (identity == nil), (new == nil) == (newIdentity == nil) else {
            return nil
        }
        self.init(
            place: place, newPlace: newPlace, identity: identity, items: items,
            newIdentity: newIdentity, temporary: temporary)
    }
}
