// SPDX-License-Identifier: Apache-2.0
//
// One item of work at a time, and the one place where the arbiter is told of anything: decide(_:).
// What it wants is carried out at once, as swaps in ledgers and messages on sockets. None of that
// makes the arbiter be told of something else on the spot: what follows is put into the queue.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Does one item of the queue.
    func perform(_ item: Work) {
        switch item {
        case .decide(let event): decide(event)
        case .look(let look): compare(look)
        case .makeKnown(let look): makeKnown(look)
        case .recover(let look): recover(look)
        case .fileAgain(let look): fileAgain(look)
        case .end(let look): end(look)
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

    /// Gives one event to the arbiter and carries out what it wants.
    ///
    /// Where items are by now is written down before anything else is done, all of it or nothing: a
    /// half that was done could not be done again.
    ///
    /// - Parameters:
    ///   - outright: a claim that, if it is granted, was filed just now: its process runs.
    ///   - handled: of a claim, how many bytes of its log have been acted on with this event.
    func decide(
        _ event: Event, outright: ClaimID? = nil, handled: (claim: ClaimID, bytes: Int)? = nil
    ) {
        let actions = arbiter.handle(event)
        outgoing.metrics.record(event, actions)
        var entries = actions.compactMap { $0.relocationEntry }
        if let handled {
            entries.append(
                RelocationEntry(
                    serial: handled.claim.rawValue, .handled(UInt32(clamping: handled.bytes))))
        }
        let isWritten = entries.isEmpty || write(entries)
        for action in actions { carryOut(action, outright: outright, isWritten: isWritten) }
    }

    private func carryOut(_ action: Effect, outright: ClaimID?, isWritten: Bool) {
        switch action {
        // The process of a claim that was filed just now runs; one that had to wait may have been
        // stopped meanwhile (Rule 18.6).
        case .grant(let claim): grant(claim, isProvisional: claim != outright)
        case .fail(let claim, let failure): fail(claim, failure)
        case .failInCycle(let claim, let cycle): failInCycle(claim, cycle)
        case .recallQuestions(let claim):
            takeBackQuestions(for: claim)
            // An answer that is on its way must not be taken for one to the next question.
            outgoing.questions.renumber(claim, as: records.takeNumber())
        case .askToYield(let presenter, let claim, let steps): ask(presenter, claim, steps)
        case .reacquire(let presenter, let kind): deliver(.reacquire(kind), to: presenter)
        case .notify(let presenter, let notice): deliver(.notice(notice), to: presenter)
        case .retarget(let claim, _): mark(claim, isWritten: isWritten)
        case .relocate(let presenter, let place, let isTold):
            relocate(presenter, to: place, isTold: isTold)
        case .grantUnreported(let claim, let id): grantUnreported(claim, id)
        case .delegate(let delegation): delegate(delegation)
        case .recall(let id): recall(id)
        case .openQueue(let path, let members): openQueue(at: path, members)
        case .startQueue(let id): delegations.openTicketQueue(id)
        }
    }

    // MARK: Carrying out

    private func ask(_ presenter: PresenterID, _ claim: ClaimID, _ steps: YieldSteps) {
        let number = outgoing.questions.number(of: claim)
        let message = PresenterMessage.ask(claim: number, steps)
        if steps.accommodateSubitemDeletions.count > ServerLimits.surelyUtterable {
            let record = WireRecord(index: 0, generation: 0)
            guard Delivery(presenter: record, message: message).isUtterable else {
                // Longer than any message: it fails what it was asked for.
                return work.append(
                    .decide(
                        .presenterAnswered(
                            presenter, for: claim, failure: PresenterFailure(payload: []))))
            }
        }
        outgoing.questions.ask(presenter, for: claim, steps)
        deliver(message, to: presenter)
    }

    private func grant(_ claim: ClaimID, isProvisional: Bool) {
        outgoing.questions.clearUnanswered(claim)
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        watchWrites(of: claim, isFound: false)
        switch client.ledger.grant(address.record, presence.epoch, isProvisional: isProvisional) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(WireRecord(address.record)), to: client)
        case .refused:
            // It was cancelled a moment ago, and says so next; or another server reigns. What the
            // ledger says of that, its client may have written.
            if presence.isDeposed { presence.end(.deposed) }
        }
    }

    private func fail(_ claim: ClaimID, _ failure: PresenterFailure) {
        takeBackQuestions(for: claim)
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        // The client cancels the record by its own swap, so that a failure whose message is lost
        // leaves a claim that still waits, and about which the next server asks all presenters.
        send(.failed(WireRecord(address.record), failure: failure.payload), to: client)
    }

    private func failInCycle(_ claim: ClaimID, _ cycle: [CycleStep]) {
        let address = records.address(of: claim)
        let client = address.flatMap { clients[$0.client] }
        var looks = ReportLooks(namespace: client?.ledger.processNamespace ?? 0)
        let parties = cycle.flatMap { step -> [Party?] in
            guard let presenter = step.presenter else { return [party(step, &looks)] }
            let steps =
                outgoing.questions.steps(presenter, for: step.claim.id) ?? YieldSteps()
            return [party(step, &looks), party(presenter: presenter, steps, &looks)]
        }
        takeBackQuestions(for: claim)
        guard let address, let client else { return }
        // As with a refusal, the client cancels the record by its own swap.
        send(
            .inCycle(WireRecord(address.record), parties: parties.compactMap { $0 }), to: client)
    }

    /// Tells presenters that were asked for `claim` that their answer is no longer waited for.
    func takeBackQuestions(for claim: ClaimID) {
        let number = outgoing.questions.number(of: claim)
        for presenter in outgoing.questions.takeBack(for: claim) {
            deliver(.cancelAsk(claim: number), to: presenter)
        }
    }

    /// Marks a claim's record, so that its client looks up where its items are before it runs (Rule
    /// 11.4); if that could not be written, so that it knows that it cannot be told.
    private func mark(_ claim: ClaimID, isWritten: Bool) {
        guard let address = records.address(of: claim), let client = clients[address.client]
        else { return }
        client.ledger.markRelocated(address.record, isWritten: isWritten)
    }

    /// Writes into the relocation log, all or nothing; returns whether it did.
    ///
    /// If that cannot be done, the next server will not know of it: claimants whose items have
    /// moved find out that they cannot be told where, and do not run.
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
    /// What is written into the relocation log for it.
    fileprivate var relocationEntry: RelocationEntry? {
        switch self {
        case .relocate(let presenter, let place, let isTold):
            RelocationEntry(serial: presenter.rawValue, .presenter(place, isTold: isTold))
        case .retarget(let claim, let items): RelocationEntry(serial: claim.rawValue, .claim(items))
        case .grant, .fail, .failInCycle, .recallQuestions, .askToYield, .reacquire, .notify,
            .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
            nil
        }
    }
}
