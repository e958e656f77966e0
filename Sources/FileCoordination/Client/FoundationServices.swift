// SPDX-License-Identifier: Apache-2.0
//
// What FileCoordinationClient leaves to this room: the store of versions, copies for uploading,
// operation queues, and errors of Foundation.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileTree
import Foundation

/// The services of this room.
package final class FoundationServices: ClientServices {
    /// The one object of this kind; it has no state.
    package static let shared = FoundationServices()

    private init() {}

    package var versions: any VersionKeeping { VersionStore.current }

    package var versionsPath: [UInt8] { VersionStore.current.pathBytes }
    package func isVersionsPath(_ path: [UInt8]) -> Bool { VersionStore.isCurrent(at: path) }

    package func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy {
        try UploadSnapshot.make(of: place)
    }

    package func sweepTemporaryCopies() {
        UploadRoot.sweep(environment: CurrentProcess.environment)
    }

    /// A URL may spell another path than it was made of; then it would name another item.
    package func canName(_ path: [UInt8], isDirectory: Bool) -> Bool {
        let url = URL(pathBytes: path, isDirectory: isDirectory)
        // A URL that is no path names nothing.
        guard let bytes = try? PlaceResolver.pathBytes(of: url) else { return false }
        return ItemPath(bytes: bytes) == ItemPath(bytes: path)
    }

    package var currentSerialQueue: ObjectIdentifier? {
        guard let queue = OperationQueue.current, queue.isSerial else { return nil }
        return ObjectIdentifier(queue)
    }

    package var isMainThread: Bool { Thread.isMainThread }

    package func encode(_ failure: any Error) -> [UInt8] { ErrorCoding.encode(failure) }
}

extension Session {
    /// This process's session, opened at first use.
    package static func current() throws(AccessFailure) -> Session {
        try current(FoundationServices.shared)
    }
}
#endif
