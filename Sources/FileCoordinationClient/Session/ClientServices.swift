// SPDX-License-Identifier: Apache-2.0
//
// What the room needs from its surroundings and does not know how to do: versions, copies for
// uploading, the queues that calls are made on, errors put into bytes. The face around it (the
// classes, the command line, another language) hands this over when the session is opened.

package import FileCoordinationArbiter
package import FileCoordinationSystem

/// What a face provides to the session of its process.
///
/// Called on any thread, with no lock held.
package protocol ClientServices: AnyObject, Sendable {
    /// The store of versions that the calling thread or task uses.
    var versions: any VersionKeeping { get }

    /// Where that store is.
    var versionsPath: [UInt8] { get }

    /// Whether that store is there; asked by every write.
    func isVersionsPath(_ path: [UInt8]) -> Bool

    /// Copies the item at a place, of which the caller has the claim (Rule 15.1).
    ///
    /// - Throws: what the face itself puts into words.
    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy

    /// Removes the copies that dead processes have left.
    func sweepTemporaryCopies()

    /// Whether the face can hand this path to an accessor, such as in a URL.
    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool

    /// The queue that does one thing after the other, and is running the calling code.
    var currentSerialQueue: ObjectIdentifier? { get }

    /// Whether the calling code runs on the main thread.
    var isMainThread: Bool { get }

    /// A presenter's error, as the claimant's process gets it (Rule 9.2).
    func encode(_ failure: any Error) -> [UInt8]
}

/// A store of versions, as accesses use it.
///
/// May be used from any thread.
package protocol VersionKeeping: AnyObject, Sendable {
    /// The path of the store.
    var pathBytes: [UInt8] { get }
    /// The path of the directory in it that changes when an item gets its first version.
    var shelfBytes: [UInt8] { get }
    /// Whether there is a store: one look.
    var isThere: Bool { get }

    /// Whether the item with this status may have versions.
    func mayHaveVersions(at place: ItemPath, _ status: FileStatus) -> Bool

    /// Records that a write begins; nil if such a write concerns no versions.
    ///
    /// - Parameter mayHaveVersions: false if the item is known to have none.
    func beginWriting(
        at place: ItemPath, for options: WritingOptions, mayHaveVersions: Bool
    ) -> (any VersionedWrite)?

    /// Lets versions follow an item that was moved.
    func itemDidMove(from old: ItemPath, to new: ItemPath)
}

/// A write that versions follow.
package protocol VersionedWrite: AnyObject, Sendable {
    /// Lets the versions follow to what the accessor left, and ends the write.
    func end()
}

/// A copy that lasts for one accessor.
package protocol TemporaryCopy: AnyObject, Sendable {
    /// Where it is.
    var pathBytes: [UInt8] { get }
    /// Removes it; more than once, or in a forked child, without effect.
    func remove()
}
