// SPDX-License-Identifier: Apache-2.0
//
// What adding a version has in common, wherever its contents come from, and the way back from the
// message about a version to the version.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationVersions
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
        let version = try failure.explaining { () throws(VersionError) in
            try store.keep(
                contents, of: place, isMoving: options.contains(.byMoving), record: record)
        }
        return NSFileVersion(VersionSubject(version, in: store, of: url))
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
