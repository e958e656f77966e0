// SPDX-License-Identifier: Apache-2.0
//
// The services that FileCoordinationClient needs from this target: the version store, copies for
// uploading, operation queues, and Foundation's errors.

#if !canImport(Darwin)
package import FileCoordinationArbiter
package import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileTree
import Foundation
import FoundationCompatibility

/// The services of this target.
package final class FoundationServices: ClientServices {
    /// The only instance; it has no state.
    package static let shared = FoundationServices()

    /// Initialises what a forked child may be the first to use; forks wait meanwhile.
    private init() { _ = UnheardErrors.said }

    package var versions: any VersionKeeping { VersionStore.current }

    package var versionsPath: [UInt8] { VersionStore.current.pathBytes }
    package func isVersionsPath(_ path: [UInt8]) -> Bool { VersionStore.isCurrent(at: path) }

    package func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy {
        try UploadSnapshot.make(of: place)
    }

    package func sweepTemporaryCopies() {
        UploadRoot.sweep(environment: CurrentProcess.environment)
    }

    /// Whether a URL can express the path.
    ///
    /// If a URL stands for another path than the one that it was created from, it would denote
    /// another item.
    package func canName(_ path: [UInt8], isDirectory: Bool) -> Bool {
        let url = URL(pathBytes: path, isDirectory: isDirectory)
        // A URL without a valid path denotes no item.
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
    /// This process's session, which is opened on first use.
    package static func current() throws(AccessFailure) -> Session {
        try current(FoundationServices.shared)
    }
}
#endif
