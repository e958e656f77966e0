// SPDX-License-Identifier: Apache-2.0
//
// From ledger records to events. A message says "look at this record"; what the record says is
// compared with what the arbiter was told of it, and the difference is acted on (RecordChange).
// Looking twice does no harm, so a message that was lost, doubled or late is no special case; and
// an item that finds that other claims must be known first looks again, behind them.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Looks at a record because its client has said so.
    func look(at record: WireRecord, of client: Client) {
        guard let snapshot = client.ledger.snapshot(ofRecord: record.index) else { return }
        // What was meant may be over, and what is there now its client's business.
        let isMeant = snapshot.reference.generation == record.generation
        guard isMeant || !snapshot.isOwnBusiness else { return }
        if snapshot.state == .asked,
            let claim = records.claim(RecordReference(record), of: client.id),
            arbiter.claim(claim) == nil
        {
            // A presenter has refused it, of which a client that files it has not been told: it was
            // in a ticket queue then.
            discardRefused(claim, at: record.index, of: client)
        }
        var steps: [Work] = []
        if snapshot.state == .asked, snapshot.kind == .claim, clients.hasSuspects {
            // It may have said other things before; but of what others have filed none is later.
            steps.append(.scan(.absent(until: snapshot.filedAt, and: nil)))
        }
        steps.append(.look(RecordLook(snapshot, of: client.id)))
        work.replace(by: steps)
    }

    /// Compares a record with what the arbiter knows of it, and acts on the difference.
    func compare(_ look: RecordLook) {
        // Until it is sent what followed from it, the record still says that it is over.
        guard !outgoing.isGivenBack(look.record, of: look.client) else { return }
        guard let client = clients[look.client],
            let found = client.ledger.snapshot(ofRecord: look.record.index),
            // What is there by now is told by a message of its own.
            found.reference == look.record,
            let snapshot = outsideOfTicketQueues(found, look, client)
        else { return }
        if let former = records.known(at: look.record.index, of: client.id), !former.isOf(snapshot)
        {
            deregister(former.identity, at: look.record.index, of: client)
        }
        let identity = records.identity(of: look.record, of: client.id)
        switch RecordChange(snapshot, knownAs: identity) {
        case .none: break
        case .claimAsks: file(snapshot, look, client)
        case .claimRuns(let isKnown):
            // By delegation: that is its client's business until it concerns another one.
            if snapshot.flags == .unreported, !requestReport(of: snapshot.reference, client) {
                break
            }
            guard isKnown || enter(snapshot, look, client, again: { .look($0) }) else { break }
            _ = readAnnouncements(look, client, again: { .look($0) })
        case .claimIsOver(let isKnown):
            // It was its client's business, but has announced something, and is over already.
            work.replace(by: (isKnown ? [] : [.makeKnown(look)]) + [.end(look)])
        case .claimIsCancelled(let claim):
            if let claim { cancel(claim) }
            giveBack(look.record, client)
        case .presenterAppears: register(snapshot, look, client)
        case .presenterIsGone(let presenter):
            if let presenter { remove(presenter) }
            giveBack(look.record, client)
        }
    }

    /// Deregisters what a record was about before its client made something else of it without
    /// ending that, as no client of ours does.
    private func deregister(
        _ identity: KnownRecord.Identity, at index: UInt32, of client: Client
    ) {
        records.discard(at: index, of: client.id)
        switch identity {
        case .claim(let claim): cancel(claim)
        case .presenter(let presenter): remove(presenter)
        }
    }

    /// Gives a record back to its client, when all has been sent that follows from it.
    private func giveBack(_ record: RecordReference, _ client: Client) {
        records.discard(at: record.index, of: client.id)
        outgoing.giveBack(record, to: client)
    }

    // MARK: Claims

    /// Tells the arbiter of a claim that asks; recalls what it concerns before.
    private func file(_ snapshot: RecordSnapshot, _ look: RecordLook, _ client: Client) {
        guard !isOverLimit(snapshot, client), let body = claimBody(snapshot, client) else { return }
        if let former = delegations.takeFormerClaim(in: look.record, of: client.id) {
            decide(.unreportedClaimEnded(former))
        }
        var wish = unnumbered(snapshot, body, look, client)
        // First, so that what runs there came before it.
        let bound = min(look.bound, snapshot.filedAt)
        if recall(before: [.claimFiled(wish)], bound: bound, then: .look(look)) { return }
        if !arbiter.awaitsRecalls, arbiter.isUnreported(wish) {
            wish.id = records.enterUnnumbered(look.address)
            return decide(.claimFiled(wish))
        }
        guard var claim = claim(snapshot, body, look, client, again: { .look($0) }) else { return }
        // Of what was moved meanwhile the client means the old place by its slot.
        if claim.items == body.items { claim.request = wish.request }
        claim.precedesQueue = wish.precedesQueue
        decide(.claimFiled(claim), outright: look.hasWaited ? nil : claim.id)
    }

    /// A claim as its client has filed it, without a serial number: what it concerns, and whether
    /// it needs one, is to be found out first.
    private func unnumbered(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ look: RecordLook, _ client: Client
    ) -> FiledClaim {
        let mayGoUnreported =
            !look.hasWaited && body.mayBeUnreported(snapshot) && !processes.wasStopped(client.id)
        return FiledClaim(
            id: ClaimID(rawValue: 0), client: client.id, purpose: Purpose(bytes: body.purpose),
            items: records.relocations.items(ofClaim: snapshot.serial) ?? body.items,
            kind: body.kind,
            standpoint: records.standpoint(of: body, snapshot, client),
            request: snapshot.requestedSlot.map { DelegationRequest($0, client.ledger) },
            mayGoUnreported: mayGoUnreported,
            precedesQueue: delegations.wasUnderWay(body.items, of: client.id))
    }

    /// Tells the arbiter of a claim that runs, or is over, and of which it has not been told; false
    /// if that has to wait, or cannot be.
    private func enter(
        _ snapshot: RecordSnapshot, _ look: RecordLook, _ client: Client,
        again: (RecordLook) -> Work
    ) -> Bool {
        guard let body = claimBody(snapshot, client),
            let claim = claim(snapshot, body, look, client, again: again)
        else { return false }
        decide(.claimRecovered(claim))
        watchWrites(of: claim.id, isFound: true)
        return true
    }

    /// Enters a claim, once those are known that it was made in; nil if that has to wait for them.
    func claim(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ look: RecordLook, _ client: Client,
        again: (RecordLook) -> Work
    ) -> FiledClaim? {
        if !look.isPrepared {
            let outer = unknownOuterClaims(of: look.address)
            if !outer.isEmpty {
                var prepared = look
                prepared.isPrepared = true
                work.replace(by: outer.map { .look($0) } + [again(prepared)])
                return nil
            }
        }
        return records.claim(
            snapshot, body, of: client,
            surrounding: surroundingClaims(of: look.record, client))
    }

    /// Tells the arbiter of a claim that was its client's business, and runs, or is over and has
    /// something to say.
    func makeKnown(_ look: RecordLook) {
        guard !outgoing.isGivenBack(look.record, of: look.client),
            let client = clients[look.client],
            let snapshot = client.ledger.snapshot(ofRecord: look.record.index),
            snapshot.reference == look.record,
            snapshot.flags.isSuperset(of: [.unreported, .reportsRelease]),
            snapshot.state == .granted || snapshot.state == .released
        else { return }
        if let former = records.known(at: look.record.index, of: client.id) {
            if former.isOf(snapshot) { return }
            deregister(former.identity, at: look.record.index, of: client)
        }
        _ = enter(snapshot, look, client, again: { .makeKnown($0) })
    }

    /// Ends a claim that is over, once all that it has announced is handled.
    func end(_ look: RecordLook) {
        guard !outgoing.isGivenBack(look.record, of: look.client),
            let client = clients[look.client]
        else { return }
        guard let claim = records.claim(look.record, of: client.id) else {
            return giveBack(look.record, client)
        }
        guard let outcomes = readAnnouncements(look, client, again: { .end($0) }) else { return }
        checkStoppedProcesses()
        reportWrites(of: claim, outcomes, look.record, client)
        decide(.claimEnded(claim, outcomes: outcomes))
        releaseHeldChanges(of: look.address, claim: claim, outcomes)
        discard(claim)
        giveBack(look.record, client)
    }

    private func cancel(_ claim: ClaimID) {
        takeBackQuestions(for: claim)
        checkStoppedProcesses()
        decide(.claimCancelled(claim))
        discard(claim)
    }

    /// Discards a claim that is over.
    func discard(_ claim: ClaimID) {
        // Of one that gave no account of itself, anything may have been done.
        watching.end(claim, [])
        records.discard(claim)
        outgoing.questions.discard(claim)
    }

    /// Discards that a claim was refused: it is to be filed again.
    func discardRefused(_ claim: ClaimID, at index: UInt32, of client: Client) {
        records.discard(at: index, of: client.id)
        records.discardRefused(claim)
    }

    // MARK: Bounds

    /// What a claim's record says; one that cannot be read costs its client the connection.
    func claimBody(_ snapshot: RecordSnapshot, _ client: Client) -> ClaimBody? {
        let body = client.ledger.claimBody(snapshot.reference)
        if body == nil { reject(snapshot, client) }
        return body
    }

    /// Closes the connection of a client that has written a record which cannot be read.
    func reject(_ snapshot: RecordSnapshot, _ client: Client) {
        configuration.log(
            .ledgerRejected(
                name: client.ledger.fileName,
                reason: "record \(snapshot.reference) cannot be read"))
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        refuse(connection, .malformed, "a record in its ledger cannot be read")
    }

    /// Tells a client that its record is one too many; returns whether it is.
    func isOverLimit(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
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
        if connection.version >= 2 {
            send(.overLimit(WireRecord(snapshot.reference), text: text), on: connection)
        } else {
            refuse(connection, .limitReached, text)
        }
        return true
    }
}
