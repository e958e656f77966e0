// SPDX-License-Identifier: Apache-2.0
//
// The server's list of ticket queues: which item belongs to which queue, and who its members are.
// The server creates a queue only where no other claim or presenter is concerned.

import FileCoordinationArbiter
import FileCoordinationLedger

/// This server's ticket queues.
struct TicketQueues {
    /// A client that takes part in a ticket queue through a slot of its ledger.
    struct Member {
        let client: ClientID
        let slot: Int
        let word: SlotWord
    }

    struct TicketQueue {
        /// Its ID for the arbiter.
        let id: DelegationID
        let path: ItemPath
        var members: [Member] = []
        /// The server's own turn, until the claims that it has granted there are over.
        var serverTurn: QueueTurn?
    }

    private var ticketQueues: [Int: TicketQueue] = [:]
    private var byPath: [ItemPath: Int] = [:]
    /// These IDs must differ from those that the arbiter gives.
    private var lastID: UInt64 = 1 << 63
    /// The queues in which the turn is still the server's.
    private(set) var held: [Int] = []
    /// Numbers that can be used again.
    private var free: [Int] = []
    private var used = 0

    /// Returns the number for a new ticket queue, or nil if there are too many.
    mutating func takeNumber() -> Int? {
        if let number = free.popLast() { return number }
        guard used < TicketQueueFile.count else { return nil }
        used += 1
        return used - 1
    }

    /// Makes a number available again.
    mutating func giveBack(_ number: Int) { free.append(number) }

    /// Returns an ID that no ticket queue has had.
    mutating func makeID() -> DelegationID {
        lastID += 1
        return DelegationID(rawValue: lastID)
    }

    /// Returns the number of the ticket queue with an ID.
    func number(of id: DelegationID) -> Int? { numbers.first { ticketQueues[$0]?.id == id } }

    /// Returns the number of the ticket queue at a path.
    func number(at path: ItemPath) -> Int? { byPath[path] }

    /// Returns the ticket queues of a client.
    func numbers(of client: ClientID) -> [Int] {
        numbers.filter { ticketQueues[$0]?.members.contains { $0.client == client } == true }
    }

    /// Adds a new ticket queue, in which the turn is the server's.
    mutating func insert(_ ticketQueue: TicketQueue, as number: Int) {
        ticketQueues[number] = ticketQueue
        byPath[ticketQueue.path] = number
        numbers.append(number)
        held.append(number)
    }

    subscript(number: Int) -> TicketQueue? { ticketQueues[number] }

    var isEmpty: Bool { ticketQueues.isEmpty }

    /// All ticket queues, oldest first.
    private(set) var numbers: [Int] = []

    /// Ends the server's turn in a queue, and returns that turn.
    mutating func open(_ number: Int) -> QueueTurn? {
        held.removeAll { $0 == number }
        defer { ticketQueues[number]?.serverTurn = nil }
        return ticketQueues[number]?.serverTurn
    }

    /// Removes and returns a ticket queue.
    mutating func remove(_ number: Int) -> TicketQueue? {
        held.removeAll { $0 == number }
        numbers.removeAll { $0 == number }
        guard let ticketQueue = ticketQueues.removeValue(forKey: number) else { return nil }
        byPath[ticketQueue.path] = nil
        return ticketQueue
    }
}
