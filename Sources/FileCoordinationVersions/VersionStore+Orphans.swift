// SPDX-License-Identifier: Apache-2.0
//
// Versions whose item does not exist any more. They are kept until they are removed or restored:
// deleting a document does not delete its versions.

package import FileCoordinationArbiter
import FileCoordinationSystem

extension VersionStore {
    /// The versions of items that were at `place` and do not exist any more, the oldest first.
    package func orphans(at place: ItemPath) -> [StoredVersion] {
        guard let view = viewIfReadable else { return [] }
        return Self.sorted(
            orphanedItems(at: place, in: view).flatMap { view.versions(of: $0, in: self) })
    }

    /// All versions of items that do not exist any more, by the path where the item was last seen.
    ///
    /// This examines everything in the store.
    package func allOrphans() -> [(place: ItemPath, versions: [StoredVersion])] {
        // Ties that cannot be read lead to no versions.
        guard let view = viewIfReadable, let ties = try? view.allTies() else {
            return []
        }
        return Set(ties.map(\.place)).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .compactMap { place in
                let found = orphans(at: place)
                return found.isEmpty ? nil : (place, found)
            }
    }

    /// Whether the stored item was at `place` and does not exist any more.
    func isOrphan(_ item: StoredItemID, at place: ItemPath, in view: StoreView) -> Bool {
        orphanedItems(at: place, in: view).contains(item)
    }

    static func sorted(_ versions: [StoredVersion]) -> [StoredVersion] {
        versions.sorted { ($0.record.added, $0.id) < ($1.record.added, $1.id) }
    }

    private func orphanedItems(at place: ItemPath, in view: StoreView) -> [StoredItemID] {
        // Ties that cannot be read lead to no items.
        let here = ((try? view.ties(at: place)) ?? []).filter { view.hasItem($0.item) }
        guard !here.isEmpty else { return [] }
        let present = ItemIdentity(of: place).map { items(at: place, $0, in: view) } ?? []
        let gone = here.filter {
            !present.contains($0.item) && !FileSearch.finds($0.identity, around: place)
        }
        return Self.items(of: gone)
    }
}
