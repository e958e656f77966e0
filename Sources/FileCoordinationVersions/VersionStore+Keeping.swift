// SPDX-License-Identifier: Apache-2.0
//
// Implements the client library's protocols with the store of versions.

package import FileCoordinationArbiter
package import FileCoordinationClient

extension VersionStore: VersionKeeping {
    /// The path of the directory that changes when an item gets its first version.
    package var shelfBytes: [UInt8] { pathBytes + Array("/\(StoreName.places)".utf8) }

    /// Records the beginning of a write.
    ///
    /// Returns nil if the write moves its item.
    package func beginWriting(
        at place: ItemPath, for options: WritingOptions, mayHaveVersions: Bool
    ) -> EndOfVersionedWrite? {
        options.versions.map { beginWriting(at: place, $0, mayHaveVersions: mayHaveVersions).end }
    }
}

extension VersionStore {
    /// Moves contents into the store, as a version of the item at `place` that is in conflict with
    /// it (Rule 19.3).
    package func keepConflict(
        _ contents: ItemPath, of place: ItemPath
    ) throws -> VersionNews {
        let record = VersionRecord(
            origin: .conflict, name: String(decoding: place.name, as: UTF8.self),
            computer: VersionRecord.thisComputer)
        let version = try keep(contents, of: place, isMoving: true, record: record)
        return VersionNews(.gained, identifier: Array(version.id.text.utf8))
    }
}
