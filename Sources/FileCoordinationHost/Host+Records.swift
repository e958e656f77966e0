// SPDX-License-Identifier: Apache-2.0
//
// From ledger records to events. A message says "look at this record"; what the record says is
// compared with what the arbiter was told of it, and the difference is the event. Looking twice
// does no harm, so a message that was lost, doubled or late is no special case.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    func look(at index: UInt32, of client: Client) {
        guard let snapshot = client.ledger.snapshot(ofRecord: index) else { return }
        consider(snapshot, of: client)
    }

    func consider(_ snapshot: RecordSnapshot, of client: Client) {
        // Buried, perhaps by what an earlier record of it led to.
        guard clients[client.id] === client else { return }
        guard let snapshot = outsideOfRelays(snapshot, of: client) else { return }
        let reference = snapshot.reference
        let former = client.known[reference.index]
        let known = former.flatMap { $0.isOf(snapshot) ? $0 : nil }
        if let former, known == nil { strike(former, at: reference.index, of: client) }
        switch (snapshot.state, snapshot.kind) {
        case (.draft, _), (.free, _): break
        case (.asked, .claim):
            if known == nil, !isOverLimit(snapshot, of: client) {
                fileClaim(snapshot, of: client)
            }
        case (.asked, .presenter):
            if known == nil, !isOverLimit(snapshot, of: client) {
                addPresenter(snapshot, of: client)
            }
        case (.granted, .claim):
            // Unknown: granted by a former host, in a ledger that could not be read at recovery; or
            // by delegation, which is nobody's business while nobody cares.
            if snapshot.flags == .local, !isCaredFor(snapshot, of: client) { break }
            if known == nil, let claim = makeClaim(snapshot, of: client) {
                tell(.claimRecovered(claim))
            }
            _ = hear(snapshot, of: client)
        case (.granted, .presenter):
            guard known == nil, let presenter = makePresenter(snapshot, of: client) else { break }
            revokeDelegations(concernedByPresenterAt: presenter.path)
            tell(.presenterAdded(presenter))
        case (.released, .claim): endClaim(snapshot, known, of: client)
        case (.cancelled, .claim):
            if case .claim(let claim) = known?.identity { cancel(claim) }
            forget(snapshot, of: client)
        case (.released, .presenter), (.cancelled, .presenter):
            if case .presenter(let presenter) = known?.identity { remove(presenter) }
            forget(snapshot, of: client)
        }
    }

    /// Strikes out what a record was about before its client made something else of it without
    /// ending that, as no client of ours does.
    func strike(_ former: KnownRecord, at index: UInt32, of client: Client) {
        client.known[index] = nil
        switch former.identity {
        case .claim(let claim): cancel(claim)
        case .presenter(let presenter): remove(presenter)
        }
    }

    // MARK: Claims

    private func fileClaim(_ snapshot: RecordSnapshot, of client: Client) {
        guard let body = claimBody(snapshot, of: client) else { return }
        keepingOrder(since: snapshot.filedAt) { fileClaim(snapshot, body, of: client) }
    }

    private func fileClaim(_ snapshot: RecordSnapshot, _ body: ClaimBody, of client: Client) {
        // First, so that what runs there came before it.
        var isClear = true
        if body.kind == .access {
            isClear = revokeDelegations(
                concernedBy: body.items, for: snapshot.reference, of: client)
        }
        // Buried, perhaps, by what that led to.
        guard clients[client.id] === client, client.known[snapshot.reference.index] == nil
        else { return }
        // Whatever that led to was about others.
        let hasWaited = hasWaitedInRelay
        if isClear, !hasWaited, grantQuietly(snapshot, body, of: client) { return }
        let claim = makeClaim(snapshot, body, of: client)
        // Of what was moved meanwhile the client means the old place by its slot.
        if let slot = snapshot.wantedSlot, claim.kind == .access, claim.items.count == 1,
            claim.items[0].isDelegable, book.items(ofClaim: claim.id.rawValue) == nil
        {
            wantedDelegations[claim.id] = WantedDelegation(slot, for: claim.items[0].path)
        }
        claimBeingFiled = hasWaited ? nil : claim.id
        tell(.claimFiled(claim))
        claimBeingFiled = nil
    }

    /// Grants a claim that nobody else has anything to do with, and keeps quiet about it.
    private func grantQuietly(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, of client: Client
    ) -> Bool {
        guard snapshot.ticket == 0, body.kind == .access, body.items.count == 1,
            body.items[0].isDelegable, body.enclosing.isEmpty, body.standpoint == nil,
            !stoppedClients.contains(client.id),
            arbiter.isUncontested(body.items[0].path)
        else { return false }
        switch client.ledger.grant(snapshot.reference, epoch, isQuiet: true) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(WireRecord(snapshot.reference)), to: client)
        case .refused: return false
        }
        let path = body.items[0].path
        // Its own process lets nobody in by that before it is over.
        if let slot = snapshot.wantedSlot, let wanted = WantedDelegation(slot, for: path) {
            delegate(wanted, to: client)
        }
        delegations.insert(.claim(snapshot.reference), of: client.id, at: path)
        return true
    }

    /// Reads a claim's record, gives it a ticket if it has none, and remembers it.
    func makeClaim(_ snapshot: RecordSnapshot, of client: Client) -> FiledClaim? {
        claimBody(snapshot, of: client).map { makeClaim(snapshot, $0, of: client) }
    }

    private func claimBody(_ snapshot: RecordSnapshot, of client: Client) -> ClaimBody? {
        if let bytes = client.ledger.body(snapshot.reference),
            let body = try? ClaimBody(decoding: bytes)
        {
            return body
        }
        reject(snapshot, of: client)
        return nil
    }

    private func makeClaim(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, of client: Client
    ) -> FiledClaim {
        let reading = RecordAddress(client: client.id, record: snapshot.reference)
        claimsBeingRead.insert(reading)
        defer { claimsBeingRead.remove(reading) }
        if !body.enclosing.isEmpty { adoptLocalClaims(body.enclosing, of: client) }
        let surrounding = surroundingClaims(of: snapshot.reference, of: client)
        let id = ClaimID(rawValue: ticket(of: snapshot, client))
        claims[id] = RecordAddress(client: client.id, record: snapshot.reference)
        client.known[snapshot.reference.index] = KnownRecord(
            generation: snapshot.reference.generation, identity: .claim(id))
        // A claim that waited when the host changed was filed with what held then.
        let standpoint = snapshot.ticket == 0 ? body.standpoint : nil
        return FiledClaim(
            id: id, client: client.id, purpose: Purpose(bytes: body.purpose),
            items: items(of: id, body, snapshot, client),
            enclosing: enclosingClaims(body.enclosing, of: client), surrounding: surrounding,
            kind: body.kind, standpoint: standpoint.flatMap { self.standpoint($0, of: client) },
            blocksCaller: body.blocksCaller)
    }

    /// The items, where they are by now.
    private func items(
        of claim: ClaimID, _ body: ClaimBody, _ snapshot: RecordSnapshot, _ client: Client
    ) -> [AccessItem] {
        guard let moved = book.items(ofClaim: claim.rawValue), moved.count == body.items.count
        else { return body.items }
        // The former host may have died between the book and the mark.
        client.ledger.noteRelocation(snapshot.reference)
        return moved
    }

    private func standpoint(_ told: WireStandpoint, of client: Client) -> Standpoint? {
        guard let known = client.known[told.presenter.index],
            known.generation == told.presenter.generation,
            case .presenter(let presenter) = known.identity
        else { return nil }
        return Standpoint(presenter, at: told.place)
    }

    /// The ticket that a former host gave the record, or a new one.
    ///
    /// A ticket that no former host can have given is the client's invention.
    private func ticket(of snapshot: RecordSnapshot, _ client: Client) -> UInt64 {
        let old = snapshot.ticket
        if old > 0, old < epoch.firstTicket, !isTaken(old) { return old }
        lastTicket += 1
        let given = client.ledger.setTicket(snapshot.reference, lastTicket)
        // A host that was deposed a moment ago may have been faster; a client may have lied.
        return given <= lastTicket && !isTaken(given) ? given : lastTicket
    }

    private func isTaken(_ ticket: UInt64) -> Bool {
        claims[ClaimID(rawValue: ticket)] != nil
            || presenters[PresenterID(rawValue: ticket)] != nil
    }

    /// The claims that records of one client are known as.
    func enclosingClaims(_ records: [WireRecord], of client: Client) -> [ClaimID] {
        records.compactMap { record -> ClaimID? in
            guard let known = client.known[record.index], known.generation == record.generation,
                case .claim(let claim) = known.identity
            else { return nil }
            return claim
        }.sorted()
    }

    private func endClaim(_ snapshot: RecordSnapshot, _ known: KnownRecord?, of client: Client) {
        // It was nobody's business, but has announced something, and is over already.
        if known == nil { makeKnown(snapshot, of: client) }
        if case .claim(let claim) = client.known[snapshot.reference.index]?.identity {
            let outcomes = hear(snapshot, of: client)
            lookAtStoppedProcesses()
            tell(.claimEnded(claim, outcomes: outcomes))
            let wanted = wantedDelegations[claim]
            forget(claim)
            openRelays()
            if let wanted { delegate(wanted, to: client) }
        }
        forget(snapshot, of: client)
    }

    /// Strikes a claim that is over out of the books.
    func forget(_ claim: ClaimID) {
        claims[claim] = nil
        questionNumbers[claim] = nil
        wantedDelegations[claim] = nil
        book.forget(claim.rawValue)
    }

    private func cancel(_ claim: ClaimID) {
        recallAsks(for: claim)
        lookAtStoppedProcesses()
        tell(.claimCancelled(claim))
        forget(claim)
        openRelays()
    }

    /// Gives the record back to its client, when all has been sent that follows from it: a host
    /// that dies before leaves the outcome to the next.
    private func forget(_ snapshot: RecordSnapshot, of client: Client) {
        client.known[snapshot.reference.index] = nil
        recordsToReap.append((client, snapshot.reference))
    }

    private func reject(_ snapshot: RecordSnapshot, of client: Client) {
        configuration.log(
            .ledgerRejected(
                name: client.ledgerName, reason: "record \(snapshot.reference) cannot be read"))
        guard let connection = client.connection else { return }
        refuse(connection, .malformed, "a record in its ledger cannot be read")
    }

    // MARK: Presenters

    private func addPresenter(_ snapshot: RecordSnapshot, of client: Client) {
        guard let presenter = makePresenter(snapshot, of: client) else { return }
        revokeDelegations(concernedByPresenterAt: presenter.path)
        tell(.presenterAdded(presenter))
        if client.ledger.grant(snapshot.reference, epoch) == .grantedWantsMessage {
            send(.granted(WireRecord(snapshot.reference)), to: client)
        }
    }

    private func remove(_ presenter: PresenterID) {
        presenters[presenter] = nil
        book.forget(presenter.rawValue)
        tell(.presenterRemoved(presenter))
    }

    /// Reads a presenter's record and remembers it.
    func makePresenter(_ snapshot: RecordSnapshot, of client: Client) -> RegisteredPresenter? {
        guard let bytes = client.ledger.body(snapshot.reference),
            let body = try? PresenterBody(decoding: bytes)
        else {
            reject(snapshot, of: client)
            return nil
        }
        let id = PresenterID(rawValue: ticket(of: snapshot, client))
        presenters[id] = RecordAddress(client: client.id, record: snapshot.reference)
        client.known[snapshot.reference.index] = KnownRecord(
            generation: snapshot.reference.generation, identity: .presenter(id))
        let original = body.path.flatMap { ItemPath(bytes: $0) }
        let moved = book.presenter(id.rawValue)?.place
        return RegisteredPresenter(
            id: id, client: client.id, purpose: Purpose(bytes: body.purpose),
            path: moved ?? original,
            formerPlaces: moved == nil ? [] : [original].compactMap { $0 }, methods: body.methods,
            patience: body.patience, relinquished: snapshot.relinquished)
    }

    func answered(_ client: Client, presenter: WireRecord, claim: UInt64, failure: [UInt8]?) {
        guard let known = client.known[presenter.index], known.generation == presenter.generation,
            case .presenter(let id) = known.identity
        else { return }
        guard let claimID = claimAsked(under: claim) else { return }
        unanswered[claimID]?[id] = nil
        tell(
            .presenterAnswered(
                id, for: claimID, failure: failure.map { PresenterFailure(payload: $0) }))
    }
}

extension Host {
    /// The claim whose questions have this number; nil for those that were taken back.
    private func claimAsked(under number: UInt64) -> ClaimID? {
        guard !questionNumbers.isEmpty else { return ClaimID(rawValue: number) }
        if let again = questionNumbers.first(where: { $0.value == number }) { return again.key }
        let claim = ClaimID(rawValue: number)
        return questionNumbers[claim] == nil ? claim : nil
    }

    /// A presenter can do nothing before a call of its own process is over (Rule 18.4).
    func hindered(_ client: Client, presenter: WireRecord, by claim: WireRecord?) {
        guard let known = client.known[presenter.index], known.generation == presenter.generation,
            case .presenter(let id) = known.identity
        else { return }
        let claim = claim.flatMap { enclosingClaims([$0], of: client).first }
        tell(.presenterHindered(id, by: claim))
    }
}

extension WireRecord {
    init(_ reference: RecordReference) {
        self.init(index: reference.index, generation: reference.generation)
    }
}

extension RecordSnapshot {
    /// The kinds in which a presenter is relinquished.
    var relinquished: Relinquishments {
        var kinds: Relinquishments = []
        if hasRelinquishedToReader { kinds.insert(.reader) }
        if hasRelinquishedToWriter { kinds.insert(.writer) }
        return kinds
    }
}
