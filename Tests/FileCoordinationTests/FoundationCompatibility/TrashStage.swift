// SPDX-License-Identifier: Apache-2.0
//
// The directories for tests of the trash: one for documents, and a separate trash, so that the
// user's real trash is not touched.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc

/// Documents, a home, and a directory that counts as the top of a file system.
final class TrashStage: Sendable {
    /// Documents are here; it counts as the top directory of their file system.
    let documents: URL
    /// The home, which is elsewhere.
    let home: URL
    let trash: Trash

    /// Puts the documents into `place`, and the home into the temporary directory.
    init(documentsIn place: String = NSTemporaryDirectory()) throws {
        let name = "fc-trash-" + UUID().uuidString
        documents = URL(fileURLWithPath: place).resolvingSymlinksInPath()
            .appendingPathComponent(name + "-documents", isDirectory: true)
        home = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appendingPathComponent(name + "-home", isDirectory: true)
        for directory in [documents, home] {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        trash = Trash(
            environment: ["HOME": home.path],
            mounts: MountTable(mountPoints: [try Self.place(documents)]))
    }

    deinit {
        try? FileManager.default.removeItem(at: documents)
        try? FileManager.default.removeItem(at: home)
    }

    /// What is at home by default.
    var homeTrash: URL { home.appendingPathComponent(".local/share/Trash", isDirectory: true) }

    /// Calls `FileManager.trashItem` with this trash; returns where the item is.
    @discardableResult
    func trashItem(at url: URL) throws -> URL {
        var place: NSURL?
        try Trash.$chosen.withValue(trash) {
            try FileManager.default.trashItem(at: url, resultingItemURL: &place)
        }
        guard let place else { throw POSIXError(.ENOENT) }
        return place as URL
    }

    /// The error of trashing an item; nil if it succeeds.
    func refusal(of url: URL) -> NSError? {
        do {
            try trashItem(at: url)
            return nil
        } catch {
            return error as NSError
        }
    }

    // MARK: Files

    @discardableResult
    func file(_ name: String, _ text: String = "text") throws -> URL {
        let url = documents.appendingPathComponent(name, isDirectory: false)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// The names in a directory, sorted; none if there is no directory.
    func names(in url: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// The lines of an item's note in a trash directory.
    func note(_ name: String, in trash: URL) throws -> [String] {
        let note = trash.appendingPathComponent("info/\(name).trashinfo")
        return try String(contentsOf: note, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    static func place(_ url: URL) throws -> ItemPath {
        guard let place = ItemPath(url.path) else { throw POSIXError(.EINVAL) }
        return place
    }

    static func permissions(_ url: URL) throws -> UInt32 {
        try FileStatus(path: url.path).permissions
    }

    static func exists(_ url: URL) -> Bool {
        (try? FileStatus(path: url.path, followLinks: false)) != nil
    }
}

/// What is in a file.
func contents(_ url: URL) throws -> String {
    String(decoding: try Data(contentsOf: url), as: UTF8.self)
}
