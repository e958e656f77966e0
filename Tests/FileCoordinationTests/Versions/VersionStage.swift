// SPDX-License-Identifier: Apache-2.0
//
// The directories for tests of versions: one for documents, and a separate store.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationVersions
import Foundation
import Glibc

/// A directory of documents and an empty store; both vanish with this object.
final class VersionStage: Sendable {
    let root: URL
    let documents: URL
    let store: VersionStore

    init() throws {
        let temporary = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
        root = temporary.appendingPathComponent("versions-" + UUID().uuidString)
        documents = root.appendingPathComponent("documents")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        store = VersionStore(path: root.appendingPathComponent("store").path)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Lets `NSFileVersion` use this store.
    @discardableResult
    func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try VersionStore.choosing(store, body)
    }

    /// The same for `async` calls.
    func use<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await VersionStore.choosing(store, body)
    }

    // MARK: Documents

    func url(_ name: String) -> URL { documents.appendingPathComponent(name) }

    /// Makes a file, or writes it anew in place.
    @discardableResult
    func file(_ name: String, _ text: String) throws -> URL {
        try write(text, to: url(name))
        return url(name)
    }

    /// Saves as most programs do: another file takes the name.
    func saveByRenaming(_ name: String, _ text: String) throws {
        let new = try file(name + ".new", text)
        guard rename(new.path, url(name).path) == 0 else { throw POSIXError(.EIO) }
    }

    /// Makes a package with a file, a link, an empty directory and a directory that is read-only.
    @discardableResult
    func package(_ name: String, _ text: String) throws -> URL {
        let url = url(name)
        for folder in ["empty", "locked"] {
            try FileManager.default.createDirectory(
                at: url.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        try write(text, to: url.appendingPathComponent("text"))
        try write(text, to: url.appendingPathComponent("locked/inner"))
        symlink("text", url.appendingPathComponent("link").path)
        chmod(url.appendingPathComponent("locked").path, 0o500)
        return url
    }

    // MARK: The store

    func place(_ name: String) throws -> ItemPath {
        guard let place = ItemPath(url(name).path) else { throw POSIXError(.EINVAL) }
        return place
    }

    /// What the versions of a document say, oldest first.
    func texts(_ name: String) throws -> [String] {
        try use {
            try (NSFileVersion.otherVersionsOfItem(at: url(name)) ?? []).map { try text($0.url) }
        }
    }

    /// What is in the store besides versions: nothing, when no process uses it.
    func leftovers() -> [String] {
        ["work", "writing", "removed"].flatMap { folder in
            names(in: folder).map { "\(folder)/\($0)" }
        }
    }

    /// The names in a directory of the store.
    func names(in folder: String) -> [String] {
        let path = store.path + "/" + folder
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// How many items and ties the store holds; each tie has two links.
    var counts: [Int] {
        [names(in: "items").count, max(ties(in: "places").count, ties(in: "files").count)]
    }

    /// The paths of all ties in a folder of shelves.
    func ties(in folder: String) -> [String] {
        names(in: folder).flatMap { shelf in
            names(in: "\(folder)/\(shelf)").map { "\(folder)/\(shelf)/\($0)" }
        }
    }

    /// The names of all documents.
    func documentNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: documents.path).sorted()
    }
}

/// Writes in place, without another file.
func write(_ text: String, to url: URL) throws {
    guard let file = fopen(url.path, "w") else { throw POSIXError(.EIO) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw POSIXError(.EIO) }
}

func text(_ url: URL) throws -> String {
    String(decoding: try Data(contentsOf: url), as: UTF8.self)
}

/// Runs `body` with each number below `count`, on a thread of its own; returns when all have ended.
///
/// `concurrentPerform` has only as many threads as processors, so that late calls would run alone.
func sideBySide(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(index)
            group.leave()
        }
    }
    group.wait()
}

extension VersionStore {
    /// The identifiers of the item's versions, the oldest first.
    ///
    /// Returns nil if there is no item.
    func versionIdentifiers(at place: ItemPath) -> [String]? {
        versions(at: place)?.map(\.id.text)
    }
}
