// SPDX-License-Identifier: Apache-2.0
//
// Reads versions: published ones, and those that a process moved into the store before it died. The
// next change of the store publishes the latter.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc

extension StoreView {
    /// The versions of a stored item.
    func versions(of item: StoredItemID, in store: VersionStore) -> [StoredVersion] {
        // An item without a folder has no versions; what cannot be read cannot be shown.
        let names = (try? names(in: StoreName.items + "/" + item.text)) ?? []
        return names.compactMap { name in
            VersionID(name).flatMap { version($0, of: item, in: store) }
        }
    }

    /// A version of a stored item, or nil if it does not exist or is incomplete.
    func version(
        _ id: VersionID, of item: StoredItemID, in store: VersionStore
    ) -> StoredVersion? {
        version(id, of: item, at: [StoreName.items, item.text, id.text], in: store)
    }

    /// The version in a directory of the store.
    func version(
        _ id: VersionID, of item: StoredItemID, at directory: [String], in store: VersionStore
    ) -> StoredVersion? {
        let directory = directory.joined(separator: "/")
        // Another process may remove it at any time; what is incomplete is no version.
        guard let version = try? root.openSubdirectory(directory),
            let record = version.read(VersionRecord.self, from: StoreName.record),
            let contents = try? version.openSubdirectory(StoreName.contents),
            let name = try? contents.rawNames().first
        else { return nil }
        // A mark is a file; without one, it is not set.
        let marks = VersionMark.allCases.filter { (try? version.status(of: $0.rawValue)) != nil }
        return StoredVersion(
            item: item, id: id, record: record, marks: Set(marks),
            contents: store.contentsPath(in: directory, name: name),
            // If the directory was removed, so was the version, and its next use reports that.
            isDirectory: (try? contents.descriptor.status(of: name))?.kind == S_IFDIR)
    }
}

extension VersionStore {
    /// A version that a dead process moved into the store, and the path of its item.
    struct Unpublished {
        let place: ItemPath
        let version: StoredVersion
    }

    /// The versions that dead processes moved into the store without publishing them.
    func unpublished(in view: StoreView) -> [Unpublished] {
        // Without the folder, no process has moved anything.
        let names = (try? view.names(in: StoreName.work)) ?? []
        return names.compactMap { Workspace.id(ofLock: $0) }.compactMap { id in
            guard Workspace.isAbandoned(id, in: view.root),
                // Another process may have finished it by now.
                let directory = try? view.root.openSubdirectory(StoreName.work + "/" + id),
                case .adding(let adding) = directory.read(Intention.self, from: Intention.name),
                let place = ItemPath(bytes: adding.place), let version = VersionID(adding.version)
            else { return nil }
            // The next change of the store will choose the same item.
            guard
                let item = items(at: place, adding.identity, in: view).first ?? StoredItemID(id),
                let found = view.version(
                    version, of: item, at: [StoreName.work, id, VersionAddition.version],
                    in: self)
            else { return nil }
            return Unpublished(place: place, version: found)
        }
    }
}
