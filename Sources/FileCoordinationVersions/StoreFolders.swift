// SPDX-License-Identifier: Apache-2.0
//
// The open directories of a store that is being changed.

import FileCoordinationSystem

/// The open directories of a store that is being changed.
package struct StoreFolders: Sendable {
    /// The store for reading.
    let view: StoreView
    let ties: TieFolders
    let items: Directory
    let work: Directory
    let writing: Directory
    let removed: Directory

    /// Opens the store at `path`.
    ///
    /// Returns nil if there is none and `creating` is false.
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

    /// Opens a directory of the store, or makes it: another process may be creating the store just
    /// now.
    private static func folder(
        _ name: String, in root: Directory
    ) throws(SystemError) -> Directory {
        do {
            return try root.openSubdirectory(name)
        } catch let error where error.code == ErrorNumber.noSuchFile {
            return try root.openSubdirectory(name, creatingWithMode: 0o700)
        }
    }

    /// Makes the directory of the store.
    ///
    /// Errors are ignored, because opening it will report them better.
    private static func makeDirectory(_ path: String) {
        // Opening it reports the error.
        _ = try? Directory.make(path, mode: 0o700)
    }
}
