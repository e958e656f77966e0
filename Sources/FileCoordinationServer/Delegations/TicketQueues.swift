// SPDX-License-Identifier: Apache-2.0
//
// Which places go from client to client without the server, and whose they are. The server has made
// sure that they concern no other claim or presenter.

import FileCoordinationArbiter
import FileCoordinationLedger

/// This server's ticket queues.
struct TicketQueues {
    /// A client that has its turn there, by a slot.
    struct Member {
        let client: ClientID
        let slot: Int
        let word: SlotWord
    }

    struct TicketQueue {
        /// Its name for the arbiter.
        let id: DelegationID
        let path: ItemPath
        var members: [Member] = []
        /// The server's own turn, until the claims are over that it has granted there.
        var serverTurn: QueueTurn?
    }

    private var ticketQueues: [Int: TicketQueue] = [:]
    private var byPath: [ItemPath: Int] = [:]
    /// Names are other ones than those that the arbiter gives.
    private var lastID: UInt64 = 1 << 63
    /// Those in which it is the server's turn.
    private(set) var held: [Int] = []
    /// Numbers that can be used again.
    private var free: [Int] = []
    private var used = 0

    /// The number of a ticket queue that is to begin; nil if there are too many.
    mutating func takeNumber() -> Int? {
        if let number = free.popLast() { return number }
        guard used < TicketQueueFile.count else { return nil }
        used += 1
        return used - 1
    }

    /// Lets a number be used again.
    mutating func giveBack(_ number: Int) { free.append(number) }

    /// A name that no ticket queue has had.
    mutating func makeID() -> DelegationID {
        lastID += 1
        return DelegationID(rawValue: lastID)
    }

    /// The ticket queue of a name.
    func number(of id: DelegationID) -> Int? { numbers.first { ticketQueues[$0]?.id == id } }

    /// The ticket queue at a place.
    func number(at path: ItemPath) -> Int? { byPath[path] }

    /// The ticket queues of a client.
    func numbers(of client: ClientID) -> [Int] {
        numbers.filter { ticketQueues[$0]?.members.contains { $0.client == client } == true }
    }

    /// Records that a ticket queue has begun, and that it is the server's turn.
    mutating func insert(_ ticketQueue: TicketQueue, as number: Int) {
        ticketQueues[number] = ticketQueue
        byPath[ticketQueue.path] = number
        numbers.append(number)
        held.append(number)
    }

    subscript(number: Int) -> TicketQueue? { ticketQueues[number] }

    var isEmpty: Bool { ticketQueues.isEmpty }

    /// All of them, the oldest first.
    private(set) var numbers: [Int] = []

    /// Records that it is not the server's turn any more; returns the turn.
    mutating func open(_ number: Int) -> QueueTurn? {
        held.removeAll { $0 == number }
        defer { ticketQueues[number]?.serverTurn = nil }
        return ticketQueues[number]?.serverTurn
    }

    /// Records that one is over.
    mutating func remove(_ number: Int) -> TicketQueue? {
        held.removeAll { $0 == number }
        numbers.removeAll { $0 == number }
        guard let ticketQueue = ticketQueues.removeValue(forKey: number) else { return nil }
        byPath[ticketQueue.path] = nil
        return ticketQueue
    }
}
