// SPDX-License-Identifier: Apache-2.0
//
// The services that this target needs from the face around it (the Foundation classes, the command
// line, or a binding): versions, copies for uploading, queues and error encoding. The face supplies
// them when the session is opened.

package import FileCoordinationArbiter
package import FileCoordinationSystem

/// The services of a face for the session of its process.
///
/// Called on any thread, with no lock held.
package protocol ClientServices: AnyObject, Sendable {
    /// The version store that the calling thread or task uses.
    var versions: any VersionKeeping { get }

    /// The path of that store.
    var versionsPath: [UInt8] { get }

    /// Whether `path` is the path of that store.
    ///
    /// Called for every write.
    func isVersionsPath(_ path: [UInt8]) -> Bool

    /// Copies an item, on which the caller has a claim (Rule 15.1).
    ///
    /// - Throws: an error that the face itself can describe.
    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy

    /// Removes the copies that dead processes have left.
    func sweepTemporaryCopies()

    /// Whether the face can express this path to an accessor, for example as a URL.
    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool

    /// The serial queue that is running the calling code, or nil.
    var currentSerialQueue: ObjectIdentifier? { get }

    /// Whether the calling code runs on the main thread.
    var isMainThread: Bool { get }

    /// Encodes a presenter's error for the claimant's process (Rule 9.2).
    func encode(_ failure: any Error) -> [UInt8]
}

/// A version store, as accesses use it.
///
/// May be used from any thread.
package protocol VersionKeeping: AnyObject, Sendable {
    /// The path of the store.
    var pathBytes: [UInt8] { get }
    /// The path of the directory in the store that changes when an item gets its first version.
    var shelfBytes: [UInt8] { get }
    /// Whether the store exists; takes one system call.
    var isThere: Bool { get }

    /// Whether the item with this status may have versions.
    func mayHaveVersions(at place: ItemPath, _ status: FileStatus) -> Bool

    /// Begins a write.
    ///
    /// - Parameters:
    ///   - place: the path of the item.
    ///   - options: what is written.
    ///   - mayHaveVersions: false if the item is known to have none.
    /// - Returns: what attaches the versions to what the accessor left at the path, to be called
    ///   after it has returned; nil if such a write does not concern versions.
    func beginWriting(
        at place: ItemPath, for options: WritingOptions, mayHaveVersions: Bool
    ) -> EndOfVersionedWrite?

    /// Moves contents into the store, as a version of the item at `place` that is in conflict with
    /// it (Rule 19.3).
    func keepConflict(_ contents: ItemPath, of place: ItemPath) throws -> VersionNews

    /// Attaches the versions to an item's new path after a move.
    func itemDidMove(from old: ItemPath, to new: ItemPath)
}

/// Ends a write to an item that has versions.
package typealias EndOfVersionedWrite = @Sendable () -> Void

/// A temporary copy of an item for one accessor.
package protocol TemporaryCopy: AnyObject, Sendable {
    /// The path of the copy.
    var pathBytes: [UInt8] { get }
    /// Removes the copy.
    ///
    /// Has no effect the second time and in a forked child.
    func remove()
}
