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
        for server in servers.indices {
            addServer(server, to: &events, configuration)
            let isActive = servers[server].phase != .absent && servers[server].phase != .deposed
            addMisfortunes(
                of: process(ofServer: server), isActive: isActive, isAlive: servers[server].isAlive,
                isStopped: servers[server].isStopped, hasForked: servers[server].hasForked,
                to: &events)
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
            .leavingTicketQueue, .cancelling, .catchingUp, .releasingLocally, .releasing, .passing:
            events.append(.step(process: client))
        case .awaitingTurn:
            events.append(
                state.isAsleep ? .tireOfTicketQueue(client: client) : .step(process: client))
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

    private func addServer(
        _ server: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        guard servers[server].runs else { return }
        switch servers[server].phase {
        case .absent:
            if canTakeOver(server, configuration) { events.append(.takeOver(server: server)) }
        case .raising, .listing, .raisingLedger, .scanning, .readingBody, .messaging, .granting,
            .withdrawing, .reaping, .delegating, .revoking, .caring, .renewing, .opening,
            .checkingLine:
            events.append(.step(process: process(ofServer: server)))
        case .serving:
            addDecisions(server, to: &events, configuration)
        case .deposed:
            break
        }
    }

    private func canTakeOver(_ server: Int, _ configuration: ModelConfiguration) -> Bool {
        servers[..<server].indices.allSatisfy { earlier in
            switch servers[earlier].phase {
            case .absent: false
            case .deposed: true
            case .raising, .listing, .raisingLedger, .scanning, .readingBody, .serving,
                .messaging, .granting, .withdrawing, .reaping, .delegating, .revoking, .caring,
                .renewing, .opening, .checkingLine:
                isLockFree(ofServer: earlier, configuration.fault)
                    || servers[earlier].isStopped
                        && servers[earlier].isAlive
                    || configuration.deposesAtAnyTime
            }
        }
    }

    private func addDecisions(
        _ server: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        guard !mustEndTicketQueue(server) else {
            events.append(.endTicketQueue(server: server))
            return
        }
        addTicketQueue(server, to: &events, configuration)
        for client in clients.indices {
            guard servers[server].listed & 1 << client != 0 else {
                let isConnected =
                    clients[client].isNamed && clients[client].isAlive
                    && !isAdopting(client)
                if isConnected { events.append(.receive(server: server, of: client)) }
                continue
            }
            if isLockFree(ofClient: client, configuration.fault) {
                events.append(.removeClient(server: server, client: client))
                continue
            }
            for record in 0..<configuration.records {
                addDecisions(server, client, record, to: &events, configuration)
            }
            for place in 0..<ModelMemory.slotCount {
                if canRevoke(server, client, place) {
                    events.append(.revoke(server: server, client: client, place: place))
                }
                if delegations > 0, canDelegate(server, client, place) {
                    events.append(.delegate(server: server, client: client, place: place))
                }
                if shares > 0, canShare(server, client, place, configuration) {
                    events.append(.share(server: server, client: client, place: place))
                }
            }
        }
    }

    private func isAdopting(_ client: Int) -> Bool {
        if case .adopting = clients[client].phase { return true }
        return false
    }

    private func addDecisions(
        _ server: Int, _ client: Int, _ record: Int, to events: inout [ModelEvent],
        _ configuration: ModelConfiguration
    ) {
        let known = servers[server].knowledge[client * configuration.records + record]
        let word = memory.record(record, of: client)
        if word != known.word, isWorthALook(word, known, server) {
            events.append(.look(server: server, client: client, record: record))
        }
        if withdrawals > 0,
            known.word.isProvisional || configuration.fault == .withdrawsWhatIsTaken,
            known.holds
        {
            events.append(.withdraw(server: server, client: client, record: record))
        }
        if known.isUnreported,
            isWaitedFor(known.place, server) || holdsTicketQueue(server, known.place)
        {
            events.append(.requestReport(server: server, client: client, record: record))
        }
        if known.isOver { events.append(.reap(server: server, client: client, record: record)) }
        if known.waits, !isTaken(known, server, configuration.fault) {
            events.append(.grant(server: server, client: client, record: record))
        }
    }

    /// Whether the server is told to check a word, or notices it itself.
    ///
    /// It is not told of a draft, nor of a local grant without
    /// a report, and it ignores words of an earlier epoch.
    private func isWorthALook(
        _ word: RecordWord, _ known: ModelServer.Knowledge, _ server: Int
    ) -> Bool {
        if word.epoch > servers[server].epoch { return true }
        switch word.state {
        // No client tells the server of a claim that waits in the server's ticket queue.
        case .filed: return word.epoch == servers[server].epoch && !word.isInTicketQueue
        case .granted:
            return word.epoch == servers[server].epoch && word.flags != .unreported
        case .released, .cancelled: return true
        // A claim may end as free only if no report of its release was asked for.
        case .free, .draft, nil: return false
        }
    }

    func isWaitedFor(_ place: Int, _ server: Int) -> Bool {
        servers[server].knowledge.contains { $0.waits && $0.place == place }
    }

    /// Whether something that the server knows is in the way of a grant.
    private func isTaken(
        _ claim: ModelServer.Knowledge, _ server: Int, _ fault: PlantedFault?
    ) -> Bool {
        if claim.place < 0 { return false }
        let isHeld = servers[server].knowledge.contains {
            $0.holds && $0.place == claim.place && !($0.isReading && claim.isReading)
        }
        if isHeld { return true }
        let slots = slots(of: claim.place, by: server)
        let inTheWay = slots.filter { !(claim.isReading && $0.terms.contains(.readsOnly)) }
        if fault == .oneShareRevoked { return inTheWay.count > 1 }
        return !inTheWay.isEmpty
    }

    /// The delegations of a place that stand.
    private func slots(of place: Int, by server: Int) -> [SlotWord] {
        clients.indices.map { servers[server].delegations[$0 * ModelMemory.slotCount + place] }
            .filter(\.isDelegated)
    }

    func isDelegated(_ place: Int, by server: Int) -> Bool {
        clients.indices.contains { client in
            servers[server].delegations[client * ModelMemory.slotCount + place].isDelegated
        }
    }

    private func canRevoke(_ server: Int, _ client: Int, _ place: Int) -> Bool {
        let slot = servers[server].delegations[client * ModelMemory.slotCount + place]
        return slot.isDelegated
            && servers[server].knowledge.contains {
                $0.waits && $0.place == place
                    && !($0.isReading && slot.terms.contains(.readsOnly))
            }
    }

    /// A place can be delegated for reading beside others that have it for reading.
    private func canShare(
        _ server: Int, _ client: Int, _ place: Int, _ configuration: ModelConfiguration
    ) -> Bool {
        if servers[server].ticketQueue?.place == place { return false }
        let hasWriter = servers[server].knowledge.contains {
            ($0.holds || $0.waits) && $0.place == place && !$0.isReading
        }
        let isRead = configuration.tasks[client].contains { $0.isReading && $0.place == place }
        let hasSlot =
            servers[server].delegations[client * ModelMemory.slotCount + place].isDelegated
        return isRead && !hasWriter && !hasSlot
            && slots(of: place, by: server).allSatisfy { $0.terms.contains(.readsOnly) }
    }

    /// A place may be delegated to a client although a claim of that client runs there that was
    /// granted without a report.
    private func canDelegate(_ server: Int, _ client: Int, _ place: Int) -> Bool {
        if isWaitedFor(place, server) || servers[server].ticketQueue?.place == place {
            return false
        }
        let count = servers[server].knowledge.count / clients.count
        let isHeld = servers[server].knowledge.enumerated().contains { index, known in
            known.holds && known.place == place && !(known.isUnreported && index / count == client)
        }
        return !isHeld && !isDelegated(place, by: server)
    }
}
