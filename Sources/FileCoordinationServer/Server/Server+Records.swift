// SPDX-License-Identifier: Apache-2.0
//
// Turns ledger records into events for the arbiter. A message only says "look at this record". The
// server compares what the record says with what it has told the arbiter, and acts on the
// difference (`RecordChange`). A second look finds no difference, so lost, repeated and late
// messages need no special treatment. If a check finds that the arbiter must know other claims
// first, it is queued again behind them.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Looks at a record because its client has asked for it.
    mutating func check(_ record: RecordReference, of client: Client) {
        guard let snapshot = client.ledger.snapshot(ofRecord: record.index) else { return }
        // The message may be late: if the record has been reused for something that the server need
        // not know, it is ignored.
        let isMeant = snapshot.reference.generation == record.generation
        guard isMeant || !snapshot.isOwnBusiness else { return }
        if isGathered(snapshot, of: client) {
            return gatherReports(of: client, latest: snapshot.reference)
        }
        if snapshot.state == .asked,
            let claim = records.claim(record, of: client.id),
            arbiter.claim(claim) == nil
        {
            // The claim has failed. After the message about that, the client cancels the claim. A
            // second decision would ask presenters again.
            guard !hasTold(client, ofFailureOf: snapshot.reference) else { return }
            // The client may have ignored the message, because the claim was in a ticket queue.
            // Forget the failure and let the arbiter decide again.
            discardRefused(claim, at: record.index, of: client)
        }
        work.replace(by: .check(RecordCheck(snapshot, of: client.id)))
        if snapshot.state == .asked, snapshot.kind == .claim, clients.hasSuspects {
            // Clients that have not reconnected yet may have filed earlier claims. Those come
            // first.
            work.replace(by: .scan(.absent(until: snapshot.filedAt, and: nil)))
        }
    }

    /// Compares a record with what the arbiter knows about it, and acts on the difference.
    mutating func compare(_ check: RecordCheck) {
        // A record that is being returned to its client still says "over" until all its messages
        // are sent.
        guard !isActedOn(check.record, of: check.client) else { return }
        guard let client = clients[check.client],
            let found = client.ledger.snapshot(ofRecord: check.record.index),
            // The record has been reused. A message about its new contents follows.
            found.reference == check.record,
            let snapshot = outsideOfTicketQueues(found, check, client)
        else { return }
        if let former = records.known(at: check.record.index, of: client.id), !former.isOf(snapshot)
        {
            deregister(former.identity, at: check.record.index, of: client)
        }
        let identity = records.identity(of: check.record, of: client.id)
        switch RecordChange(snapshot, knownAs: identity) {
        case .none: break
        case .claimAsks: file(snapshot, check, client)
        case .claimRuns(let isKnown):
            // A claim granted by delegation does not concern the server until another process needs
            // the item.
            if snapshot.flags == .unreported, !requestReport(of: snapshot.reference, client) {
                break
            }
            guard isKnown || enter(snapshot, check, client, again: { .check($0) }) else { break }
            _ = readAnnouncements(check, client, again: { .check($0) })
        case .claimIsOver(let isKnown):
            // The client granted the claim itself, but announced something, and has released it
            // already.
            work.replace(by: .end(check))
            if !isKnown { work.replace(by: .makeKnown(check)) }
        case .claimIsCancelled(let claim):
            if let claim { cancel(claim) }
            giveBack(check.record, client)
        case .presenterAppears: register(snapshot, check, client)
        case .presenterIsGone(let presenter):
            if let presenter { remove(presenter) }
            giveBack(check.record, client)
        }
    }

    /// Ends the claim or presenter that a record stood for, because its client reused the record
    /// without ending it.
    ///
    /// Our own client library never does that.
    private mutating func deregister(
        _ identity: KnownRecord.Identity, at index: UInt32, of client: Client
    ) {
        records.discard(at: index, of: client.id)
        switch identity {
        case .claim(let claim): cancel(claim)
        case .presenter(let presenter): remove(presenter)
        }
    }

    /// Returns a record to its client once all messages that follow from it have been sent.
    ///
    /// `mayHideOthers` says whether other writes may have ended without a message.
    private mutating func giveBack(
        _ record: RecordReference, _ client: Client, mayHideOthers: Bool = false
    ) {
        records.discard(at: record.index, of: client.id)
        guard !delegations.reports.markHandled(record, of: client.id) else { return }
        outgoing.giveBack(record, to: client, mayHideOthers: mayHideOthers)
    }

    // MARK: Claims

    /// Tells the arbiter about a pending claim, after recalling the delegations that it concerns.
    private mutating func file(_ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client) {
        guard !isOverLimit(snapshot, client), let body = claimBody(snapshot, client) else { return }
        if let former = delegations.takeFormerClaim(in: check.record, of: client.id) {
            decide(.unreportedClaimEnded(former))
        }
        var filing = unnumbered(snapshot, body, check, client)
        // The claims that run under the delegation came before this one, so the recall comes first.
        let bound = min(check.bound, snapshot.filedAt)
        if recall(before: [.claimFiled(filing)], bound: bound, then: .check(check)) { return }
        if !arbiter.awaitsRecalls, arbiter.isUnreported(filing) {
            filing.id = records.enterUnnumbered(check.address)
            return decide(.claimFiled(filing))
        }
        guard var claim = claim(snapshot, body, check, client, again: { .check($0) }) else {
            return
        }
        // After a move, the delegation slot that the client requested refers to the old path.
        if claim.items == body.items { claim.request = filing.request }
        claim.precedesQueue = filing.precedesQueue
        decide(.claimFiled(claim), outright: check.hasWaited ? nil : claim.id)
    }

    /// Returns a claim without a serial number, as its client filed it.
    ///
    /// With it the server finds out which delegations it concerns and whether it needs a serial
    /// number.
    func unnumbered(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ check: RecordCheck, _ client: Client
    ) -> FiledClaim {
        let mayGoUnreported =
            !check.hasWaited && body.mayBeUnreported(snapshot) && !processes.wasStopped(client.id)
        return FiledClaim(
            id: ClaimID(rawValue: 0), client: client.id, purpose: Purpose(bytes: body.purpose),
            items: records.relocations.items(ofClaim: snapshot.serial) ?? body.items,
            kind: body.kind,
            standpoint: records.standpoint(of: body, snapshot, client),
            request: snapshot.requestedSlot.map { DelegationRequest($0) },
            mayGoUnreported: mayGoUnreported,
            precedesQueue: delegations.wasUnderWay(body.items, of: client.id))
    }

    /// Tells the arbiter about a claim that runs or is over and that it does not know yet.
    ///
    /// Returns false if that must wait for other claims or is impossible.
    private mutating func enter(
        _ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client,
        again: (RecordCheck) -> Work
    ) -> Bool {
        guard let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, check, client, again: again)
        else { return false }
        decide(.claimRecovered(claim))
        watchWrites(of: claim.id, isFound: true)
        return true
    }

    /// Gives a claim a serial number, once the claims that surround it are known to the arbiter.
    ///
    /// Returns nil if it must wait for those; `again` is queued behind them.
    mutating func claim(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ check: RecordCheck, _ client: Client,
        again: (RecordCheck) -> Work
    ) -> FiledClaim? {
        if !check.isPrepared {
            let outer = unknownOuterClaims(of: check.address, body)
            if !outer.isEmpty {
                var prepared = check
                prepared.isPrepared = true
                work.replace(by: outer.map { .check($0) } + [again(prepared)])
                return nil
            }
        }
        return numbered(snapshot, body, check, client)
    }

    /// Tells the arbiter about a claim that its client granted itself, and that runs or has
    /// something to report.
    mutating func makeKnown(_ check: RecordCheck) {
        guard !isActedOn(check.record, of: check.client),
            let client = clients[check.client],
            let snapshot = client.ledger.snapshot(ofRecord: check.record.index),
            snapshot.reference == check.record,
            snapshot.flags.isSuperset(of: [.unreported, .reportsRelease]),
            snapshot.state == .granted || snapshot.state == .released
        else { return outgoing.watching.seen.writes.end(check.address, at: .now) }
        if let former = records.known(at: check.record.index, of: client.id) {
            if former.isOf(snapshot) { return }
            deregister(former.identity, at: check.record.index, of: client)
        }
        _ = enter(snapshot, check, client, again: { .makeKnown($0) })
    }

    /// Ends a claim that is over, after its remaining announcements have been handled.
    mutating func end(_ check: RecordCheck) {
        guard !isActedOn(check.record, of: check.client),
            let client = clients[check.client]
        else { return }
        let snapshot = client.ledger.snapshot(ofRecord: check.record.index)
        let hidesOthers = snapshot.map { mayHideOthers($0, of: client) } ?? false
        guard let claim = records.claim(check.record, of: client.id) else {
            return giveBack(check.record, client, mayHideOthers: hidesOthers)
        }
        guard let report = readAnnouncements(check, client, again: { .end($0) }) else { return }
        let series = delegations.reports.takeSeries(check.address)
        let outcomes = series?.outcomes ?? report.outcomes
        checkStoppedProcesses()
        reportWrites(of: claim, outcomes, report.written, together: series?.change)
        decide(.claimEnded(claim, outcomes: outcomes))
        discard(claim)
        for record in (series?.others ?? []) + [check.record] {
            let address = RecordAddress(client: client.id, record: record)
            outgoing.watching.seen.writes.end(address, at: .now)
            giveBack(record, client, mayHideOthers: hidesOthers)
        }
        releaseHeldChanges()
    }

    private mutating func cancel(_ claim: ClaimID) {
        // This comes first: if the process runs again, the claim may have asked presenters again,
        // and their questions are taken back below.
        checkStoppedProcesses()
        takeBackQuestions(for: claim)
        decide(.claimCancelled(claim))
        discard(claim)
    }

    /// Discards a claim that is over.
    mutating func discard(_ claim: ClaimID) {
        endWrites(of: claim)
        records.discard(claim)
        outgoing.questions.discard(claim)
    }

    /// Discards the refusal of a claim, because the claim is about to be filed again.
    mutating func discardRefused(_ claim: ClaimID, at index: UInt32, of client: Client) {
        records.discard(at: index, of: client.id)
        records.discardRefused(claim)
    }

    // MARK: Bounds

    /// Reads the claim in a record.
    ///
    /// If it cannot be read, the client's connection is closed.
    mutating func claimBody(_ snapshot: RecordSnapshot, _ client: Client) -> ClaimBody? {
        let body = client.ledger.claimBody(snapshot.reference)
        if body == nil { reject(snapshot, client) }
        return body
    }

    /// Closes the connection of a client that wrote an unreadable record.
    mutating func reject(_ snapshot: RecordSnapshot, _ client: Client) {
        configuration.log(
            .ledgerRejected(
                name: client.ledger.fileName,
                reason: "record \(snapshot.reference) cannot be read"))
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        refuse(connection, .malformed, "a record in its ledger cannot be read")
    }

    /// Returns whether a record exceeds a limit, and tells its client if so.
    mutating func isOverLimit(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
        let text: String
        switch snapshot.kind {
        case .claim:
            let count = records.claimCount
            guard count >= ServerLimits.claims else { return false }
            text = "all programs together have \(count) accesses that run or wait"
        case .presenter:
            let count = records.presenterCount
            guard count >= ServerLimits.presenters else { return false }
            text = "all programs together have \(count) file presenters"
        }
        configuration.log(.limitReached(processID: client.ledger.processID, reason: text))
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return true }
        send(.overLimit(snapshot.reference, text: text), on: connection)
        return true
    }
}
