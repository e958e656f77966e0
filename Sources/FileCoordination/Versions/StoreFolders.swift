// SPDX-License-Identifier: Apache-2.0
//
// The store's directories, opened; and where the store of a user is.

import FileCoordinationSystem
import Foundation
import Synchronization

/// The store's directories, opened to change something in them.
struct StoreFolders: Sendable {
    /// The store itself, to look at.
    let view: StoreView
    let ties: TieFolders
    let items: Directory
    let work: Directory
    let writing: Directory
    let removed: Directory

    /// Opens the store at `path`; nil if there is none and it is not to be made.
    static func open(_ path: String, creating: Bool) throws(SystemError) -> StoreFolders? {
        if creating { makeDirectory(path) }
        guard let view = try StoreView.open(path) else { return nil }
        let root = view.root
        for name in [StoreName.places, StoreName.files] { _ = try folder(name, in: root) }
        return StoreFolders(
            view: view, ties: TieFolders(root: root),
            items: try folder(StoreName.items, in: root),
            work: try folder(StoreName.work, in: root),
            writing: try folder(StoreName.writing, in: root),
            removed: try folder(StoreName.removed, in: root))
    }

    /// A store may have been made only just now, by another process that is not done.
    private static func folder(
        _ name: String, in root: Directory
    ) throws(SystemError) -> Directory {
        do {
            return try root.openSubdirectory(name)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return try root.openSubdirectory(name, creatingWithMode: 0o700)
        }
    }

    /// Whatever goes wrong, opening the directory says it better.
    private static func makeDirectory(_ path: String) {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }
}

extension VersionStore {
    @TaskLocal private static var chosen: VersionStore?
    /// Whether any was ever chosen: asking for a task's variable takes time, the first time much.
    private static let isAnyChosen = Atomic(false)

    /// The store that ``NSFileVersion`` uses.
    package static var current: VersionStore {
        (isAnyChosen.load(ordering: .relaxed) ? chosen : nil) ?? ofUser
    }

    /// Has `body` use a store instead of the user's own; for tests and tools.
    package static func choosing<Result>(
        _ store: VersionStore, _ body: () throws -> Result
    ) rethrows -> Result {
        isAnyChosen.store(true, ordering: .relaxed)
        return try $chosen.withValue(store, operation: body)
    }

    /// The same for what is `async`, with the tasks that it starts.
    package static func choosing<Result>(
        _ store: VersionStore, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        isAnyChosen.store(true, ordering: .relaxed)
        return try await $chosen.withValue(store, operation: body)
    }

    private static let ofUser = VersionStore(
        path: CurrentProcess.hasBorrowedRights
            ? location(
                variable: { _ in nil },
                home: FileManager.default.homeDirectoryForCurrentUser.path)
            : location(variable: CurrentProcess.environmentVariable, home: ownHome))

    /// What Foundation would say, without waking it for the variable that it looks at.
    private static var ownHome: String {
        let isFixed = CurrentProcess.environmentVariable("CFFIXED_USER_HOME") != nil
        if !isFixed, let home = CurrentProcess.environmentVariable("HOME"), home.hasPrefix("/") {
            return home
        }
        return FileManager.default.homeDirectoryForCurrentUser.path
    }

    /// The directory of a user's store.
    ///
    /// `FILECOORDINATION_VERSIONS_DIR`, or `filecoordination/versions` in `XDG_DATA_HOME`, which is
    /// `~/.local/share` unless set. A path that is not absolute counts as none, as the XDG
    /// specification wants it.
    package static func location(environment: [String: String], home: String) -> String {
        location(variable: { environment[$0] }, home: home)
    }

    private static func location(
        variable: (String) -> String?, home: @autoclosure () -> String
    ) -> String {
        func directory(_ name: String) -> String? {
            variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let chosen = directory("FILECOORDINATION_VERSIONS_DIR") { return chosen }
        let data = directory("XDG_DATA_HOME") ?? home() + "/.local/share"
        return data + "/filecoordination/versions"
    }
}
