// SPDX-License-Identifier: Apache-2.0
//
// Finds the user's store of versions.

import FileCoordinationSystem
import Synchronization

extension VersionStore {
    @TaskLocal private static var chosen: VersionStore?
    /// Whether a store was ever chosen.
    ///
    /// Reading a task-local variable takes time, especially the first time.
    private static let isAnyChosen = Atomic<UInt8>(0)

    /// The store that ``NSFileVersion`` uses.
    package static var current: VersionStore {
        (isAnyChosen.load(ordering: .relaxed) != 0 ? chosen : nil) ?? ofUser
    }

    /// Whether the current store is at a path.
    package static func isCurrent(at path: [UInt8]) -> Bool {
        // Usually this does not retain the store, because each delegated write asks.
        isAnyChosen.load(ordering: .relaxed) != 0
            ? current.pathBytes == path : ofUser.pathBytes == path
    }

    /// Makes `body` use another store than the user's own; for tests and tools.
    package static func choosing<Result>(
        _ store: VersionStore, _ body: () throws -> Result
    ) rethrows -> Result {
        isAnyChosen.store(1, ordering: .relaxed)
        return try $chosen.withValue(store, operation: body)
    }

    /// Does the same for an `async` body and the tasks that it starts.
    package static func choosing<Result>(
        _ store: VersionStore, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        isAnyChosen.store(1, ordering: .relaxed)
        return try await $chosen.withValue(store, operation: body)
    }

    private static let ofUser = VersionStore(
        path: location(
            variable: CurrentProcess.hasBorrowedRights
                ? { _ in nil } : CurrentProcess.environmentVariable,
            home: CurrentProcess.homeDirectory))

    /// The directory of a user's store.
    ///
    /// It is `FILECOORDINATION_VERSIONS_DIR`, or else `filecoordination/versions` in
    /// `XDG_DATA_HOME`, whose default is `~/.local/share`. As the XDG specification demands, a
    /// relative path is ignored.
    package static func location(
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
