// SPDX-License-Identifier: Apache-2.0
//
// Which version an NSFileVersion is. Nothing of what the store knows is kept here: it is asked each
// time, so that what other processes do shows at once.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation

/// One version of one item.
struct VersionSubject: Sendable {
    /// The kinds of versions that there are.
    enum Choice: Sendable {
        /// What the item at this place is now.
        case current(ItemPath, ItemIdentity)
        /// One that is kept.
        case kept(VersionID, of: StoredItemID)
        /// One that was removed before anybody asked for it.
        case lost(VersionID)
    }

    let choice: Choice
    let store: VersionStore
    /// The item, as the caller named it.
    let itemURL: URL
    /// Where the contents are, or would be.
    let contentsURL: URL

    // MARK: Finding versions

    /// The version that the item at `url` is now; nil if there is no item (Rule 19.1).
    init?(currentOf url: URL, in store: VersionStore) {
        guard let place = try? VersionFailure.place(of: url),
            let identity = ItemIdentity(of: place)
        else { return nil }
        choice = .current(place, identity)
        self.store = store
        itemURL = url
        contentsURL = url
    }

    /// A version that was found in the store.
    init(_ version: StoredVersion, in store: VersionStore, of itemURL: URL) {
        choice = .kept(version.id, of: version.item)
        self.store = store
        self.itemURL = itemURL
        contentsURL = URL(pathBytes: version.contents, isDirectory: version.isDirectory)
    }

    /// A version that was removed before anybody asked for it; for messages that tell of it.
    init(lost id: VersionID, in store: VersionStore, of itemURL: URL) {
        choice = .lost(id)
        self.store = store
        self.itemURL = itemURL
        contentsURL = itemURL
    }

    /// The kept versions that are wanted, the oldest first; nil if there is no item (Rule 19.1).
    static func others(
        of url: URL, in store: VersionStore, where isWanted: (StoredVersion) -> Bool = { _ in true }
    ) -> [VersionSubject]? {
        guard let place = try? VersionFailure.place(of: url) else { return nil }
        return store.versions(at: place)?.filter(isWanted).map {
            VersionSubject($0, in: store, of: url)
        }
    }

    /// The versions of items that were at `url` and are nowhere any more, the oldest first.
    static func orphans(of url: URL, in store: VersionStore) -> [VersionSubject] {
        guard let place = try? VersionFailure.place(of: url) else { return [] }
        return store.orphans(at: place).map { VersionSubject($0, in: store, of: url) }
    }

    /// The same for the whole store, by URL.
    static func allOrphans(in store: VersionStore) -> [VersionSubject] {
        store.allOrphans().flatMap { place, versions in
            versions.map {
                VersionSubject(
                    $0, in: store, of: URL(pathBytes: place.bytes, isDirectory: $0.isDirectory))
            }
        }
    }

    // MARK: What is known of it

    /// What the current version's persistent identifier says, whatever the item.
    static let currentIdentifier = "current"

    /// What finds this version again (Rule 19.8).
    var identifier: String {
        switch choice {
        case .current: Self.currentIdentifier
        case .kept(let id, _), .lost(let id): id.text
        }
    }

    /// Equal for the same version of the same item (Rule 19.2).
    var equalityKey: AnyHashable {
        switch choice {
        case .current(_, let identity): identity
        case .kept(let id, _), .lost(let id): id
        }
    }

    /// What the store says of it now; nil if it is not kept there.
    var stored: StoredVersion? {
        if case .kept(let id, let item) = choice { store.version(id, of: item) } else { nil }
    }

    /// The item's name at the time; nil once the version is gone (Rule 19.9).
    var name: String? {
        if case .current = choice { return hasContents ? itemURL.lastPathComponent : nil }
        return stored?.record.name
    }

    /// Where it was saved, as far as that is known.
    var computer: String? {
        if case .current = choice { return hasContents ? VersionRecord.thisComputer : nil }
        return stored?.record.computer
    }

    /// When its contents were modified; nil once the version is gone (Rule 19.9).
    var modificationDate: Date? {
        guard case .current(let place, _) = choice else { return stored?.record.modificationDate }
        return (try? FileStatus(path: place.bytes, followLinks: false)).map {
            VersionRecord.date($0.modified)
        }
    }

    /// Whether there is something where the contents are to be.
    var hasContents: Bool {
        switch choice {
        case .current(let place, _):
            (try? FileStatus(path: place.bytes, followLinks: false)) != nil
        case .kept: stored != nil
        case .lost: false
        }
    }
}
