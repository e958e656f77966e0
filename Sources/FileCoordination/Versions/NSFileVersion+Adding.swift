// SPDX-License-Identifier: Apache-2.0
//
// What adding a version has in common, wherever its contents come from, and the way back from the
// message about a version to the version.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation

extension NSFileVersion {
    /// Adds a version and reports it.
    class func add(
        to url: URL, _ contentsURL: URL, _ options: AddingOptions, _ record: VersionRecord
    ) throws -> NSFileVersion {
        let store = VersionStore.current
        let place = try VersionFailure.place(of: url)
        let contents = try VersionFailure.place(of: contentsURL)
        let failure = VersionFailure(attempt: .adding, url: url)
        let isMoving = options.contains(.byMoving)
        try refuse(contents, place, isMoving: isMoving, store, failure)
        let version = try failure.explaining { () throws(SystemError) in
            try store.add(of: place, contents: contents, isMoving: isMoving, record: record)
        }
        VersionChanges.note(VersionChange(.gained, of: url, version.id))
        return NSFileVersion(VersionSubject(version, in: store, of: url))
    }

    /// Refuses contents that would take something along that must stay.
    private class func refuse(
        _ contents: ItemPath, _ place: ItemPath, isMoving: Bool, _ store: VersionStore,
        _ failure: VersionFailure
    ) throws {
        if isMoving, contents == place || contents.contains(place) {
            throw failure.error(
                .fileWriteInvalidFileName,
                because: "the item's own contents can be copied into a version, but not moved")
        }
        let root = try VersionFailure.place(of: URL(fileURLWithPath: store.path))
        if contents == root || contents.contains(root) {
            throw failure.error(
                .fileWriteInvalidFileName,
                because: "the store of versions, \(store.path), is inside the contents")
        }
    }

    /// The version that a message is about, also one that is gone by the time the message arrives,
    /// or whose item is; nil if the identifier is none.
    package class func version(
        ofItemAt url: URL, identifier: String, in store: VersionStore = .current
    ) -> NSFileVersion? {
        guard let id = VersionID(identifier) else { return nil }
        guard let version = store.version(id) else {
            return NSFileVersion(VersionSubject(lost: id, in: store, of: url))
        }
        return NSFileVersion(VersionSubject(version, in: store, of: url))
    }
}
#endif
