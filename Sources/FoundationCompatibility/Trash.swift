// SPDX-License-Identifier: Apache-2.0
//
// A user's trash, as the freedesktop.org Trash specification 1.0 defines it: in the home directory
// for items on the same file system, else at the top of the item's file system. Items are renamed,
// never copied; if their file system cannot have a trash, nothing happens.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// The trash directories of one user.
package struct Trash: Sendable {
    /// The path of the trash in the home directory; nil if there is no home directory.
    private let home: String?
    private let userID: UInt32
    private let mounts: MountTable

    /// Creates the trash of the user with these environment variables.
    ///
    /// `XDG_DATA_HOME` is used if it is an absolute path, else `HOME`.
    package init(
        environment: [String: String], userID: UInt32 = CurrentProcess.effectiveUserID,
        mounts: MountTable = .current
    ) {
        func absolute(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        home = (absolute("XDG_DATA_HOME") ?? absolute("HOME").map { $0 + "/.local/share" })
            .map { $0 + "/Trash" }
        self.userID = userID
        self.mounts = mounts
    }

    /// Replaces the user's trash in the current task, for tests.
    @TaskLocal package static var chosen: Trash?

    /// The trash that `FileManager` uses.
    static var current: Trash {
        if let chosen { return chosen }
        // The caller controls the environment. A program with borrowed rights must not follow it to
        // a home directory.
        guard !CurrentProcess.hasBorrowedRights else { return Trash(environment: [:]) }
        var environment = ProcessInfo.processInfo.environment
        if environment["HOME"] == nil { environment["HOME"] = NSHomeDirectory() }
        return Trash(environment: environment)
    }

    /// Moves an item to the trash.
    ///
    /// Returns its new URL.
    package func put(_ url: URL) throws -> URL {
        let failure = TrashFailure(url: url)
        do {
            let path = try PlaceResolver.path(of: url)
            guard let item = try TrashItem(path) else { throw failure.holdsTrash }
            let place = try put(item, failure)
            return Self.url(of: place, isDirectory: item.isDirectory)
        } catch let error as PlaceError {
            throw failure.error(error)
        } catch let error as SystemError {
            throw failure.error(error)
        }
    }

    private func put(_ item: TrashItem, _ failure: TrashFailure) throws -> ItemPath {
        let top = mounts.topDirectory(of: item.parentPath)
        let places: [TrashPlace] = [home.map(TrashPlace.home), .shared(top), .own(top)]
            .compactMap { $0 }
        // Checked before any directory is created.
        for place in places {
            guard let trash = place.path(of: userID) else { continue }
            if trash == item.path || trash.contains(item.path) { throw failure.isInTrash }
            if item.path.contains(trash) { throw failure.holdsTrash }
        }
        let device = try item.parent.status().device
        var reasons: [SystemError] = []
        for place in places where place.mayBe(on: device) {
            let trash: TrashDirectory
            do {
                trash = try place.open(for: userID)
            } catch {
                reasons.append(error)
                continue
            }
            do throws(SystemError) {
                return try trash.take(item)
            } catch {
                // The device is the same, but it is mounted twice or consists of layers.
                guard error.code == ErrorNumber.crossDevice else { throw error }
                reasons.append(error)
            }
        }
        throw failure.hasNoTrash(reasons)
    }

    /// Encodes the path byte for byte, because it may not be valid text.
    private static func url(of place: ItemPath, isDirectory: Bool) -> URL {
        let encoded = String(decoding: TrashNote.encoded(place.bytes), as: UTF8.self)
        let ending = isDirectory ? "/" : ""
        return URL(string: "file://" + encoded + ending)
            ?? URL(fileURLWithPath: place.description, isDirectory: isDirectory)
    }
}
#endif
