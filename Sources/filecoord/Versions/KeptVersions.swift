// SPDX-License-Identifier: Apache-2.0
//
// Finds, lists, adds and removes the versions of one item in the store of versions.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import Glibc

/// The versions that the store keeps of an item.
struct KeptVersions {
    /// The item.
    let path: NativePath
    /// The canonical path of the item, or nil if the path cannot be resolved.
    private let place: ItemPath?
    static let store = VersionStore.current

    /// The versions of the item at `path`.
    init(of path: NativePath) {
        self.path = path
        // If the path cannot be resolved, there is no item and so no version.
        place = try? path.place()
    }

    /// The versions of the item, followed by the orphans at its path, in the order of their
    /// numbers.
    var all: [Entry] {
        get throws(Failure) {
            let others = try others
            return try others.map { Entry(version: $0, path: path) }
                + orphans.map { Entry(version: $0, path: path, isOrphan: true) }
        }
    }

    private var others: [StoredVersion] {
        get throws(Failure) { try readablePlace().flatMap { Self.store.versions(at: $0) } ?? [] }
    }

    private var orphans: [StoredVersion] {
        get throws(Failure) { try readablePlace().map { Self.store.orphans(at: $0) } ?? [] }
    }

    /// The canonical path of the item, about which the store can be read; nil if there is no item.
    private func readablePlace() throws(Failure) -> ItemPath? {
        guard let place else { return nil }
        do throws(SystemError) {
            try Self.store.requireReadable(at: place)
        } catch {
            throw Self.unreadable("the versions of \(path)", error)
        }
        return place
    }

    /// The failure of reading versions.
    static func unreadable(_ what: String, _ error: SystemError) -> Failure {
        Failure(
            .inputOutput,
            "\(what) cannot be read: \(error); look at the store of versions, "
                + "\(NativePath(store.pathBytes)), and its permissions")
    }

    /// A version in the list.
    struct Entry {
        var version: StoredVersion
        /// The path of the item as the user gave it, or the former path of an orphan.
        var path: NativePath
        /// Whether this is a version of an item that existed here and does not any more.
        var isOrphan = false
    }

    // MARK: Finding

    /// Checks that the item exists.
    ///
    /// - Parameter orOrphans: whether it is sufficient that there are orphans.
    /// - Throws: ``Failure`` if it does not.
    func requireItem(orOrphans: Bool = false) throws(Failure) {
        guard place.flatMap({ ItemIdentity(of: $0) }) == nil else { return }
        if orOrphans, try !orphans.isEmpty { return }
        throw Failure(errorNumber: ENOENT, doing: "use", path: path)
    }

    /// The identifier of the version that `text` now means, which is a number or an identifier.
    static func identifier(of text: String, ofItemAt path: String) throws(Failure) -> String {
        let versions = KeptVersions(of: try UserPath.item(path))
        try versions.requireItem(orOrphans: true)
        let all = try versions.all.map(\.version)
        // A number that is out of range is taken for an identifier, which will not be found.
        if let number = Int(text), all.indices.contains(number - 1) {
            return all[number - 1].id.text
        }
        return try versions.version(text).id.text
    }

    /// The version with this identifier.
    private func version(_ identifier: String) throws(Failure) -> StoredVersion {
        guard let entry = try all.first(where: { $0.version.id.text == identifier }) else {
            throw Failure(
                .badPath,
                "there is no version \(identifier) of \(path): see \"filecoord versions list\"")
        }
        return entry.version
    }

    // MARK: Changing

    /// Stores a copy of `contents` as a version.
    ///
    /// - Parameters:
    ///   - contents: the path of the contents.
    ///   - origin: how the version came about.
    ///   - computer: the computer on which the version was saved, if known.
    /// - Returns: the identifier of the version.
    /// - Throws: ``Failure`` if a path cannot be used, or no version can be added.
    func add(
        _ contents: NativePath, as origin: VersionRecord.Origin, savedOn computer: String?
    ) throws(Failure) -> String {
        let record = VersionRecord(
            // The store records no name if the name is not valid UTF-8.
            origin: origin, name: String(validating: path.name, as: UTF8.self) ?? "",
            computer: computer)
        let place = try placeOfItem()
        let source = try contents.place()
        return try explaining(.adding) { () throws(VersionError) in
            // FILE is often a temporary file, and its extension says nothing about the item: going
            // back to the version must not rename the item (Rule 19.7).
            try Self.store.keep(
                source, of: place, isMoving: false, record: record, copyName: place.name)
        }.id.text
    }

    /// Replaces the item's contents by those of a version.
    ///
    /// Returns the item's present path.
    func restore(_ identifier: String) throws(Failure) -> NativePath {
        let version = try version(identifier)
        let place = try placeOfItem()
        try refuseSeveralNames(version)
        let result = try explaining(.replacing) { () throws(VersionError) in
            try Self.store.replace(place, by: version.id, of: version.item)
        }
        return result == place ? path : path.directory.appending(result.name)
    }

    /// Fails if the item is a file with several names, and restoring it is to replace it.
    func refuseSeveralNames(ofItemToRestoreTo identifier: String) throws(Failure) {
        try refuseSeveralNames(version(identifier))
    }

    /// Another file would take the place of this name alone.
    private func refuseSeveralNames(_ version: StoredVersion) throws(Failure) {
        let count = path.nameCount
        guard count > 1 else { return }
        throw Failure(
            .badPath,
            "\(path) is one of \(count) names of its file (hard links), and the others would keep "
                + "the old content: use \"filecoord write --in-place\" or \"--break-links\" with "
                + "the version as input, which is \(NativePath(version.contents))")
    }

    /// Removes a version.
    func remove(_ identifier: String) throws(Failure) {
        let version = try version(identifier)
        try explaining(.removing) { () throws(VersionError) in
            guard try discard(version) else { throw .gone }
        }
    }

    /// Removes all versions of the item, but no orphans.
    func removeAll() throws(Failure) {
        for version in try others {
            try explaining(.removing) { () throws(VersionError) in _ = try discard(version) }
        }
    }

    private func discard(_ version: StoredVersion) throws(VersionError) -> Bool {
        try Self.store.discard(version.id, of: version.item, lastKnown: place)
    }

    /// Marks all conflicts as resolved, or only the one with this identifier.
    func resolve(_ identifier: String?) throws(Failure) {
        for version in try conflicts(identifier) {
            do {
                try Self.store.resolve(version.id, of: version.item, lastKnown: place)
            } catch {
                throw Failure(
                    .inputOutput, "the conflict cannot be marked as resolved: \(error)")
            }
        }
    }

    private func conflicts(_ identifier: String?) throws(Failure) -> [StoredVersion] {
        guard let identifier else { return try others.filter(\.isUnresolved) }
        let version = try version(identifier)
        guard version.record.origin == .conflict else {
            throw Failure(
                .badPath, "version \(identifier) of \(path) is no conflict to resolve")
        }
        return [version]
    }

    private func placeOfItem() throws(Failure) -> ItemPath {
        guard let place else { throw Failure(errorNumber: ENOENT, doing: "use", path: path) }
        return place
    }

    private func explaining<Result>(
        _ attempt: VersionAttempt, _ body: () throws(VersionError) -> Result
    ) throws(Failure) -> Result {
        do throws(VersionError) {
            return try body()
        } catch {
            let status =
                switch error {
                case .system(let error):
                    Failure(errorNumber: error.code, doing: "", path: "").status
                case .contentsAreItem, .contentsHoldStore, .noItem, .gone:
                    ExitStatus.badPath.rawValue
                }
            throw Failure(
                status: status, lines: ["\(attempt.sentence("\(path)")): \(error.reason)."])
        }
    }
}
