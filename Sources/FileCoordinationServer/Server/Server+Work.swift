// SPDX-License-Identifier: Apache-2.0
//
// Performs the items of the work queue. ``decide(_:facts:outright:handled:)`` is the only function
// that gives events to the arbiter. The arbiter's effects are carried out at once, as
// compare-and-swap operations on ledgers and as messages. None of them calls `decide` again;
// further events are queued.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Performs one item of the queue.
    mutating func perform(_ item: Work) {
        switch item {
        case .decide(let event): decide(event)
        case .check(let check): compare(check)
        case .makeKnown(let check): makeKnown(check)
        case .recover(let check): recover(check)
        case .fileAgain(let check): fileAgain(check)
        case .end(let check): end(check)
        case .scan(let scan): expand(scan)
        case .reconcile(let id): if let client = clients[id] { reconcile(client) }
        case .connectionEnded(let id): if let client = clients[id] { connectionEnded(of: client) }
        case .hangUp(let token): hangUp(token)
        case .removeClient(let id): if let client = clients[id] { remove(client) }
        case .finishRemoval(let id): if let client = clients[id] { finishRemoval(of: client) }
        case .checkProcesses(let seen, let since): checkProcesses(but: seen, since: since)
        }
    }

    // MARK: Deciding

    /// Gives one event to the arbiter and carries out the resulting effects.
    ///
    /// New paths of items are first written to the relocation log, all of them or none: a log with
    /// half of an event could not be completed later.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - facts: what the arbiter has said just now about the claim that is filed.
    ///   - outright: a claim that was filed just now. If it is granted, the grant need not be
    ///     provisional, because its process is running.
    ///   - handled: the claim whose log led to this event, and how many bytes of the log are
    ///     handled with it.
    mutating func decide(
        _ event: Event, facts: FilingFacts? = nil, outright: ClaimID? = nil,
        handled: (claim: ClaimID, bytes: Int)? = nil
    ) {
        let effects = arbiter.handle(event, facts: facts)
        if let viewer = configuration.viewer { viewer(view) }
        if !outgoing.recordings.isEmpty { record(event, effects) }
        if effects.isEmpty, handled == nil { return }
        var entries = effects.compactMap { $0.relocationEntry }
        if let handled {
            entries.append(
                RelocationEntry(
                    serial: handled.claim.rawValue, .handled(UInt32(clamping: handled.bytes))))
            if case .claimAnnounced(_, .moved) = event { entries += movedItems(by: handled.claim) }
        }
        let isWritten = entries.isEmpty || write(entries)
        let writer = event.writer
        for effect in effects {
            carryOut(effect, outright: outright, isWritten: isWritten, writer: writer)
        }
    }

    /// Returns entries about claims around one that has moved items, and about itself if a claim
    /// inside it has done so before: then the next server has no other way to know.
    private func movedItems(by mover: ClaimID) -> [RelocationEntry] {
        var moved = arbiter.movedItems(around: mover)
        if records.relocations.movedItems(ofClaim: mover.rawValue) != nil,
            let own = arbiter.movedItems(of: mover)
        {
            moved.append((mover, own))
        }
        return moved.compactMap { claim, items in
            guard records.relocations.movedItems(ofClaim: claim.rawValue) != items else {
                return nil
            }
            return RelocationEntry(serial: claim.rawValue, .moved(items))
        }
    }

    /// Carries out an effect; `writer` is the claim whose changes it announces.
    private mutating func carryOut(
        _ effect: Effect, outright: ClaimID?, isWritten: Bool, writer: ClaimID?
    ) {
        switch effect {
        // The process of a claim that was filed just now is running. The process of a claim that
        // waited may have been stopped meanwhile, so its grant is provisional (Rule 18.6).
        case .grant(let claim): grant(claim, isProvisional: claim != outright)
        case .fail(let claim, let failure): fail(claim, failure)
        case .failInCycle(let claim, let cycle): failInCycle(claim, cycle)
        case .withdrawQuestions(let claim):
            withdrawQuestions(for: claim)
            // With a new number, a late answer is not mistaken for an answer to the next question.
            outgoing.questions.renumber(claim, as: records.takeNumber())
        case .askToYield(let presenter, let claim, let steps): ask(presenter, claim, steps)
        case .reacquire(let presenter, let kind): deliver(.reacquire(kind), to: presenter)
        case .notify(let presenter, let notice):
            deliver(.notice(notice), to: presenter, by: writer)
        case .retarget(let claim, _): mark(claim, isWritten: isWritten)
        case .relocate(let presenter, let place, let isTold):
            relocate(presenter, to: place, isTold: isTold, by: writer)
        case .grantUnreported(let claim, let id): grantUnreported(claim, id)
        case .delegate(let delegation): delegate(delegation)
        case .recall(let id): recall(id)
        case .openQueue(let path, let members): openQueue(at: path, members)
        case .startQueue(let id): delegations.openTicketQueue(id)
        }
    }

    // MARK: Carrying out

    private mutating func ask(_ presenter: PresenterID, _ claim: ClaimID, _ steps: YieldSteps) {
        let number = outgoing.questions.number(of: claim)
        let message = PresenterMessage.ask(claim: number, steps)
        if steps.accommodateSubitemDeletions.count > ServerLimits.surelyUtterable {
            let record = RecordReference(index: 0, generation: 0)
            guard Delivery(presenter: record, message: message).isUtterable else {
                // The question does not fit into a message. It is treated as a refusal by the
                // presenter.
                return work.append(
                    .decide(
                        .presenterAnswered(
                            presenter, for: claim, failure: PresenterFailure(payload: [0]))))
            }
        }
        outgoing.questions.ask(presenter, for: claim, steps)
        deliver(message, to: presenter)
    }

    private mutating func grant(_ claim: ClaimID, isProvisional: Bool) {
        outgoing.questions.clearUnanswered(claim)
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        watchWrites(of: claim, isFound: false)
        switch client.ledger.grant(address.record, presence.epoch, isProvisional: isProvisional) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(address.record), to: client)
        case .refused:
            // The client has cancelled the claim concurrently and reports that next, or another
            // server has taken the role. The ledger cannot prove the latter, because its client can
            // write to it.
            if presence.isDeposed { presence.end(.deposed) }
        }
    }

    private mutating func fail(_ claim: ClaimID, _ failure: PresenterFailure) {
        withdrawQuestions(for: claim)
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        // The client cancels the record itself, by compare-and-swap. If the message is lost, the
        // claim is still pending, and the next server asks all presenters again.
        send(
            .failed(address.record, failure: failure.payload),
            ofClaimIn: address.record, to: client)
    }

    private mutating func failInCycle(_ claim: ClaimID, _ cycle: [CycleStep]) {
        let address = records.address(of: claim)
        let client = address.flatMap { clients[$0.client] }
        var findings = ProcessFindings(namespace: client?.ledger.processNamespace ?? 0)
        let parties = cycle.flatMap { step -> [Party?] in
            guard let presenter = step.presenter else { return [party(step, &findings)] }
            let steps =
                outgoing.questions.steps(presenter, for: step.claim.id) ?? YieldSteps()
            return [party(step, &findings), party(presenter: presenter, steps, &findings)]
        }
        withdrawQuestions(for: claim)
        guard let address, let client else { return }
        // As in `fail`, the client cancels the record itself.
        send(
            .inCycle(address.record, parties: parties.compactMap { $0 }),
            ofClaimIn: address.record, to: client)
    }

    /// Tells presenters that were asked on behalf of `claim` that their answers are no longer
    /// needed.
    mutating func withdrawQuestions(for claim: ClaimID) {
        let number = outgoing.questions.number(of: claim)
        for presenter in outgoing.questions.takeBack(for: claim) {
            deliver(.withdrawQuestion(claim: number), to: presenter)
        }
    }

    /// Marks a claim's record, so that its client looks up the current paths of its items before
    /// the accessor runs (Rule 11.4).
    ///
    /// If the relocation log could not be written, the mark says that the paths are unknown.
    func mark(_ claim: ClaimID, isWritten: Bool) {
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        client.ledger.markRelocated(address.record, isWritten: isWritten)
    }

    /// Writes entries to the relocation log, all or none.
    ///
    /// Returns whether that succeeded.
    ///
    /// If it fails, the next server does not know the moves. Claimants whose items have moved then
    /// find out that the new paths are unknown, and fail instead of running.
    @discardableResult
    func write(_ entries: [RelocationEntry]) -> Bool {
        do {
            try records.relocations.write(entries)
            return true
        } catch {
            configuration.log(.relocationNotWritten(reason: "\(error)"))
            return false
        }
    }
}

extension Effect {
    /// The entry of the relocation log that an effect requires, or nil.
    fileprivate var relocationEntry: RelocationEntry? {
        switch self {
        case .relocate(let presenter, let place, let isTold):
            RelocationEntry(serial: presenter.rawValue, .presenter(place, isTold: isTold))
        case .retarget(let claim, let items): RelocationEntry(serial: claim.rawValue, .claim(items))
        case .grant, .fail, .failInCycle, .withdrawQuestions, .askToYield, .reacquire, .notify,
            .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
            nil
        }
    }
}

// Sends messages to clients. The server disconnects a client that has reached a limit. The client
// loses nothing but messages: its claims and presenters are in its ledger. When it reconnects, the
// server repeats what matters, and the client looks up the rest.

extension Server {
    /// Sends a message to a client.
    ///
    /// A client without a connection gets no message; when it has reconnected, it reads its own
    /// records.
    mutating func send(_ message: ServerMessage, to client: Client) {
        guard let token = client.connection, let connection = connections[token] else { return }
        send(message, on: connection)
    }

    /// Sends a message about the failure of a claim, which its client then cancels.
    mutating func send(
        _ failure: ServerMessage, ofClaimIn record: RecordReference, to client: Client
    ) {
        guard let token = client.connection, let connection = connections[token] else { return }
        connection.rememberFailure(of: record)
        send(failure, on: connection)
    }

    /// Whether a message about the failure of a claim was sent on its client's present connection.
    func hasTold(_ client: Client, ofFailureOf record: RecordReference) -> Bool {
        client.connection.flatMap { connections[$0] }?.hasTold(ofFailureOf: record) ?? false
    }

    /// Sends a message on a connection.
    mutating func send(_ message: ServerMessage, on connection: Connection) {
        // The connection is not closed at once: its end is queued behind the present work.
        if let token = connections.send(message, on: connection) { work.append(.hangUp(token)) }
    }

    /// Queues a message to a presenter; it is sent at the end of the turn at the latest, if
    /// possible.
    mutating func deliver(_ message: PresenterMessage, to presenter: PresenterID) {
        if !outgoing.recordings.isEmpty, case .plainNotice(let notice) = message {
            record(plain: notice, to: presenter)
        }
        guard let address = records.address(of: presenter), let client = clients[address.client]
        else { return }
        let delivery = Delivery(presenter: address.record, message: message)
        guard let count = outgoing.deliveries.keep(delivery, for: client.id) else { return }
        if count >= ServerLimits.deliveriesPerTurn, takesDeliveries(client) { flush(client) }
        for id in outgoing.deliveries.excess(at: count, of: client.id) {
            if let client = clients[id] { letGo(client) }
        }
    }

    /// Returns whether messages for a client's presenters can be sent now without waiting.
    ///
    /// While the connection has a backlog, messages stay in `deliveries`, where duplicates are
    /// dropped.
    private func takesDeliveries(_ client: Client) -> Bool {
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return false }
        return connection.isWelcome && !connection.hasBacklog
    }

    private mutating func flush(_ client: Client) {
        guard client.connection.flatMap({ connections[$0] }) != nil else { return }
        let deliveries = outgoing.deliveries.takeAll(for: client.id)
        for message in ServerMessage.packing(deliveries) { send(message, to: client) }
    }

    /// Sends the queued messages for presenters.
    mutating func flushDeliveries() {
        let ready = outgoing.deliveries.takeClients()
        if !ready.isEmpty, let viewer = configuration.viewer { viewer(view) }
        for id in ready {
            // Without a connection the messages stay queued until after the next hello.
            guard let client = clients[id], takesDeliveries(client) else { continue }
            flush(client)
        }
    }

    /// Drops the queued messages of a client and closes its connection.
    ///
    /// When the client finds the connection closed, it reconnects and has its presenters look at
    /// everything.
    private mutating func letGo(_ client: Client) {
        configuration.log(
            .limitReached(
                processID: client.ledger.processID,
                reason: "\(outgoing.deliveries.count(for: client.id)) messages wait for it to "
                    + "read them"))
        _ = outgoing.deliveries.takeAll(for: client.id)
        if let token = client.connection {
            work.append(.hangUp(token))
        } else {
            outgoing.deliveries.recordDropped(for: client.id)
        }
    }
}
