// SPDX-License-Identifier: Apache-2.0
//
// Recalls delegations before the arbiter decides. If an event concerns a delegated path, the server
// recalls the delegation first and tells the arbiter about the claims that run under it. The item
// of work that causes a recall queues those claims in its own place and itself behind them. When it
// is performed again, nothing is left to recall. Below: claims that the arbiter does not know, and
// the reports of writes that were gathered.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Returns a closure that finds a client's ledger, or nil if the client is gone.
    var ledgers: Delegations.Ledgers {
        { [clients] id in clients[id]?.ledger }
    }

    /// Recalls the delegations that events concern.
    ///
    /// - Parameters:
    ///   - events: the events, of which the arbiter has not been told yet.
    ///   - bound: the filing time of the claim that causes the recall.
    ///   - next: what to do after the arbiter has been told of the claims that were found.
    /// - Returns: whether claims were found; `next` is queued behind them then. Else the caller
    ///   continues by itself.
    @discardableResult
    mutating func recall(before events: [Event], bound: Instant = .distantFuture, then next: Work?)
        -> Bool
    {
        var recalled: [Recalled] = []
        for event in events { recalled += recall(arbiter.recalls(before: event)) }
        return follow(recalled, before: bound, then: next)
    }

    /// Recalls delegations, and returns what was found.
    mutating func recall(_ ids: [DelegationID]) -> [Recalled] {
        var recalled: [Recalled] = []
        for id in ids {
            recalled += [delegations.recall(id, ledgers)].compactMap { $0 }
            decide(.delegationRecalled(id))
        }
        return recalled
    }

    /// Queues the claims that a recall has found, and `next` behind them.
    ///
    /// - Parameters:
    ///   - recalled: what the recall has found.
    ///   - bound: the filing time of the claim that caused the recall.
    ///   - next: what to do after the arbiter has been told of the claims.
    /// - Returns: whether there were any; else the caller continues by itself.
    @discardableResult
    mutating func follow(
        _ recalled: [Recalled], before bound: Instant = .distantFuture, then next: Work? = nil
    ) -> Bool {
        if recalled.isEmpty { return false }
        for event in recalled.compactMap(\.queueClosed) { decide(event) }
        return put(recalled, before: bound, then: [next].compactMap { $0 })
    }

    private mutating func put(
        _ recalled: [Recalled], before bound: Instant = .distantFuture, then next: [Work]
    ) -> Bool {
        let (first, later) = Recalled.steps(for: recalled, before: bound)
        guard !first.isEmpty || !later.isEmpty else { return false }
        work.replace(by: first + next)
        work.insertInOrder(later)
        return true
    }

    /// Asks a client, through a flag in the record, to report the release of a claim that it
    /// granted by delegation.
    ///
    /// Returns false if the claim is not running any more.
    func requestReport(of record: RecordReference, _ client: Client) -> Bool {
        // The ledger of a client that tampers with it yields an error. The claim then counts as not
        // running.
        (try? client.ledger.requestReport(for: record, presence.epoch)) == true
    }

    // MARK: Carrying out

    /// Grants a claim whose release the client need not report.
    mutating func grantUnreported(_ claim: ClaimID, _ id: DelegationID) {
        guard let address = records.takeUnnumbered(claim), let client = clients[address.client]
        else { return work.append(.decide(.delegationRecalled(id))) }
        switch client.ledger.grant(address.record, presence.epoch, isUnreported: true) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(address.record), to: client)
        case .refused:
            // The client has cancelled the claim concurrently and reports that next, or another
            // server has taken the role.
            if presence.isDeposed { presence.end(.deposed) }
        }
        delegations.addUnreported(id, claim, in: address.record, of: client.id)
    }

    /// Delegates a path or a directory to a client.
    ///
    /// If that is impossible, the arbiter is told that the delegation has been recalled.
    mutating func delegate(_ delegation: Delegation) {
        if let client = delegation.client.flatMap({ clients[$0] }), client.connection != nil,
            delegations.delegate(delegation, client.ledger)
        {
            return
        }
        work.append(.decide(.delegationRecalled(delegation.id)))
    }

    /// Recalls a delegation because the arbiter must decide about its path.
    ///
    /// The claims that run under it are reported to the arbiter first.
    mutating func recall(_ id: DelegationID) {
        let recalled = delegations.recall(id, ledgers)
        let next = [Work.decide(recalled?.queueClosed ?? .delegationRecalled(id))]
        if !put([recalled].compactMap { $0 }, then: next) { work.replace(by: next) }
    }

    // MARK: Ticket queues

    /// Starts a ticket queue for these clients at a path.
    mutating func openQueue(at path: ItemPath, _ members: [QueueMember]) {
        for member in members {
            guard let client = clients[member.client], client.connection != nil,
                !processes.wasStopped(client.id)
            else { return }
        }
        let (id, recalled) = delegations.beginTicketQueue(at: path, members, ledgers)
        _ = put(recalled, then: [])
        // The arbiter must learn of the new queue, and of queues that have ended meanwhile, before
        // it decides anything else.
        let begun = id.map { [Work.decide(.queueOpened($0, at: path, members))] } ?? []
        work.replace(by: begun + recalled.compactMap(\.queueClosed).map { .decide($0) })
    }

    /// Ends a record's ticket queue, if it belongs to one, because the arbiter must decide about
    /// the record.
    ///
    /// Returns the record as it is afterwards. Returns nil if the record is looked at again later,
    /// or if nothing is left of it.
    mutating func outsideOfTicketQueues(
        _ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client
    ) -> RecordSnapshot? {
        let waits = snapshot.state == .filed && snapshot.flags.contains(.inTicketQueue)
        guard snapshot.kind == .claim,
            waits || delegations.hasTicketQueues && isUnknownToArbiter(snapshot, client)
        else { return snapshot }
        if let ticketQueue = delegations.ticketQueue(
            at: client.ledger.place(ofClaim: check.record)),
            let found = delegations.endTicketQueue(ticketQueue, ledgers)
        {
            let bound = min(check.bound, waits ? snapshot.filedAt : .distantFuture)
            if !follow([found], before: bound, then: .check(check)) {
                work.replace(by: [.check(check)])
            }
            work.replace(by: [.makeKnown(check)])
            return nil
        }
        guard waits else { return snapshot }
        // A client that has left the ticket queue meanwhile has cleared the record's flag by
        // itself.
        _ = try? client.ledger.requestReport(for: check.record, presence.epoch)
        let now = client.ledger.snapshot(ofRecord: check.record.index)
        return now?.flags.contains(.inTicketQueue) == true ? nil : now
    }

    /// Returns whether the client granted, ended or cancelled the claim without this server, so
    /// that the arbiter does not know it yet.
    private func isUnknownToArbiter(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
        switch snapshot.state {
        case .granted, .released: snapshot.flags.contains(.unreported)
        case .cancelled:
            records.known(at: snapshot.reference.index, of: client.id)?.generation
                != snapshot.reference.generation
        case .filed, .draft, .free: false
        }
    }
}

// Reports on claims that the arbiter does not know: those that clients granted themselves by
// delegation, and those that wait in ticket queues. The server reads their records as they are. A
// report recalls no delegation and ends no ticket queue (Rule 18.5).

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
            stage: claim.isRunning ? .granted : .waiting, since: claim.snapshot.age,
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
            since: claim.snapshot.age, message: nil,
            isStopped: isStopped(owner, &findings), label: label(of: claim.address, owner))
    }
}

// Gathers the reports of delegated writes of which presenters are told. When such a report comes,
// the server acts on all writes of the client that have ended, and keeps the record of the report
// for a pause. A client sends no message as long as the record of its last report was not returned
// (see `LastReport`). So after the server has returned such a record it looks again, unless it
// keeps another one of this client: then that look comes later. As long as it finds something, it
// looks once in each pause, without messages.

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
    mutating func workOnGatheredReports(at now: Instant) {
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
        while let kept = delegations.reports.takeDue(at: .distantFuture) { giveBack(kept) }
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
