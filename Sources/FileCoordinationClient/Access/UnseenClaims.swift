// SPDX-License-Identifier: Apache-2.0
//
// Claims that this process has filed and that the arbiter may not know: no server has seen them
// yet, or they run under an unreported grant. When a server sees a waiting claim, it recalls the
// process's delegations. Until then, and while an unreported claim runs, a later conflicting claim
// of the same process must not be granted locally (Rules 2.2, 2.3, 2.14).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// The filed claims, except for those that a delegated place knows.
///
/// May be used from any thread.
final class UnseenClaims: Sendable {
    private let ledger: LedgerWriter
    private let entries = Lock<[Entry]>([])
    private let count = Atomic(0)
    /// The number of entries at which those that a server has seen are removed.
    private let sweepThreshold = Atomic(16)

    private struct Entry {
        let record: RecordReference
        /// The exclusion node of each item.
        let places: [ItemPath]
    }

    init(_ ledger: LedgerWriter) { self.ledger = ledger }

    /// Adds a claim that is about to be filed.
    func insert(_ record: RecordReference, _ items: [AccessItem]) {
        let places = items.map { item in
            item.packageDepths.first.map { item.path.prefix(depth: $0) } ?? item.path
        }
        entries.withLock { entries in
            // Thousands of claims may be filed before a server sees the first.
            if entries.count >= sweepThreshold.load(ordering: .relaxed) {
                entries.removeAll { !ledger.isUnseen($0.record) }
                sweepThreshold.store(max(16, 2 * entries.count), ordering: .relaxed)
            }
            entries.append(Entry(record: record, places: places))
            count.store(entries.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether one of the claims may conflict with plain access to an item.
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
