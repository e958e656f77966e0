// SPDX-License-Identifier: Apache-2.0
//
// Scans of whole ledgers. They are needed for clients that reconnect or have died, and where
// messages do not show in which order claims were filed. A scan selects records and queues a check
// at each of them in its own place.

import FileCoordinationArbiter
import FileCoordinationLedger

extension Server {
    /// Replaces a scan by checks of the records that it selects.
    mutating func expand(_ scan: LedgerScan) {
        work.replace(by: checks(scan).map { .check($0) })
    }

    private func checks(_ scan: LedgerScan) -> [RecordCheck] {
        switch scan {
        case .all(let ids):
            return records(of: ids) { _ in true }.sorted { $0.filedAt < $1.filedAt }.map(\.check)
        // A client that has died may also have been granted claims and ended them, so that their
        // announcements are still to be handled.
        case .granted(let id): return records(of: [id]) { $0.wasGranted }.map(\.check)
        // After a change of servers, clients reconnect one by one. A claim of a client that
        // has reconnected must not be granted before an earlier claim of one that has not.
        case .absent(let time, let other):
            let absent = clients.recentlyAbsent.map(\.id)
            if absent.isEmpty { return [] }
            return records(of: absent + [other].compactMap { $0 }) {
                $0.state == .asked && $0.filedAt <= time
            }.sorted { $0.filedAt < $1.filedAt }.map(\.check)
        }
    }

    private func records(
        of ids: [ClientID], where isMeant: (RecordSnapshot) -> Bool
    ) -> [(check: RecordCheck, filedAt: UInt64)] {
        ids.flatMap { id in
            (clients[id]?.ledger.scan() ?? []).filter(isMeant).map {
                (RecordCheck($0, of: id), $0.filedAt)
            }
        }
    }
}

extension RecordSnapshot {
    /// Whether the claim runs, has run or was cancelled.
    fileprivate var wasGranted: Bool {
        switch state {
        case .granted, .released, .cancelled: true
        case .free, .draft, .asked: false
        }
    }
}
