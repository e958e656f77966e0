// SPDX-License-Identifier: Apache-2.0
//
// The services of a face that has no versions, no copies and no queues.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// Nothing but what an access cannot do without.
final class PlainServices: ClientServices {
    /// There is no copy.
    struct NoCopies: Error {}

    private let none = NoVersions()

    var versions: any VersionKeeping { none }
    var versionsPath: [UInt8] { none.pathBytes }
    func isVersionsPath(_ path: [UInt8]) -> Bool { path == none.pathBytes }
    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy { throw NoCopies() }
    func sweepTemporaryCopies() {}
    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool { true }
    var currentSerialQueue: ObjectIdentifier? { nil }
    var isMainThread: Bool { false }
    func encode(_ failure: any Error) -> [UInt8] { Array("\(failure)".utf8) }
}

/// A store of versions that is never there.
final class NoVersions: VersionKeeping {
    let pathBytes = Array("/nonexistent".utf8)
    let shelfBytes = Array("/nonexistent".utf8)
    var isThere: Bool { false }
    func mayHaveVersions(at place: ItemPath, _ status: FileStatus) -> Bool { false }
    func beginWriting(
        at place: ItemPath, for options: WritingOptions, mayHaveVersions: Bool
    ) -> EndOfVersionedWrite? { nil }
    func keepConflict(_ contents: ItemPath, of place: ItemPath) throws -> VersionNews {
        throw CancellationError()
    }
    func itemDidMove(from old: ItemPath, to new: ItemPath) {}
}
