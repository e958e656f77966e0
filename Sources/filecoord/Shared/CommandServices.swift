// SPDX-License-Identifier: Apache-2.0
//
// What the client library needs from the program that uses it: the store of versions, copies for
// uploading, and the encoding of a presenter's refusal. This is the command line's implementation;
// the Foundation-compatible library has another.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import FileCoordinationWire
import FileTree
import Glibc

/// The services that filecoord gives to the client library.
final class CommandServices: ClientServices {
    /// The only instance.
    static let shared = CommandServices()

    private init() {}

    var versions: any VersionKeeping { VersionStore.current }

    var versionsPath: [UInt8] { VersionStore.current.pathBytes }
    func isVersionsPath(_ path: [UInt8]) -> Bool { VersionStore.isCurrent(at: path) }

    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy {
        let snapshot = try UploadSnapshot.make(of: place.bytes)
        if let omission = snapshot.omission {
            Diagnostics.say(
                """
                the archive of \(place) for uploading leaves out what is no file, directory or \
                link (\(omission.count) in all), such as \
                \(String(decoding: omission.path, as: UTF8.self))
                """)
        }
        return snapshot
    }

    func sweepTemporaryCopies() { UploadRoot.sweep(environment: CurrentProcess.environment) }

    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool { true }

    /// The presenters of this program make no coordinated accesses on their queues.
    var currentSerialQueue: ObjectIdentifier? { nil }

    private let mainThread = pthread_self()

    /// Whether the caller is on the main thread, or on that of a holder.
    ///
    /// The instance is made there, because each command starts there.
    var isMainThread: Bool { pthread_equal(mainThread, pthread_self()) != 0 }

    func encode(_ failure: any Error) -> [UInt8] {
        (failure as? PresenterRefusal ?? PresenterRefusal(code: 1, "\(failure)")).encode()
    }
}

extension Session {
    /// This process's session, which is opened at its first use.
    static func current() throws(AccessFailure) -> Session {
        try current(CommandServices.shared)
    }
}

extension NativePath {
    /// The canonical path, by which the arbiter knows the item: links on the way are followed (Rule
    /// 1.3).
    func place() throws(Failure) -> ItemPath {
        do throws(PlaceError) {
            // As of every access: no kernel would take it.
            guard bytes.count < WireLimits.pathBytes else { throw .tooLong }
            return try PlaceResolver.canonicalPath(of: bytes)
        } catch {
            throw Failure(place: error, self)
        }
    }
}

/// Determines what is a package.
enum Packages {
    /// Whether the directory at an absolute path without links is a package.
    static func isPackage(_ directory: [UInt8]) throws(Failure) -> Bool {
        do throws(AccessFailure) {
            return try Session.current().packagePolicy.isPackage(directoryAt: directory)
        } catch {
            throw Failure(error, of: [])
        }
    }
}
