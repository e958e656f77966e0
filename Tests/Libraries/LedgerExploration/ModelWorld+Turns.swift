// SPDX-License-Identifier: Apache-2.0
//
// The steps of clients in the model at a place with a ticket queue.

import FileCoordinationLedger

extension ModelWorld {
    /// Claims a place in the way that `slot` lets it.
    mutating func claimLocally(
        _ client: Int, free: RecordWord, _ slot: SlotWord, hasTurn: Bool,
        _ configuration: ModelConfiguration
    ) {
        guard let task = task(client, configuration) else { return }
        let place = task.place
        // A read needs fewer rights.
        let isWriting = !task.isReading && configuration.fault != .termsIgnored
        clients[client].enter(
            .claimingLocally(
                Planted(
                    ClaimLocally(
                        record: clients[client].record, free: free, slot: place, delegation: slot,
                        hasTurn: hasTurn, isWriting: isWriting),
                    configuration.fault, epoch: slot.epoch)))
    }

    mutating func fileWithServer(
        _ client: Int, free: RecordWord, _ configuration: ModelConfiguration
    ) {
        clients[client].enter(
            .filing(
                Planted(
                    FileClaim(record: clients[client].record, free: free), configuration.fault)))
    }

    mutating func awaitTurn(_ client: Int, _ configuration: ModelConfiguration) {
        guard let ticket = clients[client].ticket else {
            preconditionFailure("A client that waits in a ticket queue has a number")
        }
        clients[client].enter(
            .awaitingTurn(
                Planted(
                    AwaitTurn(
                        ticket, record: clients[client].record,
                        generation: clients[client].generation),
                    configuration.fault)))
    }

    /// The accessor runs.
    mutating func access(_ client: Int, _ configuration: ModelConfiguration) {
        clients[client].pending = nil
        if configuration.fault == .passesBeforeRelease, let ticket = clients[client].ticket {
            clients[client].enter(.passing(PassTurn(ticket)))
        } else {
            clients[client].phase = .accessing
        }
    }

    /// Ends a claim.
    ///
    /// If it had a ticket, its turn lasts until it is passed on.
    mutating func endClaim(_ client: Int, _ configuration: ModelConfiguration) {
        guard let ticket = clients[client].ticket else {
            return endTask(client, configuration)
        }
        clients[client].ticket = nil
        clients[client].enter(.passing(PassTurn(ticket)))
    }

    mutating func finishInTicketQueue(
        _ client: Int, _ outcome: ClientOutcome, _ configuration: ModelConfiguration
    ) {
        switch outcome {
        case .joined(.joined(let ticket, let isTurn), let slot, let free):
            clients[client].ticket = ticket
            claimLocally(client, free: free, slot, hasTurn: isTurn, configuration)
        case .joined(.gone, _, let free):
            fileWithServer(client, free: free, configuration)
        case .awaitedTurn(.granted):
            access(client, configuration)
        case .awaitedTurn(.left):
            clients[client].ticket = nil
            clients[client].enter(
                .leavingTicketQueue(
                    LeaveTicketQueue(
                        record: clients[client].record,
                        generation: clients[client].generation)))
        case .leftTicketQueue:
            wait(client, configuration)
        case .passed:
            if clients[client].ticket == nil {
                endTask(client, configuration)
            } else {
                // Only under the fault that passes too early: the accessor still runs.
                clients[client].ticket = nil
                clients[client].phase = .accessing
            }
        case .adopted, .filed, .claimedLocally, .waited, .cancelled, .releasedLocally, .released:
            preconditionFailure("Not in a ticket queue")
        }
    }

    /// The time limit passes while the client sleeps in a ticket queue's line.
    mutating func tireOfTicketQueue(
        _ client: Int, _ configuration: ModelConfiguration
    ) {
        clients[client].isAsleep = false
        if let outcome = clients[client].resume(observing: 1) {
            finishInTicketQueue(client, outcome, configuration)
        }
    }

    /// Wakes the clients that sleep in a ticket queue's line and have any of the bits.
    mutating func wakeSleepers(inTicketQueue ticketQueue: Int, bits: UInt32) {
        for client in clients.indices where clients[client].isAsleep {
            guard case .sound(.sleepForTurn(let ticket, _))? = clients[client].pending,
                ticket.ticketQueue == ticketQueue, ticket.wakeBits & bits != 0
            else { continue }
            clients[client].isAsleep = false
            _ = clients[client].resume(observing: 0)
        }
    }
}
