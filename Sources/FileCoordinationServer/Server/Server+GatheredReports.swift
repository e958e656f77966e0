// SPDX-License-Identifier: Apache-2.0
//
// Gathers the reports of delegated writes of which presenters are told. When such a report comes,
// the server acts on all writes of the client that have ended, and keeps the record of the report
// for a pause. A client sends no message as long as the record of its last report was not returned
// (see `LastReport`). So after the server has returned such a record it looks again, unless it
// keeps another one of this client: then that look comes later. As long as it finds something, it
// looks once in each pause, without messages.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Whether a record is that of a delegated write that has ended and is to be reported, and its
    /// client relies on the server to look at further ones.
    func isGathered(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        guard mayHideOthers(snapshot, of: client), let token = client.connection,
            connections[token] != nil
        else { return false }
        return isUnknown(snapshot, of: client) && !isActedOn(snapshot.reference, of: client.id)
    }

    /// Whether its client may end other writes without a message until this record is returned.
    func mayHideOthers(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        snapshot.isEndedClaim && snapshot.flags.isSuperset(of: [.unreported, .reportsRelease])
            && delegations.reporters.contains(client.id)
    }

    /// Whether the server has acted on a record that is not returned yet.
    func isActedOn(_ record: RecordReference, of client: ClientID) -> Bool {
        outgoing.isGivenBack(record, of: client)
            || delegations.reports.isHandled(record, of: client)
    }

    /// Acts on all writes of a client that have ended; `latest` is the one that it has reported.
    mutating func gatherReports(of client: Client, latest: RecordReference) {
        if let kept = delegations.reports.take(of: client.id) { giveBack(kept) }
        delegations.reports.keep(latest, of: client, at: MonotonicClock.now)
        lookForReports(of: client)
    }

    /// Returns the records whose pause is over, and looks at what has ended before others were
    /// returned.
    mutating func workOnGatheredReports(at now: UInt64) {
        while let kept = delegations.reports.takeDue(at: now) { giveBack(kept) }
        for id in delegations.reports.takeClientsToLookAt() {
            guard let client = clients[id] else { continue }
            lookForReports(of: client, keepsLast: true)
            finishWork()
        }
    }

    /// Returns all records that are kept, and acts on what has ended until then, because the server
    /// leaves.
    mutating func giveBackAllKept() {
        while let kept = delegations.reports.takeDue(at: .max) { giveBack(kept) }
        sendAll()
        for id in delegations.reports.takeClientsToLookAt() {
            if let client = clients[id] { lookForReports(of: client) }
            finishWork()
        }
        // A client that ends another write from now on sees that all were returned.
        sendAll()
    }

    private mutating func giveBack(_ kept: GatheredReports.Kept) {
        // One that was not acted on yet is returned after that, as any other.
        guard kept.isHandled else { return }
        outgoing.giveBack(kept.record, to: kept.client, mayHideOthers: true)
    }

    /// Returns records to their clients, after all that follows from them was sent.
    mutating func reap(_ givenBack: [Outgoing.GivenBack]) {
        for entry in givenBack {
            // If another server has returned it, that one looks.
            guard entry.client.ledger.reap(entry.record, presence.epoch), entry.mayHideOthers,
                !delegations.reports.keeps(of: entry.client.id)
            else { continue }
            delegations.reports.lookLater(at: entry.client.id)
        }
    }

    /// Queues checks of a client's claims that have ended, in the order of their beginnings.
    ///
    /// With `keepsLast`, the record of the last one is kept, and the server looks again after that.
    mutating func lookForReports(of client: Client, keepsLast: Bool = false) {
        delegations.reports.removeSeries(of: client.id)
        let found = client.ledger.endedClaims().filter { !isActedOn($0.reference, of: client.id) }
        guard let last = found.last else { return }
        if keepsLast, mayHideOthers(last, of: client), !delegations.reports.keeps(of: client.id) {
            delegations.reports.keep(last.reference, of: client, at: MonotonicClock.now)
        }
        work.replace(by: gathered(found, client).map { .check($0) })
    }

    /// Returns the checks of ended writes, one for each series.
    private mutating func gathered(_ found: [RecordSnapshot], _ client: Client) -> [RecordCheck] {
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
            let isMerged =
                mayHideOthers(snapshot, of: client) && isUnknown(snapshot, of: client)
                && outgoing.recordings.isEmpty
            guard isMerged,
                let write = WriteSeries.Write(snapshot.reference, in: client.ledger)
            else {
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
    /// Whether it is a claim that is over and was not given up.
    fileprivate var isEndedClaim: Bool { kind == .claim && state == .released }
}
