// SPDX-License-Identifier: Apache-2.0
//
// Who holds, who waits, and for whom: always to be had, without stopping anything (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Answers whom one claim waits for.
    func explain(_ record: WireRecord, to client: Client) {
        guard let known = client.known[record.index], known.generation == record.generation,
            case .claim(let claim) = known.identity
        else {
            return send(.explanation(record, stage: nil, parties: []), to: client)
        }
        send(
            .explanation(
                record, stage: arbiter.stage(of: claim),
                parties: parties(inTheWayOf: claim, for: client.ledger.processNamespace)),
            to: client)
    }

    func sendStatus(to connection: Connection) {
        let report = statusReport(for: namespace(of: connection))
        let parts = HostMessage.packing(report, version: connection.version)
        for part in parts { send(part, on: connection) }
    }

    /// Where the reader of what is sent on a connection has its number.
    private func namespace(of connection: Connection) -> UInt64 {
        if let client = connection.client { return client.ledger.processNamespace }
        if connection.peer.processID == CurrentProcess.id { return ownNamespace }
        return connection.socket.peerProcess()?.namespace ?? 0
    }

    /// A process's number as a reader in `namespace` knows it (``ProcessNumber``).
    func number(of client: Client?, for namespace: UInt64) -> Int32 {
        guard let client else { return 0 }
        let own = client.ledger.processNamespace
        if own == namespace || own == 0 { return client.ledger.processID }
        // Seen by the host, and so by a reader in the host's namespace.
        if namespace == ownNamespace, client.visibleID != 0 { return client.visibleID }
        return ProcessNumber.inAnotherNamespace(client.ledger.processID)
    }

    private func statusReport(for namespace: UInt64) -> StatusReport {
        adoptLocalClaims()
        let now = MonotonicClock.now
        let ownID =
            namespace == ownNamespace
            ? CurrentProcess.id : ProcessNumber.inAnotherNamespace(CurrentProcess.id)
        return StatusReport(
            arbiter: ArbiterStatus(
                processID: ownID, kind: configuration.kind,
                uptimeNanoseconds: now - startedAt, protocolVersion: configuration.protocolVersion),
            claims: arbiter.claims.map { status(of: $0, for: namespace) },
            presenters: arbiter.presenters.map { status(of: $0, for: namespace) })
    }

    private func status(
        of entry: FileCoordinationArbiter.ClaimStatus, for namespace: UInt64
    ) -> FileCoordinationWire.ClaimStatus {
        let owner = clients[entry.claim.client]
        let waitsFor = arbiter.impediments(of: entry.claim.id)
        return FileCoordinationWire.ClaimStatus(
            claim: entry.claim.id.rawValue, processID: number(of: owner, for: namespace),
            processName: owner?.ledger.programName ?? "", purpose: entry.claim.purpose.bytes,
            stage: entry.stage, sinceNanoseconds: age(of: entry.claim.id),
            isStopped: owner.map { isStopped($0) } ?? false, items: entry.claim.items,
            waitsFor: parties(waitsFor, for: namespace, limit: HostLimits.reportedParties),
            waitsForCount: waitsFor.count, label: label(of: claims[entry.claim.id], owner))
    }

    private func status(
        of entry: FileCoordinationArbiter.PresenterStatus, for namespace: UInt64
    ) -> FileCoordinationWire.PresenterStatus {
        let presenter = entry.presenter
        let owner = clients[presenter.client]
        return FileCoordinationWire.PresenterStatus(
            presenter: presenter.id.rawValue, processID: number(of: owner, for: namespace),
            processName: owner?.ledger.programName ?? "", path: presenter.path?.bytes,
            isUnresponsive: entry.isUnresponsive, isStopped: owner.map { isStopped($0) } ?? false,
            label: label(of: presenters[presenter.id], owner))
    }

    private func parties(inTheWayOf claim: ClaimID, for namespace: UInt64) -> [Party] {
        parties(arbiter.impediments(of: claim), for: namespace, limit: WireLimits.parties)
    }

    private func parties(
        _ impediments: [Impediment], for namespace: UInt64, limit: Int
    ) -> [Party] {
        impediments.prefix(limit).compactMap { impediment in
            switch impediment {
            case .claim(let other): party(claim: other, for: namespace)
            case .presenter(let presenter, let steps):
                party(presenter: presenter, steps, for: namespace)
            }
        }
    }

    private func party(claim: ClaimID, for namespace: UInt64) -> Party? {
        guard let filed = arbiter.claim(claim), let stage = arbiter.stage(of: claim) else {
            return nil
        }
        return party(CycleStep(claim: filed, stage: stage), for: namespace)
    }

    /// A claim that may be over by now.
    func party(_ step: CycleStep, for namespace: UInt64) -> Party? {
        let filed = step.claim
        guard let owner = clients[filed.client] else { return nil }
        return Party(
            claim: filed.id.rawValue, presenter: nil, processID: number(of: owner, for: namespace),
            processName: owner.ledger.programName, purpose: filed.purpose.bytes,
            path: filed.items.first?.path.bytes ?? [],
            role: step.stage == .granted ? .holder : .waiter,
            sinceNanoseconds: age(of: filed.id),
            message: nil, isStopped: isStopped(owner), label: label(of: claims[filed.id], owner))
    }

    func party(
        presenter: PresenterID, _ steps: YieldSteps, for namespace: UInt64
    ) -> Party? {
        guard let registered = arbiter.presenter(presenter), let owner = clients[registered.client]
        else { return nil }
        return Party(
            claim: nil, presenter: presenter.rawValue,
            processID: number(of: owner, for: namespace),
            processName: owner.ledger.programName, purpose: registered.purpose.bytes,
            path: registered.path?.bytes ?? [], role: .presenter, sinceNanoseconds: 0,
            message: steps.lastMessageName, isStopped: isStopped(owner),
            label: label(of: presenters[presenter], owner))
    }

    /// How long the claim has been in its present stage; its record remembers over hosts.
    private func age(of claim: ClaimID) -> UInt64 {
        guard let address = claims[claim], let client = clients[address.client],
            let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
        else { return 0 }
        let since = snapshot.state == .granted ? snapshot.grantedAt : snapshot.filedAt
        let now = MonotonicClock.now
        return now > since ? now - since : 0
    }

    /// What a claim or a presenter is called: by its record, else by its process (Rule 18.15).
    private func label(of address: RecordAddress?, _ owner: Client?) -> String {
        guard let owner else { return "" }
        if let address, let bytes = owner.ledger.supplement(address.record),
            let own = try? RecordSupplement(decoding: bytes).label, !own.isEmpty
        {
            return own
        }
        return String(decoding: owner.ledger.label, as: UTF8.self)
    }
}

extension YieldSteps {
    /// The Swift name of the message that decides: the last of the steps.
    var lastMessageName: String {
        if !accommodateSubitemDeletions.isEmpty {
            return "accommodatePresentedSubitemDeletion(at:)"
        }
        if accommodateDeletion { return "accommodatePresentedItemDeletion" }
        if save { return "savePresentedItemChanges" }
        return relinquish.contains(.writer)
            ? "relinquishPresentedItem(toWriter:)" : "relinquishPresentedItem(toReader:)"
    }
}
