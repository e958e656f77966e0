// SPDX-License-Identifier: Apache-2.0
//
// Gathers the reports of delegated writes of which presenters are told. When such a report comes,
// the server returns the record that it has kept of this client, then looks at all writes of the
// client that have ended, and keeps the record of the report that has come. After a pause it
// returns that, too, and looks once more. In this order, the server sees each write whose client
// has sent no message because the record of its last report was not returned: see `LastReport`.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Whether a record is that of a delegated write that has ended and is to be reported, and its
    /// client relies on the server to look at further ones.
    func isGathered(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        guard snapshot.isReport, let token = client.connection, let connection = connections[token]
        else { return false }
        return connection.version >= ProtocolVersion.withGatheredReports
            && records.identity(of: snapshot.reference, of: client.id) == nil
            && !isActedOn(snapshot.reference, of: client.id)
    }

    /// Whether the server has acted on a record that is not returned yet.
    func isActedOn(_ record: RecordReference, of client: ClientID) -> Bool {
        outgoing.isGivenBack(record, of: client)
            || delegations.reports.isHandled(record, of: client)
    }

    /// Looks at all writes of a client that have ended; `latest` is the one that it has reported.
    func gatherReports(of client: Client, latest: RecordReference) {
        if let kept = delegations.reports.take(of: client.id) { _ = giveBack(kept) }
        delegations.reports.keep(latest, of: client, at: MonotonicClock.now)
        lookForReports(of: client)
    }

    /// Returns the records whose pause is over, and looks at what has ended since.
    func workOnGatheredReports(at now: UInt64) {
        while let kept = delegations.reports.takeDue(at: now) {
            if giveBack(kept) { lookForReports(of: kept.client) }
            finishWork()
        }
    }

    /// Returns all records that are kept, because the server leaves.
    func giveBackAllKept() {
        workOnGatheredReports(at: .max)
        sendAll()
    }

    /// Returns a record to its client.
    ///
    /// Returns whether the client may rely on a further look: not if another server has returned
    /// the record.
    func giveBack(_ entry: Outgoing.GivenBack) -> Bool {
        entry.client.ledger.reap(entry.record, presence.epoch) && entry.isReport
    }

    private func giveBack(_ kept: GatheredReports.Kept) -> Bool {
        // All that follows from it was sent at the end of its turn. If it was not handled yet, it
        // is given back after that, as any other.
        kept.isHandled && kept.client.ledger.reap(kept.record, presence.epoch)
    }

    /// Queues checks of the writes of a client that have ended, in the order of their beginnings.
    func lookForReports(of client: Client) {
        let found = client.ledger.scan().filter { snapshot in
            snapshot.isReport && !isActedOn(snapshot.reference, of: client.id)
        }
        let checks = gathered(found.sorted { $0.filedAt < $1.filedAt }, client)
        guard !checks.isEmpty else { return }
        work.replace(by: checks.map { .check($0) })
    }

    /// Returns the checks of ended writes, one for each series.
    private func gathered(_ found: [RecordSnapshot], _ client: Client) -> [RecordCheck] {
        var checks: [RecordCheck] = []
        var series: WriteSeries?
        func finish() {
            guard let writes = series else { return }
            if !writes.others.isEmpty { delegations.reports.add(writes, of: client.id) }
            checks.append(RecordCheck(client: client.id, record: writes.last))
            series = nil
        }
        for snapshot in found {
            // A recording shows each claim.
            let write =
                outgoing.recordings.isEmpty && isUnknown(snapshot, of: client)
                ? WriteSeries.Write(snapshot.reference, in: client.ledger) : nil
            guard let write else {
                finish()
                checks.append(RecordCheck(snapshot, of: client.id))
                continue
            }
            if series?.append(write) == true { continue }
            finish()
            series = WriteSeries(
                write,
                purposesOfPresenters: arbiter.purposesOfPresenters(
                    towards: write.body.items[0].path))
        }
        finish()
        return checks
    }

    private func isUnknown(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        records.identity(of: snapshot.reference, of: client.id) == nil
    }
}

extension RecordSnapshot {
    /// Whether it is a write that its client has granted itself, and that has ended and is to be
    /// reported.
    fileprivate var isReport: Bool {
        kind == .claim && state == .released
            && flags.isSuperset(of: [.unreported, .reportsRelease])
    }
}
