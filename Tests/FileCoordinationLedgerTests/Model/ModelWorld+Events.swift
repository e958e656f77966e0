// SPDX-License-Identifier: Apache-2.0
//
// What can happen next in the model.

import FileCoordinationLedger

extension ModelWorld {
    /// Everything that can happen next.
    func events(_ configuration: ModelConfiguration) -> [ModelEvent] {
        var events: [ModelEvent] = []
        for client in clients.indices {
            addClient(client, to: &events, configuration)
            addMisfortunes(
                of: client, isActive: clients[client].phase != .done,
                isAlive: clients[client].isAlive, isStopped: clients[client].isStopped,
                hasForked: clients[client].hasForked, to: &events)
        }
        for host in hosts.indices {
            addHost(host, to: &events, configuration)
            let isActive = hosts[host].phase != .absent && hosts[host].phase != .deposed
            addMisfortunes(
                of: process(ofHost: host), isActive: isActive, isAlive: hosts[host].isAlive,
                isStopped: hosts[host].isStopped, hasForked: hosts[host].hasForked, to: &events)
        }
        return events
    }

    private func addMisfortunes(
        of process: Int, isActive: Bool, isAlive: Bool, isStopped: Bool, hasForked: Bool,
        to events: inout [ModelEvent]
    ) {
        // What the dead have stored still arrives.
        if memory.hasBufferedStores(of: process) { events.append(.flush(process: process)) }
        guard isAlive else { return }
        if isStopped { events.append(.resume(process: process)) }
        guard isActive else { return }
        if deaths > 0 { events.append(.die(process: process)) }
        if stops > 0, !isStopped { events.append(.stop(process: process)) }
        if forks > 0, !hasForked, !isStopped { events.append(.fork(process: process)) }
    }

    private func addClient(
        _ client: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        let state = clients[client]
        guard state.runs else { return }
        switch state.phase {
        case .ready:
            if freeRecord(client, configuration) != nil { events.append(.begin(client: client)) }
        case .accessing:
            events.append(.finishAccess(client: client))
        case .unborn, .marking, .writing, .adopting, .filing, .joining, .claimingLocally,
            .leavingRelay, .cancelling, .catchingUp, .releasingLocally, .releasing, .passing:
            events.append(.step(process: client))
        case .awaitingTurn:
            events.append(state.isAsleep ? .tireOfRelay(client: client) : .step(process: client))
        case .waiting:
            if !state.isAsleep { events.append(.step(process: client)) }
            if case .claimWithDeadline? = task(client, configuration), !state.hasGivenUp {
                events.append(.expire(client: client))
            }
            let message = memory.load(.message(state.record, of: client), by: client)
            if message == UInt64(state.generation) {
                events.append(.believeMessage(client: client))
            }
        case .done:
            break
        }
        guard configuration.cancelsLate, client == 0 else { return }
        if state.canceller != nil {
            events.append(.stepCanceller(client: client))
        } else if !state.cancellerHasStarted, state.generation > 0 {
            events.append(.beginCancelling(client: client))
        }
    }

    private func addHost(
        _ host: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        guard hosts[host].runs else { return }
        switch hosts[host].phase {
        case .absent:
            if canTakeOver(host, configuration) { events.append(.takeOver(host: host)) }
        case .raising, .listing, .raisingLedger, .scanning, .readingBody, .messaging, .granting,
            .withdrawing, .reaping, .delegating, .revoking, .caring, .renewing, .opening,
            .checkingLine:
            events.append(.step(process: process(ofHost: host)))
        case .serving:
            addDecisions(host, to: &events, configuration)
        case .deposed:
            break
        }
    }

    private func canTakeOver(_ host: Int, _ configuration: ModelConfiguration) -> Bool {
        hosts[..<host].indices.allSatisfy { earlier in
            switch hosts[earlier].phase {
            case .absent: false
            case .deposed: true
            case .raising, .listing, .raisingLedger, .scanning, .readingBody, .serving,
                .messaging, .granting, .withdrawing, .reaping, .delegating, .revoking, .caring,
                .renewing, .opening, .checkingLine:
                isLockFree(ofHost: earlier, configuration.fault)
                    || hosts[earlier].isStopped
                        && hosts[earlier].isAlive
                    || configuration.deposesAtAnyTime
            }
        }
    }

    private func addDecisions(
        _ host: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        guard !mustEndRelay(host) else {
            events.append(.endRelay(host: host))
            return
        }
        addRelay(host, to: &events, configuration)
        for client in clients.indices {
            guard hosts[host].listed & 1 << client != 0 else {
                let isConnected =
                    clients[client].isNamed && clients[client].isAlive
                    && !isAdopting(client)
                if isConnected { events.append(.hear(host: host, of: client)) }
                continue
            }
            if isLockFree(ofClient: client, configuration.fault) {
                events.append(.bury(host: host, client: client))
                continue
            }
            for record in 0..<configuration.records {
                addDecisions(host, client, record, to: &events, configuration)
            }
            for place in 0..<ModelMemory.slotCount {
                if canRevoke(host, client, place) {
                    events.append(.revoke(host: host, client: client, place: place))
                }
                if delegations > 0, canDelegate(host, client, place) {
                    events.append(.delegate(host: host, client: client, place: place))
                }
                if shares > 0, canShare(host, client, place, configuration) {
                    events.append(.share(host: host, client: client, place: place))
                }
            }
        }
    }

    private func isAdopting(_ client: Int) -> Bool {
        if case .adopting = clients[client].phase { return true }
        return false
    }

    private func addDecisions(
        _ host: Int, _ client: Int, _ record: Int, to events: inout [ModelEvent],
        _ configuration: ModelConfiguration
    ) {
        let known = hosts[host].knowledge[client * configuration.records + record]
        let word = memory.record(record, of: client)
        if word != known.word, isWorthALook(word, known, host) {
            events.append(.look(host: host, client: client, record: record))
        }
        if withdrawals > 0, known.word.isOffer || configuration.fault == .withdrawsWhatIsTaken,
            known.holds
        {
            events.append(.withdraw(host: host, client: client, record: record))
        }
        if known.isQuiet, isWaitedFor(known.place, host) || holdsRelay(host, known.place) {
            events.append(.care(host: host, client: client, record: record))
        }
        if known.isOver { events.append(.reap(host: host, client: client, record: record)) }
        if known.waits, !isTaken(known, host, configuration.fault) {
            events.append(.grant(host: host, client: client, record: record))
        }
    }

    /// Whether the host would be told to look, or sees it for itself: a draft is not announced, a
    /// local grant neither unless it cares, and what names an earlier epoch is none of its concern.
    private func isWorthALook(
        _ word: RecordWord, _ known: ModelHost.Knowledge, _ host: Int
    ) -> Bool {
        if word.epoch > hosts[host].epoch { return true }
        switch word.state {
        // No client tells the host of what waits in its relay.
        case .asked: return word.epoch == hosts[host].epoch && !word.isInRelay
        case .granted:
            return word.epoch == hosts[host].epoch && word.flags != .local
        case .released, .cancelled: return true
        // A claim that ends without a report must have none asked for.
        case .free, .draft, nil: return false
        }
    }

    func isWaitedFor(_ place: Int, _ host: Int) -> Bool {
        hosts[host].knowledge.contains { $0.waits && $0.place == place }
    }

    /// Whether something that the host knows is in the way of a grant.
    private func isTaken(
        _ claim: ModelHost.Knowledge, _ host: Int, _ fault: LedgerFault?
    ) -> Bool {
        if claim.place < 0 { return false }
        let isHeld = hosts[host].knowledge.contains {
            $0.holds && $0.place == claim.place && !($0.isReading && claim.isReading)
        }
        if isHeld { return true }
        let slots = slots(of: claim.place, by: host)
        let inTheWay = slots.filter { !(claim.isReading && $0.terms.contains(.readsOnly)) }
        if fault == .oneShareRevoked { return inTheWay.count > 1 }
        return !inTheWay.isEmpty
    }

    /// The delegations of a place that stand.
    private func slots(of place: Int, by host: Int) -> [SlotWord] {
        clients.indices.map { hosts[host].delegations[$0 * ModelMemory.slotCount + place] }
            .filter(\.isDelegated)
    }

    func isDelegated(_ place: Int, by host: Int) -> Bool {
        clients.indices.contains { client in
            hosts[host].delegations[client * ModelMemory.slotCount + place].isDelegated
        }
    }

    private func canRevoke(_ host: Int, _ client: Int, _ place: Int) -> Bool {
        let slot = hosts[host].delegations[client * ModelMemory.slotCount + place]
        return slot.isDelegated
            && hosts[host].knowledge.contains {
                $0.waits && $0.place == place
                    && !($0.isReading && slot.terms.contains(.readsOnly))
            }
    }

    /// For reading a place can be had beside others who read.
    private func canShare(
        _ host: Int, _ client: Int, _ place: Int, _ configuration: ModelConfiguration
    ) -> Bool {
        if hosts[host].relay?.place == place { return false }
        let hasWriter = hosts[host].knowledge.contains {
            ($0.holds || $0.waits) && $0.place == place && !$0.isReading
        }
        let isRead = configuration.tasks[client].contains { $0.isReading && $0.place == place }
        let hasSlot =
            hosts[host].delegations[client * ModelMemory.slotCount + place].isDelegated
        return isRead && !hasWriter && !hasSlot
            && slots(of: place, by: host).allSatisfy { $0.terms.contains(.readsOnly) }
    }

    /// A place is its client's alone also while a claim of its own runs there that was granted
    /// quietly.
    private func canDelegate(_ host: Int, _ client: Int, _ place: Int) -> Bool {
        if isWaitedFor(place, host) || hosts[host].relay?.place == place { return false }
        let count = hosts[host].knowledge.count / clients.count
        let isHeld = hosts[host].knowledge.enumerated().contains { index, known in
            known.holds && known.place == place && !(known.isQuiet && index / count == client)
        }
        return !isHeld && !isDelegated(place, by: host)
    }
}
