// SPDX-License-Identifier: Apache-2.0
//
// The store's directories, opened.

import FileCoordinationSystem

/// The store's directories, opened to change something in them.
package struct StoreFolders: Sendable {
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
        _ = try? Directory.make(path, mode: 0o700)
    }
}
