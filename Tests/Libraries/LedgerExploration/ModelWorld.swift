// SPDX-License-Identifier: Apache-2.0
//
// Everything there is at one moment of the model, and what an event does to it.

import FileCoordinationLedger

/// A state of the model.
///
/// A value: the explorer copies it to try what else could happen.
struct ModelWorld: Hashable {
    var memory: ModelMemory
    var clients: [ModelClient]
    var servers: [ModelServer]
    var deaths: Int
    var stops: Int
    var forks: Int
    var delegations: Int
    var shares: Int
    var ticketQueues: Int
    var withdrawals: Int

    init(_ configuration: ModelConfiguration) {
        let count = configuration.tasks.count
        memory = ModelMemory(
            clients: count, records: configuration.records,
            processes: count + configuration.servers,
            ticketQueues: configuration.ticketQueues > 0 ? configuration.servers : 0)
        clients = Array(repeating: ModelClient(), count: count)
        servers = Array(
            repeating: ModelServer(clients: count, records: configuration.records),
            count: configuration.servers)
        deaths = configuration.deaths
        stops = configuration.stops
        forks = configuration.forks
        delegations = configuration.delegations
        shares = configuration.shares
        ticketQueues = configuration.ticketQueues
        withdrawals = configuration.withdrawals
        switch configuration.start {
        case .nothing:
            break
        case .server:
            putServerInPlace()
        case .inPlace:
            putServerInPlace()
            putClientsInPlace()
        }
    }

    private mutating func putClientsInPlace() {
        for client in clients.indices {
            memory[.word(.ledgerEpoch, of: client)] = 1
            clients[client].phase = .ready
            clients[client].isNamed = true
            servers[0].listed |= 1 << client
        }
    }

    private mutating func putServerInPlace() {
        memory[.word(.globalEpoch, of: 0)] = 1
        servers[0].phase = .serving
        servers[0].epoch = ServerEpoch(truncating: 1)
    }

    func process(ofServer server: Int) -> Int { clients.count + server }

    /// Whether the lock is free that shows that the client's process lives.
    func isLockFree(ofClient client: Int, _ fault: PlantedFault?) -> Bool {
        let child = fault == .descriptorKeptAcrossFork && clients[client].hasForked
        return !clients[client].isAlive && !child
    }

    /// The same for a server.
    func isLockFree(ofServer server: Int, _ fault: PlantedFault?) -> Bool {
        let child = fault == .descriptorKeptAcrossFork && servers[server].hasForked
        return !servers[server].isAlive && !child
    }

    /// Performs an operation on the ledger of `client`; returns the observed value, or nil if the
    /// process fell asleep.
    mutating func perform(
        _ operation: PlantedOperation, on client: Int, by process: Int
    ) -> UInt64? {
        switch operation {
        case .sound(let operation):
            return perform(operation, on: client, by: process)
        case .store(let cell, let value):
            memory.store(.word(cell, of: client), value, by: process)
            return 0
        case .storeReleasing(let cell, let value):
            memory.storeBuffered(.word(cell, of: client), value, by: process)
            return 0
        }
    }

    private mutating func perform(
        _ operation: MemoryOperation, on client: Int, by process: Int
    ) -> UInt64? {
        switch operation {
        case .load(let cell):
            return memory.load(.word(cell, of: client), by: process)
        case .compareExchange(let cell, let expected, let desired):
            return memory.exchange(
                .word(cell, of: client), expected: expected, desired: desired, by: process)
        case .wake(.ticketQueue(let ticketQueue)):
            memory.flushAll(of: process)
            wakeSleepers(inTicketQueue: ticketQueue, bits: .max)
            return 0
        case .wake(let cell):
            memory.flushAll(of: process)
            if clients[client].isAsleep, case .sound(.sleep(cell, _))? = clients[client].pending {
                clients[client].isAsleep = false
                _ = clients[client].resume(observing: 0)
            }
            return 0
        case .wakeForTurn(let ticket):
            memory.flushAll(of: process)
            wakeSleepers(inTicketQueue: ticket.ticketQueue, bits: ticket.wakeBits)
            return 0
        case .sleep(let cell, let lowHalf):
            return observedBySleeper(on: cell, lowHalf, client, process)
        case .sleepForTurn(let ticket, let lowHalf):
            return observedBySleeper(on: .ticketQueue(ticket.ticketQueue), lowHalf, client, process)
        }
    }

    /// Nil if it falls asleep.
    private mutating func observedBySleeper(
        on cell: MemoryCell, _ lowHalf: UInt32, _ client: Int, _ process: Int
    ) -> UInt64? {
        memory.flushAll(of: process)
        let word = memory.load(.word(cell, of: client), by: process)
        return UInt32(truncatingIfNeeded: word) == lowHalf ? nil : 0
    }

    /// Changes the world by an event.
    mutating func apply(
        _ event: ModelEvent, _ configuration: ModelConfiguration
    ) throws(ModelViolation) {
        switch event {
        case .step(let process):
            if process < clients.count {
                try stepClient(process, configuration)
            } else {
                stepServer(process - clients.count, configuration)
            }
        case .flush(let process): memory.flushOne(of: process)
        case .die, .stop, .resume, .fork: befall(event)
        case .begin(let client): beginTask(client, configuration)
        case .expire(let client): giveUp(client, configuration)
        case .tireOfTicketQueue(let client): tireOfTicketQueue(client, configuration)
        case .believeMessage(let client):
            clients[client].isAsleep = false
            clients[client].pending = nil
            clients[client].phase = .accessing
        case .finishAccess(let client): release(client, configuration)
        case .beginCancelling(let client): beginCancelling(client, configuration)
        case .stepCanceller(let client): stepCanceller(client)
        case .takeOver, .receive, .look, .grant, .withdraw, .reap, .delegate, .share, .revoke,
            .requestReport,
            .removeClient:
            decide(event, configuration)
        case .beginTicketQueue(let server, let place):
            beginTicketQueue(server, place, configuration)
        case .openTicketQueue(let server): openTicketQueue(server, configuration)
        case .endTicketQueue(let server): endTicketQueue(server, configuration)
        }
    }

    /// Lets a process die, be stopped, continue or fork.
    private mutating func befall(_ event: ModelEvent) {
        switch event {
        case .die(let process):
            deaths -= 1
            if process < clients.count {
                clients[process].isAlive = false
            } else {
                servers[process - clients.count].isAlive = false
            }
        case .stop(let process):
            stops -= 1
            setStopped(process, true)
        case .resume(let process):
            setStopped(process, false)
        case .fork(let process):
            // The child has neither mapping nor lock, so there is nothing that it could do.
            forks -= 1
            if process < clients.count {
                clients[process].hasForked = true
            } else {
                servers[process - clients.count].hasForked = true
            }
        case .step, .flush, .begin, .expire, .tireOfTicketQueue, .believeMessage, .finishAccess,
            .beginCancelling, .stepCanceller, .takeOver, .receive, .look, .grant, .withdraw, .reap,
            .delegate, .share, .revoke, .requestReport, .removeClient, .beginTicketQueue,
            .openTicketQueue, .endTicketQueue:
            preconditionFailure("Not a misfortune")
        }
    }

    private mutating func setStopped(_ process: Int, _ isStopped: Bool) {
        if process < clients.count {
            clients[process].isStopped = isStopped
        } else {
            servers[process - clients.count].isStopped = isStopped
        }
    }
}
