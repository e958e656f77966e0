// SPDX-License-Identifier: Apache-2.0
//
// Claims that this process has filed, and of which the arbiter may not know: no server has seen
// them yet, or they run by a grant whose end is not reported. What is delegated to the process is
// recalled when a server sees a claim that waits; until then, and while one runs that the arbiter
// does not know, a later claim of the same process must not be granted on the spot beside it (Rules
// 2.2, 2.3, 2.14).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// Claims that are filed, but for those which a place knows of.
///
/// May be used from any thread.
final class UnseenClaims: Sendable {
    private let ledger: LedgerWriter
    private let entries = Lock<[Entry]>([])
    private let count = Atomic(0)
    /// How many there are before it is looked, when one more comes, which were seen.
    private let looksAt = Atomic(16)

    private struct Entry {
        let record: RecordReference
        /// What each item is, or is part of.
        let places: [ItemPath]
    }

    init(_ ledger: LedgerWriter) { self.ledger = ledger }

    /// Records a claim that is going to be filed.
    func insert(_ record: RecordReference, _ items: [AccessItem]) {
        let places = items.map { item in
            item.packageDepths.first.map { item.path.prefix(depth: $0) } ?? item.path
        }
        entries.withLock { entries in
            // Thousands may be filed before a server sees the first.
            if entries.count >= looksAt.load(ordering: .relaxed) {
                entries.removeAll { !ledger.isUnseen($0.record) }
                looksAt.store(max(16, 2 * entries.count), ordering: .relaxed)
            }
            entries.append(Entry(record: record, places: places))
            count.store(entries.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether one of them may conflict with plain access to an item.
    func concern(_ path: ItemPath) -> Bool {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return false }
        return entries.withLock { entries in
            entries.removeAll { !ledger.isUnseen($0.record) }
            count.store(entries.count, ordering: .sequentiallyConsistent)
            return entries.contains { entry in
                entry.places.contains { $0 == path || $0.contains(path) }
            }
        }
    }
}
