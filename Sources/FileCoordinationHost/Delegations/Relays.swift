// SPDX-License-Identifier: Apache-2.0
//
// Which places go from client to client without the server, and whose they are. The server has made
// sure that nobody else has anything to do with them.

import FileCoordinationArbiter
import FileCoordinationLedger

/// This server's relays.
struct Relays {
    /// A client that has its turn there, by a slot.
    struct Member {
        let client: ClientID
        let slot: Int
        let word: SlotWord
    }

    struct Relay {
        /// Its name for the arbiter.
        let id: DelegationID
        let path: ItemPath
        var members: [Member] = []
        /// The server's own turn, until the claims are over that it has granted there.
        var hostTurn: RelayTurn?
    }

    private var relays: [Int: Relay] = [:]
    private var byPath: [ItemPath: Int] = [:]
    /// Names are other ones than those that the arbiter gives.
    private var lastID: UInt64 = 1 << 63
    /// Those in which it is the server's turn.
    private(set) var held: [Int] = []
    /// Numbers that can be used again.
    private var free: [Int] = []
    private var used = 0

    /// The number of a relay that is to begin; nil if there are too many.
    mutating func takeNumber() -> Int? {
        if let number = free.popLast() { return number }
        guard used < RelayFile.count else { return nil }
        used += 1
        return used - 1
    }

    /// Lets a number be used again.
    mutating func giveBack(_ number: Int) { free.append(number) }

    /// A name that no relay has had.
    mutating func makeID() -> DelegationID {
        lastID += 1
        return DelegationID(rawValue: lastID)
    }

    /// The relay of a name.
    func number(of id: DelegationID) -> Int? { numbers.first { relays[$0]?.id == id } }

    /// The relay at a place.
    func number(at path: ItemPath) -> Int? { byPath[path] }

    /// The relays of a client.
    func numbers(of client: ClientID) -> [Int] {
        numbers.filter { relays[$0]?.members.contains { $0.client == client } == true }
    }

    /// Notes that a relay has begun, and that it is the server's turn.
    mutating func insert(_ relay: Relay, as number: Int) {
        relays[number] = relay
        byPath[relay.path] = number
        numbers.append(number)
        held.append(number)
    }

    subscript(number: Int) -> Relay? { relays[number] }

    var isEmpty: Bool { relays.isEmpty }

    /// All of them, the oldest first.
    private(set) var numbers: [Int] = []

    /// Notes that it is not the server's turn any more; returns the turn.
    mutating func open(_ number: Int) -> RelayTurn? {
        held.removeAll { $0 == number }
        defer { relays[number]?.hostTurn = nil }
        return relays[number]?.hostTurn
    }

    /// Notes that one is over.
    mutating func remove(_ number: Int) -> Relay? {
        held.removeAll { $0 == number }
        numbers.removeAll { $0 == number }
        guard let relay = relays.removeValue(forKey: number) else { return nil }
        byPath[relay.path] = nil
        return relay
    }
}
