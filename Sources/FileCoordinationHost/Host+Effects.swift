// SPDX-License-Identifier: Apache-2.0
//
// From the arbiter's effects to swaps in ledgers and messages on sockets. Messages to presenters
// are gathered and sent at the end of the turn, as few as possible for each process.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    func perform(_ effect: Effect) {
        switch effect {
        case .grant(let claim): grant(claim)
        case .fail(let claim, let failure): fail(claim, failure)
        case .failInCycle(let claim, let cycle): failInCycle(claim, cycle)
        case .recallQuestions(let claim):
            recallAsks(for: claim)
            // An answer that is on its way must not be taken for one to the next question.
            lastTicket += 1
            questionNumbers[claim] = lastTicket
        case .askToYield(let presenter, let claim, let steps):
            ask(presenter, claim, steps)
        case .reacquire(let presenter, let kind): deliver(.reacquire(kind), to: presenter)
        case .notify(let presenter, let notice): deliver(.notice(notice), to: presenter)
        case .retarget(let claim, let items): retarget(claim, items)
        case .relocate(let presenter, let place, let isTold):
            relocate(presenter, to: place, isTold: isTold)
        // This host asks for no delegation: it decides of them itself.
        case .grantUnreported, .delegate, .recall, .openQueue, .startQueue: break
        }
    }

    private func ask(_ presenter: PresenterID, _ claim: ClaimID, _ steps: YieldSteps) {
        let number = questionNumbers[claim] ?? claim.rawValue
        let message = PresenterMessage.ask(claim: number, steps)
        if steps.accommodateSubitemDeletions.count > HostLimits.surelyUtterable {
            let record = WireRecord(index: 0, generation: 0)
            guard Delivery(presenter: record, message: message).isUtterable else {
                return unutterable.append((presenter, claim))
            }
        }
        unanswered[claim, default: [:]][presenter] = steps
        deliver(message, to: presenter)
    }

    /// Fails claims for which a presenter would have to be asked more than can be said.
    func failUnutterable() {
        let failed = unutterable
        unutterable = []
        for (presenter, claim) in failed {
            tell(.presenterAnswered(presenter, for: claim, failure: PresenterFailure(payload: [])))
        }
    }

    private func grant(_ claim: ClaimID) {
        unanswered[claim] = nil
        guard let address = claims[claim], let client = clients[address.client] else { return }
        // Who has just filed runs; who had to wait may have been stopped meanwhile (Rule 18.6).
        let isOffer = claim != claimBeingFiled
        if isOffer { wantedDelegations[claim]?.hasWaited = true }
        switch client.ledger.grant(address.record, epoch, isOffer: isOffer) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(WireRecord(address.record)), to: client)
        case .refused:
            // It was cancelled a moment ago, and says so next; or another host reigns. What the
            // ledger says of that, its client may have written.
            if isDeposed { ending = ending ?? .deposed }
        }
    }

    private func fail(_ claim: ClaimID, _ failure: PresenterFailure) {
        recallAsks(for: claim)
        guard let address = claims[claim], let client = clients[address.client] else { return }
        // The client cancels the record by its own swap, so that a failure whose message is lost
        // leaves a claim that still waits, and that the next host asks everybody about again.
        send(.failed(WireRecord(address.record), failure: failure.payload), to: client)
    }

    private func failInCycle(_ claim: ClaimID, _ cycle: [CycleStep]) {
        let reader = claims[claim].flatMap { clients[$0.client] }?.ledger.processNamespace ?? 0
        var looks = ReportLooks(namespace: reader)
        let parties = cycle.flatMap { step -> [Party?] in
            guard let presenter = step.presenter else { return [party(step, &looks)] }
            let steps = unanswered[step.claim.id]?[presenter] ?? YieldSteps()
            return [party(step, &looks), party(presenter: presenter, steps, &looks)]
        }
        recallAsks(for: claim)
        guard let address = claims[claim], let client = clients[address.client] else { return }
        // As with a refusal, the client cancels the record by its own swap.
        send(
            .inCycle(WireRecord(address.record), parties: parties.compactMap { $0 }), to: client)
    }

    /// Tells presenters that were asked for `claim` that their answer is no longer waited for.
    func recallAsks(for claim: ClaimID) {
        let number = questionNumbers[claim] ?? claim.rawValue
        for presenter in (unanswered.removeValue(forKey: claim) ?? [:]).keys.sorted() {
            deliver(.cancelAsk(claim: number), to: presenter)
        }
    }

    // MARK: Messages to clients

    func send(_ message: HostMessage, to client: Client) {
        guard let connection = client.connection else { return }
        // A client that is between two connections looks at its own records when it is back.
        send(message, on: connection)
    }

    func deliver(_ message: PresenterMessage, to presenter: PresenterID) {
        guard let address = presenters[presenter], let client = clients[address.client] else {
            return
        }
        keep(Delivery(presenter: WireRecord(address.record), message: message), for: client)
    }

    /// Sends what this turn decided to tell presenters.
    func flushDeliveries() {
        let ids = clientsToFlush
        clientsToFlush = []
        for id in ids {
            // Without a connection they stay, and are sent after the hello.
            guard let client = clients[id], takesDeliveries(client) else { continue }
            flush(client)
        }
    }
}
