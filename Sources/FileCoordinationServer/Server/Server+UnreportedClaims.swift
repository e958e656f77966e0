// SPDX-License-Identifier: Apache-2.0
//
// Reports on claims that the arbiter does not know: those that clients granted themselves by
// delegation, and those that wait in ticket queues. The server reads their records as they are. A
// report recalls no delegation and ends no ticket queue (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Returns the claims of a client that the arbiter does not know.
    func unreportedClaims(of id: ClientID) -> [UnreportedClaim] {
        guard let client = clients[id] else { return [] }
        return client.ledger.localClaims().compactMap { snapshot in
            guard records.claim(snapshot.reference, of: id) == nil,
                // An unreadable record is skipped here. Its client loses the connection when the
                // server needs the record.
                let body = client.ledger.claimBody(snapshot.reference), body.items.count == 1,
                client.ledger.snapshot(ofRecord: snapshot.reference.index)?.reference
                    == snapshot.reference
            else { return nil }
            return UnreportedClaim(
                address: RecordAddress(client: id, record: snapshot.reference), snapshot: snapshot,
                body: body)
        }
    }

    /// Returns whether a claim's record is unchanged since its ledger was read.
    func isStill(_ claim: UnreportedClaim) -> Bool {
        let now = clients[claim.address.client]?.ledger
            .snapshot(ofRecord: claim.address.record.index)
        return now?.reference == claim.snapshot.reference && now?.state == claim.snapshot.state
    }

    /// Returns the report entry of an unreported claim.
    func status(
        of claim: UnreportedClaim, among all: [UnreportedClaim], _ findings: inout ProcessFindings
    ) -> FileCoordinationWire.ClaimStatus {
        let owner = clients[claim.address.client]
        let waitsFor = claim.isRunning ? [] : partiesBlocking(claim, among: all, &findings)
        return FileCoordinationWire.ClaimStatus(
            claim: claim.number, processID: processes.number(of: owner, for: findings.namespace),
            processName: owner?.ledger.programName ?? "", purpose: claim.body.purpose,
            stage: claim.isRunning ? .granted : .waiting, sinceNanoseconds: claim.snapshot.age,
            isStopped: isStopped(owner, &findings), items: claim.body.items, waitsFor: waitsFor,
            label: label(of: claim.address, owner))
    }

    /// Returns what a claim in a ticket queue waits for: the running member, or else the arbiter's
    /// own claims at the path, which take precedence, or else the previous member.
    private func partiesBlocking(
        _ claim: UnreportedClaim, among all: [UnreportedClaim], _ findings: inout ProcessFindings
    ) -> [Party] {
        guard let path = claim.body.items.first?.path else { return [] }
        let others = all.filter { other in
            other.address != claim.address && other.body.items.contains { $0.path == path }
        }
        let running = others.filter(\.isRunning)
        if !running.isEmpty {
            return running.prefix(ServerLimits.reportedParties)
                .compactMap { party($0, .holder, &findings) }
        }
        let known = arbiter.contenders(at: path) ?? []
        if !known.isEmpty {
            return parties(known.map { .claim($0) }, &findings, limit: ServerLimits.reportedParties)
        }
        let before = others.last { $0.snapshot.filedAt < claim.snapshot.filedAt }
        return [before].compactMap { $0 }.compactMap { party($0, .waiter, &findings) }
    }

    private func party(
        _ claim: UnreportedClaim, _ role: PartyRole, _ findings: inout ProcessFindings
    ) -> Party? {
        guard let owner = clients[claim.address.client] else { return nil }
        return Party(
            claim: claim.number, presenter: nil,
            processID: processes.number(of: owner, for: findings.namespace),
            processName: owner.ledger.programName, purpose: claim.body.purpose,
            path: claim.body.items.first?.path.bytes ?? [], role: role,
            sinceNanoseconds: claim.snapshot.age, message: nil,
            isStopped: isStopped(owner, &findings), label: label(of: claim.address, owner))
    }
}
