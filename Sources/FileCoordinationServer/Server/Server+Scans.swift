// SPDX-License-Identifier: Apache-2.0
//
// Looking at whole ledgers: of clients that come back or are gone, and where what was sent does not
// tell in which order it was meant. A scan finds records and puts looks at them in its own place.

import FileCoordinationArbiter
import FileCoordinationLedger

extension Server {
    /// Puts looks at the records that a scan is about in its place.
    func expand(_ scan: LedgerScan) {
        work.replace(by: looks(scan).map { .look($0) })
    }

    private func looks(_ scan: LedgerScan) -> [RecordLook] {
        switch scan {
        case .all(let id):
            return records(of: [id]) { _ in true }.sorted { $0.filedAt < $1.filedAt }.map(\.look)
        // Also a client that is dead has got and ended claims, and said what it had to say.
        case .granted(let id): return records(of: [id]) { $0.wasGranted }.map(\.look)
        // Right after a server has taken over, its clients come back one by one, and what they file
        // meanwhile is not to be overtaken by those who came first.
        case .absent(let time, let other):
            let absent = clients.recentlyAbsent.map(\.id)
            if absent.isEmpty { return [] }
            return records(of: absent + [other].compactMap { $0 }) {
                $0.state == .asked && $0.filedAt <= time
            }.sorted { $0.filedAt < $1.filedAt }.map(\.look)
        }
    }

    private func records(
        of ids: [ClientID], where isMeant: (RecordSnapshot) -> Bool
    ) -> [(look: RecordLook, filedAt: UInt64)] {
        ids.flatMap { id in
            (clients[id]?.ledger.scan() ?? []).filter(isMeant).map {
                (RecordLook($0, of: id), $0.filedAt)
            }
        }
    }
}

extension RecordSnapshot {
    /// Whether it runs or ran, or was given up.
    fileprivate var wasGranted: Bool {
        switch state {
        case .granted, .released, .cancelled: true
        case .free, .draft, .asked: false
        }
    }
}
