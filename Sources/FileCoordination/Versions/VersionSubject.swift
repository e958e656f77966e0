// SPDX-License-Identifier: Apache-2.0
//
// Identifies the version of an NSFileVersion. It does not cache the store's data but reads them
// each time, so that changes by other processes are visible at once.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import FoundationCompatibility

/// One version of one item.
struct VersionSubject: Sendable {
    /// The kinds of versions.
    enum Choice: Sendable {
        /// The present contents of the item at this path.
        case current(ItemPath, ItemIdentity)
        /// A version in the store.
        case kept(VersionID, of: StoredItemID)
        /// A version that was removed before it was requested.
        case lost(VersionID)
    }

    let choice: Choice
    let store: VersionStore
    /// The item, as the caller named it.
    let itemURL: URL
    /// The URL of the contents.
    let contentsURL: URL

    // MARK: Finding versions

    /// Creates the present version of the item at `url`; nil if the item does not exist (Rule
    /// 19.1).
    init?(currentOf url: URL, in store: VersionStore) {
        // Where no path leads, there is no item.
        guard let place = try? VersionFailure.place(of: url),
            let identity = ItemIdentity(of: place)
        else { return nil }
        choice = .current(place, identity)
        self.store = store
        itemURL = url
        contentsURL = url
    }

    /// Creates a version that was found in the store.
    init(_ version: StoredVersion, in store: VersionStore, of itemURL: URL) {
        choice = .kept(version.id, of: version.item)
        self.store = store
        self.itemURL = itemURL
        contentsURL = URL(pathBytes: version.contents, isDirectory: version.isDirectory)
    }

    /// Creates a version that was removed before it was requested; for notices about it.
    init(lost id: VersionID, in store: VersionStore, of itemURL: URL) {
        choice = .lost(id)
        self.store = store
        self.itemURL = itemURL
        contentsURL = itemURL
    }

    /// Returns the stored versions that `isWanted` accepts, oldest first; nil if the item does not
    /// exist (Rule 19.1).
    static func others(
        of url: URL, in store: VersionStore, where isWanted: (StoredVersion) -> Bool = { _ in true }
    ) -> [VersionSubject]? {
        // Where no path leads, there is no item.
        guard let place = try? VersionFailure.place(of: url) else { return nil }
        return store.versions(at: place)?.filter(isWanted).map {
            VersionSubject($0, in: store, of: url)
        }
    }

    /// Returns the versions of items that were at `url` and no longer exist, oldest first.
    static func orphans(of url: URL, in store: VersionStore) -> [VersionSubject] {
        // Where no path leads, there was no item.
        guard let place = try? VersionFailure.place(of: url) else { return [] }
        return store.orphans(at: place).map { VersionSubject($0, in: store, of: url) }
    }

    /// Returns the versions of all items that no longer exist, by URL.
    static func allOrphans(in store: VersionStore) -> [VersionSubject] {
        store.allOrphans().flatMap { place, versions in
            versions.map {
                VersionSubject(
                    $0, in: store, of: URL(pathBytes: place.bytes, isDirectory: $0.isDirectory))
            }
        }
    }

    // MARK: Properties

    /// The persistent identifier of every item's current version.
    static let currentIdentifier = "current"

    /// The identifier by which the version can be found again (Rule 19.8).
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

    /// The store's data of the version; nil if it is not in the store.
    var stored: StoredVersion? {
        if case .kept(let id, let item) = choice { store.version(id, of: item) } else { nil }
    }

    /// The item's name at the time; nil if the version was removed (Rule 19.9).
    var name: String? {
        if case .current = choice { return hasContents ? itemURL.lastPathComponent : nil }
        return stored?.record.name
    }

    /// The computer on which the version was saved, if known.
    var computer: String? {
        if case .current = choice { return hasContents ? VersionRecord.thisComputer : nil }
        return stored?.record.computer
    }

    /// When the contents were modified; nil if the version was removed (Rule 19.9).
    var modificationDate: Date? {
        guard case .current(let place, _) = choice else { return stored?.record.modificationDate }
        // An item that was removed has no date.
        return (try? FileStatus(path: place.bytes, followLinks: false)).map {
            VersionRecord.date($0.modified)
        }
    }

    /// Whether the contents exist.
    var hasContents: Bool {
        switch choice {
        case .current(let place, _):
            // This is the question.
            (try? FileStatus(path: place.bytes, followLinks: false)) != nil
        case .kept: stored != nil
        case .lost: false
        }
    }
}
