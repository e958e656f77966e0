// SPDX-License-Identifier: Apache-2.0
//
// The common part of adding versions, and the lookup of a version that a notice is about.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationVersions
import Foundation

extension NSFileVersion {
    /// Adds a version and reports it to presenters.
    static func add(
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

    /// Returns the version that a notice is about, even if the version or its item has been removed
    /// meanwhile; nil if the identifier is invalid.
    package static func version(
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
