// SPDX-License-Identifier: Apache-2.0
//
// Who holds, who waits, and for whom: always to be had, without stopping anything (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What a report has found out about processes so far.
struct ReportLooks {
    /// Where its reader has its number.
    let namespace: UInt64
    /// Whether processes are stopped that were looked at.
    var stopped: [ClientID: Bool] = [:]
}

/// A report that is being made for a connection.
struct StatusWork {
    let token: UInt64
    /// What is not in it yet.
    var claims: ArraySlice<ClaimID>
    var presenters: ArraySlice<PresenterID>
    var text: StatusReportText
    var looks: ReportLooks
    /// Whether something was not sent.
    var hasMore = true
    /// Whether it can go on at once.
    var isOpen = true
    private var hasPresenters = false

    init(
        token: UInt64, claims: ArraySlice<ClaimID>, presenters: ArraySlice<PresenterID>,
        text: StatusReportText, looks: ReportLooks
    ) {
        self.looks = looks
        self.token = token
        self.claims = claims
        self.presenters = presenters
        self.text = text
    }

    /// Whether all is in it.
    var isWhole: Bool { claims.isEmpty && presenters.isEmpty }

    /// There are no more claims.
    mutating func beginPresenters() {
        if !hasPresenters { text.beginPresenters() }
        hasPresenters = true
    }
}

extension Host {
    /// Answers whom one claim waits for.
    func explain(_ record: WireRecord, to client: Client) {
        guard let known = client.known[record.index], known.generation == record.generation,
            case .claim(let claim) = known.identity
        else {
            return send(.explanation(record, stage: nil, parties: []), to: client)
        }
        var looks = ReportLooks(namespace: client.ledger.processNamespace)
        let parties = parties(arbiter.impediments(of: claim), &looks, limit: WireLimits.parties)
        send(
            .explanation(record, stage: arbiter.stage(of: claim), parties: parties), to: client)
    }

    /// Begins to answer who holds and who waits.
    ///
    /// That takes a while where there are thousands, and nobody else is to wait for it: so it goes
    /// on in every turn for a moment (``workOnStatus()``). What ends meanwhile is left out.
    func sendStatus(to connection: Connection) {
        guard !statusWork.contains(where: { $0.token == connection.token }) else { return }
        adoptLocalClaims()
        let namespace = namespace(of: connection)
        let ownID =
            namespace == ownNamespace
            ? CurrentProcess.id : ProcessNumber.inAnotherNamespace(CurrentProcess.id)
        let text = StatusReportText(
            arbiter: ArbiterStatus(
                processID: ownID, kind: configuration.kind,
                uptimeNanoseconds: MonotonicClock.now - startedAt,
                protocolVersion: configuration.protocolVersion),
            version: connection.version)
        statusWork.append(
            StatusWork(
                token: connection.token, claims: arbiter.claimIDs[...],
                presenters: arbiter.presenterIDs[...], text: text,
                looks: ReportLooks(namespace: namespace)))
    }

    /// Whether there is a report of which a bit can be made, or sent, now.
    var hasStatusWork: Bool {
        statusWork.contains { work in
            !work.isWhole || connections[work.token]?.hasBacklog != true
        }
    }

    /// Makes, or sends, a bit of the reports that were asked for.
    func workOnStatus() {
        guard !statusWork.isEmpty else { return }
        let end = MonotonicClock.now + HostLimits.statusSlice
        var next = statusWork
        statusWork = []
        for index in next.indices {
            repeat { step(&next[index]) } while next[index].isOpen && MonotonicClock.now < end
        }
        // In the order in which they were asked for, but the others go first the next time.
        let open = next.filter { $0.hasMore && connections[$0.token] != nil }
        statusWork = Array(open.dropFirst()) + open.prefix(1) + statusWork
    }

    private func step(_ work: inout StatusWork) {
        work.isOpen = true
        if let claim = work.claims.popFirst() {
            if let entry = arbiter.status(of: claim) {
                work.text.add(status(of: entry, &work.looks))
            }
            if work.claims.isEmpty { work.beginPresenters() }
        } else if let presenter = work.presenters.popFirst() {
            work.beginPresenters()
            if let entry = arbiter.status(of: presenter) {
                work.text.add(status(of: entry, &work.looks))
            }
        } else {
            work.beginPresenters()
            guard let connection = connections[work.token], !connection.hasBacklog else {
                work.isOpen = false
                return
            }
            if let part = work.text.nextPart() {
                send(part, on: connection)
            } else {
                work.hasMore = false
                work.isOpen = false
            }
        }
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
        // A reader of an older version does not say where it is, and is here.
        let namespace = namespace == 0 ? ownNamespace : namespace
        if own == namespace || own == 0 { return client.ledger.processID }
        // Seen by the host, and so by a reader in the host's namespace.
        if namespace == ownNamespace, client.visibleID != 0 { return client.visibleID }
        return ProcessNumber.inAnotherNamespace(client.ledger.processID)
    }

    private func status(
        of entry: FileCoordinationArbiter.ClaimStatus, _ looks: inout ReportLooks
    ) -> FileCoordinationWire.ClaimStatus {
        let owner = clients[entry.claim.client]
        let waitsFor = arbiter.impediments(
            of: entry.claim.id, amongFirst: HostLimits.partiesLookedAt)
        return FileCoordinationWire.ClaimStatus(
            claim: entry.claim.id.rawValue, processID: number(of: owner, for: looks.namespace),
            processName: owner?.ledger.programName ?? "", purpose: entry.claim.purpose.bytes,
            stage: entry.stage, sinceNanoseconds: age(of: entry.claim.id),
            isStopped: isStopped(owner, &looks), items: entry.claim.items,
            waitsFor: parties(waitsFor, &looks, limit: HostLimits.reportedParties),
            waitsForCount: waitsFor.count, label: label(of: claims[entry.claim.id], owner))
    }

    private func status(
        of entry: FileCoordinationArbiter.PresenterStatus, _ looks: inout ReportLooks
    ) -> FileCoordinationWire.PresenterStatus {
        let presenter = entry.presenter
        let owner = clients[presenter.client]
        return FileCoordinationWire.PresenterStatus(
            presenter: presenter.id.rawValue, processID: number(of: owner, for: looks.namespace),
            processName: owner?.ledger.programName ?? "", path: presenter.path?.bytes,
            isUnresponsive: entry.isUnresponsive, isStopped: isStopped(owner, &looks),
            label: label(of: presenters[presenter.id], owner))
    }

    private func parties(
        _ impediments: [Impediment], _ looks: inout ReportLooks, limit: Int
    ) -> [Party] {
        var parties: [Party] = []
        for impediment in impediments.prefix(limit) {
            switch impediment {
            case .claim(let other):
                guard let filed = arbiter.claim(other), let stage = arbiter.stage(of: other),
                    let party = party(CycleStep(claim: filed, stage: stage), &looks)
                else { continue }
                parties.append(party)
            case .presenter(let presenter, let steps):
                if let party = party(presenter: presenter, steps, &looks) {
                    parties.append(party)
                }
            }
        }
        return parties
    }

    /// A claim that may be over by now.
    func party(_ step: CycleStep, _ looks: inout ReportLooks) -> Party? {
        let filed = step.claim
        guard let owner = clients[filed.client] else { return nil }
        return Party(
            claim: filed.id.rawValue, presenter: nil,
            processID: number(of: owner, for: looks.namespace),
            processName: owner.ledger.programName, purpose: filed.purpose.bytes,
            path: filed.items.first?.path.bytes ?? [],
            role: step.stage == .granted ? .holder : .waiter,
            sinceNanoseconds: age(of: filed.id),
            message: nil, isStopped: isStopped(owner, &looks),
            label: label(of: claims[filed.id], owner))
    }

    func party(
        presenter: PresenterID, _ steps: YieldSteps, _ looks: inout ReportLooks
    ) -> Party? {
        guard let registered = arbiter.presenter(presenter), let owner = clients[registered.client]
        else { return nil }
        return Party(
            claim: nil, presenter: presenter.rawValue,
            processID: number(of: owner, for: looks.namespace),
            processName: owner.ledger.programName, purpose: registered.purpose.bytes,
            path: registered.path?.bytes ?? [], role: .presenter, sinceNanoseconds: 0,
            message: steps.lastMessageName, isStopped: isStopped(owner, &looks),
            label: label(of: presenters[presenter], owner))
    }

    /// How long the claim has been in its present stage; its record remembers over hosts.
    private func age(of claim: ClaimID) -> UInt64 {
        guard let address = claims[claim], let client = clients[address.client],
            let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
        else { return 0 }
        let isGranted = snapshot.state == .granted && snapshot.grantedAt > 0
        let since = isGranted ? snapshot.grantedAt : snapshot.filedAt
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

    /// Asks the kernel once for each client in a report.
    private func isStopped(_ client: Client?, _ looks: inout ReportLooks) -> Bool {
        guard let client else { return false }
        if let known = looks.stopped[client.id] { return known }
        let isStopped = isStopped(client)
        looks.stopped[client.id] = isStopped
        return isStopped
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
