// SPDX-License-Identifier: Apache-2.0
//
// This face's implementation of the services that the client room requires. It is that of
// `filecoord`, except for the queues, which are threads of this library.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileTree

/// The services of a process that uses the C library.
final class CallerServices: ClientServices {
    /// The one object of this kind.
    static let shared = CallerServices()

    private init() {}

    var versions: any VersionKeeping { VersionStore.current }
    var versionsPath: [UInt8] { VersionStore.current.pathBytes }
    func isVersionsPath(_ path: [UInt8]) -> Bool { VersionStore.isCurrent(at: path) }

    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy {
        try UploadSnapshot.make(of: place.bytes)
    }

    func sweepTemporaryCopies() { UploadRoot.sweep(environment: CurrentProcess.environment) }

    /// Paths are bytes on both sides.
    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool { true }

    var currentSerialQueue: ObjectIdentifier? { PresenterThread.current }

    /// No presenter of this library is called on the main thread, so nothing needs it.
    var isMainThread: Bool { false }

    func encode(_ failure: any Error) -> [UInt8] {
        let refusal =
            failure as? PresenterRefusal
            ?? PresenterRefusal(domain: "filecoordination", code: 1, description: "\(failure)")
        return refusal.encode()
    }
}

extension Session {
    /// This process's session, opened at first use.
    static func ofCaller() throws(AccessFailure) -> Session { try current(CallerServices.shared) }
}
