// SPDX-License-Identifier: Apache-2.0
//
// Ticket queues in the model: how a server begins, opens and ends one. It has one at a time, whose
// number is the server's own, so each server writes another word.

import FileCoordinationLedger

extension ModelWorld {
    // MARK: What may be decided

    /// A ticket queue can begin at any time, also while claims for the place run and wait.
    func addTicketQueue(
        _ server: Int, to events: inout [ModelEvent], _ configuration: ModelConfiguration
    ) {
        if canOpenTicketQueue(server, configuration.fault) {
            events.append(.openTicketQueue(server: server))
        }
        guard ticketQueues > 0, servers[server].ticketQueue == nil, servers[server].listed != 0
        else { return }
        for place in 0..<ModelMemory.slotCount {
            let isWanted = configuration.tasks.joined().contains {
                $0.isLocal && $0.place == place
            }
            if isWanted, !isDelegated(place, by: server) {
                events.append(.beginTicketQueue(server: server, place: place))
            }
        }
    }

    /// Once the server's claims at the place are over, it is the clients' turn.
    private func canOpenTicketQueue(_ server: Int, _ fault: PlantedFault?) -> Bool {
        guard let ticketQueue = servers[server].ticketQueue, ticketQueue.stage == .held else {
            return false
        }
        if fault == .ticketQueueOpenedEarly { return true }
        return !servers[server].knowledge.contains {
            ($0.holds || $0.waits) && $0.place == ticketQueue.place
        }
    }

    func holdsTicketQueue(_ server: Int, _ place: Int) -> Bool {
        servers[server].ticketQueue?.place == place && servers[server].ticketQueue?.stage == .held
    }

    /// Before it does anything else.
    func mustEndTicketQueue(_ server: Int) -> Bool {
        guard let ticketQueue = servers[server].ticketQueue else { return false }
        return ticketQueue.mustEnd
            || ticketQueue.stage == .open && isWaitedFor(ticketQueue.place, server)
    }

    // MARK: Beginning

    mutating func beginTicketQueue(_ server: Int, _ place: Int, _ configuration: ModelConfiguration)
    {
        ticketQueues -= 1
        servers[server].ticketQueue = ModelServer.TicketQueue(place: place)
        servers[server].enter(.renewing(RenewTicketQueue(server)))
        stepServer(server, configuration)
    }

    mutating func delegateInTicketQueue(_ server: Int, after client: Int) {
        guard let place = servers[server].ticketQueue?.place else { return }
        guard let next = listed(server, after: client) else {
            servers[server].ticketQueue?.stage = .held
            return serve(server)
        }
        // As soon as its slot names the ticket queue, it may have claims there.
        servers[server].ticketQueue?.members |= 1 << next
        servers[server].enter(
            .delegating(
                next, place: place,
                Planted(
                    DelegateSlot(
                        slot: place, inTicketQueue: server, epoch: servers[server].epoch), nil)))
    }

    mutating func openTicketQueue(_ server: Int, _ configuration: ModelConfiguration) {
        guard let ticket = servers[server].ticketQueue?.ticket else { return }
        servers[server].enter(.opening(PassTurn(ticket)))
        stepServer(server, configuration)
    }

    // MARK: What comes up meanwhile

    /// A claim at the place waits for the server, and was not known to it.
    mutating func recordNews(_ server: Int, at place: Int) {
        if holdsTicketQueue(server, place) { servers[server].ticketQueue?.hasNews = true }
    }

    /// Ends a check of records.
    mutating func serve(_ server: Int) {
        servers[server].phase =
            servers[server].ticketQueue?.hasNews == true ? .checkingLine : .serving
    }

    /// The server handles a new claim as usual only if
    /// no ticket is waiting; if one is, the queue ends.
    mutating func checkLine(_ server: Int) {
        let value = memory.load(.word(.ticketQueue(server), of: 0), by: process(ofServer: server))
        servers[server].ticketQueue?.hasNews = false
        if !TicketQueueWord(rawValue: value).isLast { servers[server].ticketQueue?.mustEnd = true }
        servers[server].phase = .serving
    }

    mutating func removeClientInTicketQueue(_ server: Int, _ client: Int) {
        guard let ticketQueue = servers[server].ticketQueue, ticketQueue.has(client) else { return }
        servers[server].ticketQueue?.members &= ~(1 << client)
        servers[server].ticketQueue?.mustEnd = true
    }

    // MARK: Ending

    /// Ends a ticket queue.
    ///
    /// First no client can join any more, then tickets become void, then the server decides about
    /// all claims.
    mutating func endTicketQueue(_ server: Int, _ configuration: ModelConfiguration) {
        servers[server].ticketQueue?.stage = .ending
        servers[server].ticketQueue?.mustEnd = false
        if configuration.fault == .scanBeforeRevoke {
            requestReportsInTicketQueue(server, after: -1, configuration.records)
        } else {
            revokeInTicketQueue(server, after: -1)
        }
        if servers[server].phase != .serving { stepServer(server, configuration) }
    }

    mutating func revokeInTicketQueue(_ server: Int, after client: Int) {
        guard let place = servers[server].ticketQueue?.place else { return }
        if let next = firstInTicketQueue(
            server, after: client, where: { isInTicketQueue(server, $0, place) })
        {
            enterRevoking(server, next, place)
        } else {
            servers[server].enter(.renewing(RenewTicketQueue(server)))
        }
    }

    private func isInTicketQueue(_ server: Int, _ client: Int, _ place: Int) -> Bool {
        servers[server].delegations[client * ModelMemory.slotCount + place].ticketQueue != nil
    }

    /// After one member's records, asks for reports of the next member's.
    mutating func requestReportsInTicketQueue(_ server: Int, after client: Int, _ count: Int) {
        guard let ticketQueue = servers[server].ticketQueue else { return }
        if client >= 0 { servers[server].ticketQueue?.members &= ~(1 << client) }
        if let next = firstInTicketQueue(server, after: client, where: { ticketQueue.has($0) }) {
            requestReport(server, next, place: ticketQueue.place, record: 0, count)
        } else if clients.indices.contains(where: { isInTicketQueue(server, $0, ticketQueue.place) }
        ) {
            // Only under the fault that scans first.
            revokeInTicketQueue(server, after: -1)
        } else {
            servers[server].ticketQueue = nil
            servers[server].phase = .serving
        }
    }

    private func firstInTicketQueue(
        _ server: Int, after client: Int, where isMeant: (Int) -> Bool
    ) -> Int? {
        clients.indices.first { $0 > client && isMeant($0) }
    }

    mutating func finishRenewing(
        _ server: Int, _ ticket: QueueTicket, _ configuration: ModelConfiguration
    ) {
        if servers[server].ticketQueue?.stage == .forming {
            servers[server].ticketQueue?.ticket = ticket
            delegateInTicketQueue(server, after: -1)
        } else {
            // Under the fault that scans first, no client is left.
            requestReportsInTicketQueue(server, after: -1, configuration.records)
        }
    }

    /// Whether this claim waited in the queue that ends, so that the server decides about it now.
    func waitedInTicketQueue(_ server: Int, _ word: RecordWord) -> Bool {
        servers[server].ticketQueue?.stage == .ending && word.state == .filed
            && word.epoch == servers[server].epoch
    }
}
