// SPDX-License-Identifier: Apache-2.0
//
// Which places go from client to client without the server, and whose they are. The server has made
// sure that nobody else has anything to do with them.

import FileCoordinationArbiter
import FileCoordinationLedger

/// This server's relays.
struct Relays {
    struct Relay {
        let path: ItemPath
        /// What is delegated to its members.
        var members: [DelegationID] = []
        /// The server's own turn, until the claims are over that it has granted there.
        var hostTurn: RelayTurn?
    }

    private var relays: [Int: Relay] = [:]
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

    /// Notes that a relay has begun, and that it is the server's turn.
    mutating func insert(_ relay: Relay, as number: Int) {
        relays[number] = relay
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
        return relays.removeValue(forKey: number)
    }
}
