// SPDX-License-Identifier: Apache-2.0
//
// Makes status reports and explanations: which claims hold items, which wait, and for what. A
// report stops no other work (Rule 18.5). Clients, claims and presenters, which the arbiter knows
// by number, are reported as processes, purposes and paths. Below: what users dismiss after they
// have read a report.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Answers a client's question what one of its claims waits for.
    mutating func explain(_ record: RecordReference, to client: Client) {
        guard let claim = records.claim(record, of: client.id) else {
            return send(.explanation(record, stage: nil, parties: []), to: client)
        }
        lookAtHolders(inTheWayOf: claim)
        var findings = ProcessFindings(namespace: client.ledger.processNamespace)
        let found = arbiter.impediments(of: claim, amongFirst: ServerLimits.partiesLookedAt)
        let parties = parties(found, &findings, limit: WireLimits.parties)
        client.connection.flatMap { connections[$0] }?.hasAskedMuch = true
        send(
            .explanation(record, stage: arbiter.stage(of: claim), parties: parties), to: client)
    }

    /// Looks at the records of the claims that a claim waits for.
    ///
    /// A holder may have let go, and the message about it not have been read. A claim that does not
    /// wait would be given up.
    private mutating func lookAtHolders(inTheWayOf claim: ClaimID) {
        let found = arbiter.impediments(of: claim, amongFirst: ServerLimits.partiesLookedAt)
        for case .claim(let other) in found {
            guard let address = records.address(of: other) else { continue }
            work.append(.check(RecordCheck(client: address.client, record: address.record)))
        }
        finishWork()
    }

    /// Starts a status report for a connection.
    ///
    /// ``workOnReports()`` makes and sends it step by step.
    mutating func beginStatus(for connection: Connection) {
        let token = connection.token
        guard !outgoing.reports.isMade(for: token) else { return }
        guard !outgoing.reports.isFull else {
            return refuse(
                connection, .limitReached, "too many programs read status reports at once")
        }
        let text = StatusReportText(arbiter: status(for: connection))
        outgoing.reports.begin(
            StatusWork(
                token: token, clients: clients.all.map(\.id), text: text,
                findings: ProcessFindings(namespace: namespace(of: connection))))
    }

    /// The server, as the reader of what is sent on a connection sees it.
    func status(for connection: Connection) -> ServerStatus {
        let ownID =
            namespace(of: connection) == processes.ownNamespace
            ? CurrentProcess.id : ProcessNumber.inAnotherNamespace(CurrentProcess.id)
        return ServerStatus(
            processID: ownID, kind: configuration.kind,
            uptime: outgoing.reports.uptime,
            protocolVersion: ProtocolVersion.current)
    }

    /// Whether a step of a report can be made or sent now.
    var hasReportWork: Bool {
        outgoing.reports.hasWork { connections[$0]?.hasBacklog != true }
    }

    /// Makes or sends steps of the requested reports, within ``ServerLimits/statusSlice`` for each
    /// turn.
    mutating func workOnReports() {
        guard !outgoing.reports.isEmpty else { return }
        let end = MonotonicClock.after(ServerLimits.statusSlice)
        var next = outgoing.reports.takeAll()
        for index in next.indices {
            repeat { step(&next[index]) } while next[index].isOpen && MonotonicClock.now < end
        }
        outgoing.reports.putBack(next.filter { $0.hasMore && connections[$0.token] != nil })
    }

    private mutating func step(_ report: inout StatusWork) {
        report.isOpen = true
        switch report.next() {
        case .readLedger(let client): report.unreported += unreportedClaims(of: client)
        case .listClaims:
            report.unreported.removeAll { claim in
                records.claim(claim.address.record, of: claim.address.client) != nil
            }
            report.list(claims: arbiter.claimIDs)
        case .claim(let claim):
            guard let entry = arbiter.status(of: claim) else { break }
            report.text.add(status(of: entry, &report.findings))
        case .unreported(let claim):
            if let known = records.claim(claim.address.record, of: claim.address.client) {
                guard let entry = arbiter.status(of: known) else { break }
                report.text.add(status(of: entry, &report.findings))
            } else if isStill(claim) {
                report.text.add(status(of: claim, among: report.unreported, &report.findings))
            }
        case .listPresenters: report.list(presenters: arbiter.presenterIDs)
        case .presenter(let presenter):
            guard let entry = arbiter.status(of: presenter) else { break }
            report.text.add(status(of: entry, &report.findings))
        case .listDelegations: report.list(delegations: arbiter.delegationIDs)
        case .delegation(let id):
            guard let delegation = arbiter.delegation(id) else { break }
            for status in statuses(of: delegation, &report.findings) { report.text.add(status) }
        case .send:
            guard let connection = connections[report.token], !connection.hasBacklog else {
                report.isOpen = false
                return
            }
            if let part = report.text.nextPart() {
                send(part, on: connection)
            } else {
                report.hasMore = false
                report.isOpen = false
            }
        }
    }

    /// Returns the PID namespace of the process that reads what is sent on a connection.
    func namespace(of connection: Connection) -> UInt64 {
        if let client = connection.client.flatMap({ clients[$0] }) {
            return client.ledger.processNamespace
        }
        if connection.peer.processID == CurrentProcess.id { return processes.ownNamespace }
        return connection.socket.peerProcess()?.namespace ?? 0
    }

    private func status(
        of entry: FileCoordinationArbiter.ClaimStatus, _ findings: inout ProcessFindings
    ) -> FileCoordinationWire.ClaimStatus {
        let owner = clients[entry.claim.client]
        let waitsFor = arbiter.impediments(
            of: entry.claim.id, amongFirst: ServerLimits.partiesLookedAt)
        return FileCoordinationWire.ClaimStatus(
            claim: entry.claim.id.rawValue,
            processID: processes.number(of: owner, for: findings.namespace),
            processName: owner?.ledger.programName ?? "", purpose: entry.claim.purpose.bytes,
            stage: entry.stage, since: age(of: entry.claim.id),
            isStopped: isStopped(owner, &findings), items: entry.claim.items,
            waitsFor: parties(waitsFor, &findings, limit: ServerLimits.reportedParties),
            waitsForCount: waitsFor.count,
            label: label(of: records.address(of: entry.claim.id), owner), kind: entry.claim.kind,
            outerClaims: (entry.claim.enclosing + entry.claim.surrounding).map(\.rawValue))
    }

    private func status(
        of entry: FileCoordinationArbiter.PresenterStatus, _ findings: inout ProcessFindings
    ) -> FileCoordinationWire.PresenterStatus {
        let presenter = entry.presenter
        let owner = clients[presenter.client]
        return FileCoordinationWire.PresenterStatus(
            presenter: presenter.id.rawValue,
            processID: processes.number(of: owner, for: findings.namespace),
            processName: owner?.ledger.programName ?? "", path: presenter.path?.bytes,
            isUnresponsive: entry.isUnresponsive, isStopped: isStopped(owner, &findings),
            label: label(of: records.address(of: presenter.id), owner),
            watching: PresenterWatching(
                outgoing.watching.outage(at: MonotonicClock.now),
                outgoing.watching.trouble(of: presenter.id)),
            methods: presenter.methods, relinquished: presenter.relinquished)
    }

    /// One entry for each process that has the delegation.
    private func statuses(
        of delegation: Delegation, _ findings: inout ProcessFindings
    ) -> [DelegationStatus] {
        let kind: DelegationKind
        let members: [ClientID]
        switch delegation.holding {
        case .place(let client, _, let mode, _):
            (kind, members) = (mode == .shared ? .reading : .writing, [client])
        case .directory(let client, _): (kind, members) = (.directory, [client])
        case .queue(let queue, _): (kind, members) = (.queue, queue.map(\.client))
        // Such a grant is reported as a claim.
        case .claim: return []
        }
        return members.compactMap { clients[$0] }.map { owner in
            DelegationStatus(
                processID: processes.number(of: owner, for: findings.namespace),
                processName: owner.ledger.programName, label: label(of: nil, owner),
                path: delegation.path.bytes, kind: kind)
        }
    }

    func parties(
        _ impediments: [Impediment], _ findings: inout ProcessFindings, limit: Int
    ) -> [Party] {
        var parties: [Party] = []
        for impediment in impediments.prefix(limit) {
            switch impediment {
            case .claim(let other):
                guard let filed = arbiter.claim(other), let stage = arbiter.stage(of: other),
                    let party = party(CycleStep(claim: filed, stage: stage), &findings)
                else { continue }
                parties.append(party)
            case .presenter(let presenter, let steps):
                if let party = party(presenter: presenter, steps, &findings) {
                    parties.append(party)
                }
            }
        }
        return parties
    }

    /// Returns the report entry of a claim, or nil if its client is gone.
    func party(_ step: CycleStep, _ findings: inout ProcessFindings) -> Party? {
        let filed = step.claim
        guard let owner = clients[filed.client] else { return nil }
        return Party(
            claim: filed.id.rawValue, presenter: nil,
            processID: processes.number(of: owner, for: findings.namespace),
            processName: owner.ledger.programName, purpose: filed.purpose.bytes,
            path: filed.items.first?.path.bytes ?? [],
            role: step.stage == .granted ? .holder : .waiter,
            since: age(of: filed.id),
            message: nil, isStopped: isStopped(owner, &findings),
            label: label(of: records.address(of: filed.id), owner))
    }

    func party(
        presenter: PresenterID, _ steps: YieldSteps, _ findings: inout ProcessFindings
    ) -> Party? {
        guard let registered = arbiter.presenter(presenter), let owner = clients[registered.client]
        else { return nil }
        return Party(
            claim: nil, presenter: presenter.rawValue,
            processID: processes.number(of: owner, for: findings.namespace),
            processName: owner.ledger.programName, purpose: registered.purpose.bytes,
            path: registered.path?.bytes ?? [], role: .presenter, since: .zero,
            message: steps.lastMessageName, isStopped: isStopped(owner, &findings),
            label: label(of: records.address(of: presenter), owner))
    }

    /// Returns how long a claim has been in its present stage.
    ///
    /// The record has the time, so it survives a change of servers.
    func age(of claim: ClaimID) -> Duration {
        guard let address = records.address(of: claim), let client = clients[address.client],
            let snapshot = client.ledger.snapshot(ofRecord: address.record.index)
        else { return .zero }
        return snapshot.age
    }

    /// Returns the label of a claim or presenter: its own, or else its process's (Rule 18.15).
    func label(of address: RecordAddress?, _ owner: Client?) -> String {
        guard let owner else { return "" }
        let own = ownLabel(of: address)
        return own.isEmpty ? String(decoding: owner.ledger.label, as: UTF8.self) : own
    }

    /// Returns the label that a claim or presenter has besides its process's; empty if it has none.
    func ownLabel(of address: RecordAddress?) -> String {
        guard let address, let client = clients[address.client],
            let bytes = client.ledger.supplement(address.record),
            // Bytes that are no supplement say no label.
            let supplement = try? RecordSupplement(decoding: bytes)
        else { return "" }
        return supplement.label
    }

    /// Returns whether a client is stopped; asks the kernel only once per client and report.
    func isStopped(_ client: Client?, _ findings: inout ProcessFindings) -> Bool {
        guard let client else { return false }
        if let known = findings.stopped[client.id] { return known }
        let isStopped = processes.isStopped(client)
        findings.stopped[client.id] = isStopped
        return isStopped
    }
}

extension YieldSteps {
    /// The Swift name of the message that a presenter is asked last, which decides its answer.
    var lastMessageName: String {
        if !provideContents.isEmpty { return "provideContents(ofItemAt:)" }
        if accommodateEviction { return "accommodatePresentedItemEviction" }
        if !accommodateSubitemDeletions.isEmpty {
            return "accommodatePresentedSubitemDeletion(at:)"
        }
        if accommodateDeletion { return "accommodatePresentedItemDeletion" }
        if save { return "savePresentedItemChanges" }
        return relinquish.contains(.writer)
            ? "relinquishPresentedItem(toWriter:)" : "relinquishPresentedItem(toReader:)"
    }
}

// Ends waits on a user's order, for `filecoord release`. A running claim is never ended: the server
// cannot stop its accessor, which would then run beside the next one.

extension Server {
    /// Carries out a user's order, logs it, and answers what became of the party.
    mutating func dismiss(_ dismissal: Dismissal, on connection: Connection) {
        let order = Order(dismissal, of: connection.peer.processID)
        let outcome =
            switch dismissal.party {
            case .claim(let number): dismiss(claim: number, order)
            case .presenter(let number):
                dismiss(presenter: PresenterID(rawValue: number), order)
            }
        send(.dismissal(dismissal.party, outcome), on: connection)
    }

    /// Who gives an order and why, on one line each.
    private struct Order {
        let processID: Int32
        let author: String
        let reason: String

        init(_ dismissal: Dismissal, of processID: Int32) {
            self.processID = processID
            author = Self.line(dismissal.author)
            reason = Self.line(dismissal.reason)
        }

        /// The text without characters that could forge lines of the log or act on a terminal.
        private static func line(_ text: String) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { scalar in
                        scalar.properties.generalCategory == .control ? " " : scalar
                    }))
        }

        /// The entry of the log: what was ended, and the process that was cut off.
        func ended(_ wait: String, of owner: Int32) -> ServerLogEntry {
            .dismissed(wait, of: owner, processID: processID, author: author, reason: reason)
        }
    }

    // MARK: Claims

    private mutating func dismiss(claim number: UInt64, _ order: Order) -> DismissalOutcome {
        let claim = ClaimID(rawValue: number)
        // A claim of a process that was continued just now may be granted by that.
        checkStoppedProcesses()
        switch arbiter.stage(of: claim) {
        case .granted: return .running
        case .waiting, .asking:
            guard let address = records.address(of: claim), isConnected(address) else {
                return .unreachable
            }
            withdrawQuestions(for: claim)
            decide(.claimCancelled(claim))
            // As with a refusal, the record stays known until its client has cancelled it. If the
            // message is lost, the claim is decided anew.
            tell(address, order)
            return .ended
        case nil: return dismiss(unreported: number, order)
        }
    }

    /// Dismisses a claim that waits in a ticket queue, of which the arbiter does not know.
    private mutating func dismiss(unreported number: UInt64, _ order: Order) -> DismissalOutcome {
        guard let client = UnreportedClaim.client(inNumber: number),
            let claim = unreportedClaims(of: client).first(where: { $0.number == number })
        else { return .gone }
        switch claim.snapshot.state {
        case .filed:
            guard isConnected(claim.address) else { return .unreachable }
            // The client gives up its ticket with its claim.
            tell(claim.address, order)
            return .ended
        case .granted, .draft: return .running
        case .free, .cancelled, .released: return .gone
        }
    }

    /// Whether a claim's client can be told; otherwise it would file the claim again.
    private func isConnected(_ address: RecordAddress) -> Bool {
        clients[address.client]?.connection.map { connections[$0] != nil } ?? false
    }

    /// Tells a client that a wait of one of its claims has been ended.
    private mutating func tell(_ address: RecordAddress, _ order: Order) {
        guard let client = clients[address.client] else { return }
        let owner = client.ledger.processID
        let wait = "a wait of process \(owner) (\(client.ledger.programName))"
        configuration.log(order.ended(wait, of: owner))
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        let record = address.record
        connection.rememberFailure(of: address.record)
        send(.dismissed(record, author: order.author, reason: order.reason), on: connection)
    }

    // MARK: Presenters

    private mutating func dismiss(presenter: PresenterID, _ order: Order) -> DismissalOutcome {
        checkStoppedProcesses()
        guard arbiter.status(of: presenter) != nil else { return .gone }
        guard arbiter.isAsked(presenter) else { return .notAsked }
        if let client = records.address(of: presenter).flatMap({ clients[$0.client] }) {
            let owner = client.ledger.processID
            let wait = "the wait for an answer of a presenter of process \(owner) "
            configuration.log(
                order.ended(wait + "(\(client.ledger.programName))", of: owner))
        }
        decide(.presenterDismissed(presenter))
        return .passedOver
    }
}
