// SPDX-License-Identifier: Apache-2.0
//
// Checks whether the store can be read. The reads of the store answer without errors, because the
// API that they serve has none: to them, what cannot be read does not exist. A caller that can
// report an error uses these checks before such a read, and so does not take a store that it may
// not read for an empty one.

package import FileCoordinationArbiter
package import FileCoordinationSystem

extension VersionStore {
    /// Checks that everything in the store about the item at `place` can be read.
    ///
    /// - Parameter place: the path of the item, or the former path of one that is gone.
    /// - Throws: ``SystemError`` about the first part of the store that cannot be read. A store
    ///   that does not exist is empty, which is no error.
    package func requireReadable(at place: ItemPath) throws(SystemError) {
        guard let view = try StoreView.open(path) else { return }
        var ties = try view.ties(at: place)
        let inode = ItemIdentity(of: place)?.inode
        if let inode { ties += try view.ties(ofFile: inode) }
        try view.requireReadable(ties)
    }

    /// Checks that everything in the store can be read.
    package func requireReadable() throws(SystemError) {
        guard let view = try StoreView.open(path) else { return }
        try view.requireReadable(view.allTies())
    }
}

extension StoreView {
    /// Checks that the versions of the items of these ties can be read, and the unfinished work of
    /// dead processes, which may be versions, too.
    fileprivate func requireReadable(_ ties: [FoundTie]) throws(SystemError) {
        _ = try names(in: StoreName.work)
        _ = try names(in: StoreName.writing)
        // Also without a tie, this tells whether versions can be read.
        _ = try names(in: StoreName.items)
        for item in Set(ties.map(\.item)) {
            let folder = StoreName.items + "/" + item.text
            for name in try names(in: folder) where VersionID(name) != nil {
                try requireReadableVersion(folder + "/" + name)
            }
        }
    }

    private func requireReadableVersion(_ folder: String) throws(SystemError) {
        do throws(SystemError) {
            let version = try root.openSubdirectory(folder)
            let record = try version.openFile(StoreName.record, [.read])
            let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
            defer { unsafe byte.deallocate() }
            _ = try unsafe record.read(into: byte, at: 0)
            _ = try version.openSubdirectory(StoreName.contents).rawNames()
        } catch {
            // Another process may remove the version at any time.
            guard error.code != ErrorNumber.noSuchFile else { return }
            throw error
        }
    }
}
