// SPDX-License-Identifier: Apache-2.0
//
// Turns ledger records into events for the arbiter. A message only says "look at this record". The
// server compares what the record says with what it has told the arbiter, and acts on the
// difference (`RecordChange`). A second look finds no difference, so lost, repeated and late
// messages need no special treatment. If a check finds that the arbiter must know other claims
// first, it is queued again behind them. Below: the claims around a claim, the numbers that claims
// get, and scans of whole ledgers.

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
        if snapshot.state == .filed,
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
        if snapshot.state == .filed, snapshot.kind == .claim, clients.hasSuspects {
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
        _ = records.writers.takeExpected(RecordAddress(client: client.id, record: record))
        guard !delegations.reports.markHandled(record, of: client.id) else { return }
        outgoing.giveBack(record, to: client, mayHideOthers: mayHideOthers)
    }

    // MARK: Claims

    /// Tells the arbiter about a pending claim, after recalling the delegations that it concerns.
    private mutating func file(_ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client) {
        guard !isOverLimit(snapshot, client), let body = claimBody(snapshot, client) else { return }
        if body.isSigned { records.writers.expect(check.address) }
        var filing = unnumbered(snapshot, body, check, client)
        filing.former = delegations.former(in: check.record, of: client.id)
        var facts = arbiter.facts(of: filing)
        if !facts.recalls.isEmpty {
            // The claims that run under the delegation came before this one, so the recall comes
            // first.
            let bound = min(check.bound, snapshot.filedAt)
            let recalled = recall(facts.recalls)
            if follow(recalled, before: bound, then: .check(check)) { return }
            facts = arbiter.facts(of: filing)
        }
        if facts.goesUnreported {
            recordEnd(ofFormer: filing)
            filing.id = records.enterUnnumbered(check.address)
            return decide(.claimFiled(filing), facts: facts)
        }
        guard var claim = claim(snapshot, body, check, client, again: { .check($0) }) else {
            return
        }
        recordEnd(ofFormer: filing)
        if let former = filing.former { delegations.forget(former) }
        claim.former = filing.former
        // After a move, the delegation slot that the client requested refers to the old path.
        if claim.items == body.items { claim.request = filing.request }
        claim.precedesQueue = filing.precedesQueue
        let isAsSeen = claim.items == filing.items && claim.request == filing.request
        decide(
            .claimFiled(claim), facts: isAsSeen ? facts : nil,
            outright: check.hasWaited ? nil : claim.id)
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
        if body.isSigned { records.writers.expect(check.address) }
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
        rememberWriter(of: claim, in: check.record, of: client, report.written)
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

    /// Remembers who has changed the items of a claim that is over, and what that left.
    private mutating func rememberWriter(
        of claim: ClaimID, in record: RecordReference, of client: Client, _ written: WrittenItems
    ) {
        let address = RecordAddress(client: client.id, record: record)
        // After a move, what was left is not at the paths of the claim.
        guard records.writers.takeExpected(address), !written.isOfPathsAsBegun,
            written.changes.contains(where: { $0.map { $0.before != $0.after } ?? false }),
            let items = arbiter.claim(claim)?.items, items.count == written.changes.count
        else { return }
        let label = label(of: address, client)
        let writer = LastWriters.Writer(
            process: processes.numbers(of: client),
            label: label.isEmpty ? client.ledger.programName : label)
        for (item, change) in zip(items, written.changes) {
            guard let change, change.before != change.after else { continue }
            records.writers.remember(item.path, left: change.after, by: writer)
        }
    }

    private mutating func cancel(_ claim: ClaimID) {
        // This comes first: if the process runs again, the claim may have asked presenters again,
        // and their questions are taken back below.
        checkStoppedProcesses()
        withdrawQuestions(for: claim)
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

// Finds the claims around a claim: claims of the same process, or claims of other processes that
// run the claiming command inside their accessors. A record names claims of other processes by
// ledger and record. They only count if that record is granted and has the same generation. A
// process can name such a claim if the claim's process told it, or if it may read this user's
// runtime directory.
//
// Claims that were granted by delegation are unknown to the arbiter. The server makes them known
// first, so that the arbiter sees that they wait for the same claims as the inner one (Rule 18.4).

extension Server {
    /// The greatest number of claims around one claim that are examined.
    private static let depthLimit = 64

    /// Returns the running claims around a claim that the arbiter does not know, each after the
    /// claims around it; `body` is what the claim's record says.
    ///
    /// Only invalid records can name each other in a cycle, so each record is examined only once.
    func unknownOuterClaims(of inner: RecordAddress, _ body: ClaimBody) -> [RecordCheck] {
        let outer = outerRecords(of: inner, body)
        if outer.isEmpty { return [] }
        var order: [RecordCheck] = []
        var seen: Set<RecordAddress> = [inner]
        var open = outer.reversed().map { (address: $0, isEntered: false) }
        while let (address, isEntered) = open.popLast() {
            if isEntered {
                order.append(
                    RecordCheck(
                        client: address.client, record: address.record, isPrepared: true))
                continue
            }
            guard seen.insert(address).inserted,
                records.identity(of: address.record, of: address.client) == nil,
                clients[address.client]?.ledger.runs(address.record) == true
            else { continue }
            open.append((address, true))
            let body = clients[address.client]?.ledger.claimBody(address.record)
            open += outerRecords(of: address, body).reversed().map { ($0, false) }
        }
        return order
    }

    /// The records of the claims that a record names as those around it.
    private func outerRecords(of inner: RecordAddress, _ body: ClaimBody?) -> [RecordAddress] {
        guard let client = clients[inner.client] else { return [] }
        let enclosing = body?.enclosing ?? []
        let own = enclosing.map { RecordAddress(client: client.id, record: $0) }
        let others = client.ledger.outerClaims(inner.record)
        return own + others.compactMap { address(of: $0, besides: client) }
    }

    /// The record of another process's claim, if that claim is running.
    private func address(of claim: OuterClaim, besides client: Client) -> RecordAddress? {
        let name = String(decoding: claim.ledgerName, as: UTF8.self)
        guard let owner = clients.client(ofLedger: name), owner.id != client.id,
            let snapshot = owner.ledger.snapshot(ofRecord: claim.record.index),
            snapshot.reference == claim.record,
            snapshot.kind == .claim, snapshot.state == .granted
        else { return nil }
        return RecordAddress(client: owner.id, record: snapshot.reference)
    }

    /// The claims of other processes that wait for a claim (Rule 18.4), in ascending order.
    ///
    /// The claims around those wait for it as well, whether the client has named them or not.
    func surroundingClaims(of record: RecordReference, _ client: Client) -> [ClaimID] {
        var found: [ClaimID] = []
        // The innermost claims come first. If there are too many, the outermost ones are left out.
        for claim in client.ledger.outerClaims(record) {
            guard let address = address(of: claim, besides: client),
                let id = records.claim(address.record, of: address.client)
            else { continue }
            for id in [id] + (arbiter.claim(id)?.surrounding ?? []).reversed()
            where !found.contains(id) && found.count < Self.depthLimit {
                found.append(id)
            }
        }
        return found.sorted()
    }
}

// Claims of coordinators whose presenter has not been told of a move yet (Rule 11.7). The server
// redirects such a claim when it is filed, and never later: a claim with a serial number may have
// been filed before the move. So that a death of the server in between changes nothing, the new
// paths are written before the number.

extension Server {
    /// Gives a claim a serial number.
    ///
    /// If the claim is redirected, its new paths are in the relocation log by then, under that
    /// number. If the server dies between the two, no claim has the number, and the next server
    /// redirects the claim.
    mutating func numbered(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ check: RecordCheck, _ client: Client
    ) -> FiledClaim {
        let surrounding = surroundingClaims(of: check.record, client)
        func enter() -> FiledClaim {
            records.claim(snapshot, body, of: client, surrounding: surrounding)
        }
        // In most cases there is nothing to redirect.
        guard body.standpoint != nil, snapshot.state == .filed else { return enter() }
        let filed = unnumbered(snapshot, body, check, client)
        let sent = arbiter.redirected(filed)
        guard sent.items != filed.items else { return enter() }
        let isWritten = write([
            RelocationEntry(serial: records.nextNumber, .claim(sent.items))
        ])
        var claim = enter()
        // Otherwise its record has got another number, and the arbiter redirects it.
        guard claim.items == sent.items else { return claim }
        // The presenter may move once more before the arbiter gets to the claim.
        claim.standpoint = sent.standpoint
        if !isWritten { mark(claim.id, isWritten: false) }
        return claim
    }
}

// Scans of whole ledgers. They are needed for clients that reconnect or have died, and where
// messages do not show in which order claims were filed. A scan selects records and queues a check
// at each of them in its own place.

extension Server {
    /// Replaces a scan by checks of the records that it selects.
    mutating func expand(_ scan: LedgerScan) {
        work.replace(by: checks(scan).map { .check($0) })
    }

    private func checks(_ scan: LedgerScan) -> [RecordCheck] {
        switch scan {
        case .all(let ids):
            return records(of: ids) { _ in true }.sorted { $0.filedAt < $1.filedAt }.map(\.check)
        // A client that has died may also have been granted claims and ended them, so that their
        // announcements are still to be handled.
        case .granted(let id): return records(of: [id]) { $0.wasGranted }.map(\.check)
        // After a change of servers, clients reconnect one by one. A claim of a client that
        // has reconnected must not be granted before an earlier claim of one that has not.
        case .absent(let time, let other):
            let absent = clients.recentlyAbsent.map(\.id)
            if absent.isEmpty { return [] }
            return records(of: absent + [other].compactMap { $0 }) {
                $0.state == .filed && $0.filedAt <= time
            }.sorted { $0.filedAt < $1.filedAt }.map(\.check)
        }
    }

    private func records(
        of ids: [ClientID], where isMeant: (RecordSnapshot) -> Bool
    ) -> [(check: RecordCheck, filedAt: Instant)] {
        ids.flatMap { id in
            (clients[id]?.ledger.scan() ?? []).filter(isMeant).map {
                (RecordCheck($0, of: id), $0.filedAt)
            }
        }
    }
}

extension RecordSnapshot {
    /// Whether the claim runs, has run or was cancelled.
    fileprivate var wasGranted: Bool {
        switch state {
        case .granted, .released, .cancelled: true
        case .free, .draft, .filed: false
        }
    }
}
