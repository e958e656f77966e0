// SPDX-License-Identifier: Apache-2.0
//
// The conditions that must hold in every state of the model, and in its final states.

import FileCoordinationLedger

extension ModelWorld {
    /// The server that reigns: no server has begun a later reign, and it has recovered.
    var reigning: Int? {
        let newest = ServerEpoch(truncating: memory[.word(.globalEpoch, of: 0)])
        return servers.indices.last {
            servers[$0].isAlive && servers[$0].epoch == newest && servers[$0].hasRecovered
        }
    }

    /// Checks what must hold at any moment.
    func check(_ configuration: ModelConfiguration) throws(ModelViolation) {
        for client in clients.indices where isAccessing(client) {
            guard let place = task(client, configuration)?.place else { continue }
            for other in clients.indices where other > client && isAccessing(other) {
                // Rule 2.1: reads go with reads.
                let areReads =
                    isReading(client, configuration) && isReading(other, configuration)
                if task(other, configuration)?.place == place, !areReads {
                    throw .overlap(place: place)
                }
            }
            if configuration.checksKnowledge, let server = reigning,
                !knows(server, client, place, configuration)
            {
                throw .unknownHolder(client: client, server: server)
            }
        }
    }

    private func isReading(_ client: Int, _ configuration: ModelConfiguration) -> Bool {
        task(client, configuration)?.isReading ?? false
    }

    private func isAccessing(_ client: Int) -> Bool {
        guard clients[client].isAlive else { return false }
        // Under a fault, a client passes its turn on while its accessor still runs.
        if case .passing = clients[client].phase { return clients[client].ticket != nil }
        return clients[client].phase == .accessing
    }

    /// Whether the server knows of the client's running accessor, or is about to.
    private func knows(
        _ server: Int, _ client: Int, _ place: Int, _ configuration: ModelConfiguration
    ) -> Bool {
        let record = clients[client].record
        switch servers[server].phase {
        // It has swapped the word, and has not woken the client yet.
        case .granting(client, record, _): return true
        // It is about to find out, before it grants anything.
        case .revoking(client, place, _), .caring(client, place, _, _): return true
        case .readingBody(client, _, _, .requestReport(place)): return true
        case .absent, .raising, .listing, .raisingLedger, .scanning, .readingBody, .serving,
            .messaging, .granting, .withdrawing, .reaping, .delegating, .revoking, .caring,
            .renewing, .opening, .checkingLine, .deposed:
            break
        }
        let known = servers[server].knowledge[client * configuration.records + record]
        if known.holds, known.place == place,
            known.word.generation == clients[client].generation
        {
            return true
        }
        // A place that is delegated, according to the server, counts as held.
        let word = memory.record(record, of: client)
        let slot = servers[server].delegations[client * ModelMemory.slotCount + place]
        if let ticketQueue = servers[server].ticketQueue, ticketQueue.place == place,
            ticketQueue.has(client)
        {
            return word.flags.contains(.unreported)
        }
        return word.flags.contains(.unreported) && slot.isDelegated
            || isJustDelegated(server, client, place)
    }

    private func isJustDelegated(_ server: Int, _ client: Int, _ place: Int) -> Bool {
        let slot = SlotWord(rawValue: memory[.word(.slot(place), of: client)])
        if case .delegating(client, place, _) = servers[server].phase { return slot.isDelegated }
        return false
    }

    /// Checks a state in which nothing more happens unless a process dies or is continued.
    func checkRest(_ configuration: ModelConfiguration) throws(ModelViolation) {
        let waiting = clients.indices.filter { clients[$0].runs && clients[$0].phase != .done }
        guard let server = reigning else {
            // If the servers were killed or stopped, and no other is to come, no process is at
            // fault. But if another server cannot begin, a dead process still holds the lock.
            let isBlocked = servers.indices.contains { index in
                servers[index].phase == .absent
                    && servers[..<index].allSatisfy { !$0.isAlive || $0.phase == .deposed }
            }
            if isBlocked { throw .noServer }
            return
        }
        guard servers[server].runs else { return }
        for (index, known) in servers[server].knowledge.enumerated() {
            let client = index / configuration.records
            if known.holds || known.waits, !clients[client].isAlive {
                throw .ghostHolder(client: client, server: server)
            }
        }
        for client in waiting where !isBlockedByStopped(client, server, configuration) {
            throw .lostGrant(client: client)
        }
    }

    /// Whether a stopped process has what the client waits for.
    private func isBlockedByStopped(
        _ client: Int, _ server: Int, _ configuration: ModelConfiguration
    ) -> Bool {
        guard let place = task(client, configuration)?.place else { return false }
        guard memory.record(clients[client].record, of: client).state == .filed else {
            return false
        }
        return servers[server].knowledge.enumerated().contains { index, known in
            let other = index / configuration.records
            return other != client && known.place == place && known.holds
                && clients[other].isAlive && clients[other].isStopped
        }
    }
}
