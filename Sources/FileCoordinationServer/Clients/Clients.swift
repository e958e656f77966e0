// SPDX-License-Identifier: Apache-2.0
//
// The clients: one process each, known by its ledger. The kernel says when to look whether one is
// dead: its connection ends, or its process does. Sockets, locks and the process end within
// microseconds of each other, but in no promised order: so a lock that is still held when the
// connection ends is looked at again, ever more rarely.

import FileCoordinationArbiter
import FileCoordinationLedger

/// A client process, as the server's thread sees it.
final class Client {
    let id: ClientID
    let ledger: LedgerReader
    /// How to reach it; nil while it is between two connections.
    fileprivate(set) var connection: UInt64?

    fileprivate init(id: ClientID, ledger: LedgerReader) {
        self.id = id
        self.ledger = ledger
    }
}

/// The clients, by number and by ledger, and when to look at those that are not connected.
struct Clients {
    private var clients: [ClientID: Client] = [:]
    private var byLedger: [String: ClientID] = [:]
    /// Clients that have no connection, and whose lock was held.
    private var suspicions: [ClientID: Suspicion] = [:]
    private var watchAllowance = WatchAllowance()
    private var last: UInt32 = 0

    // MARK: Who is there

    subscript(id: ClientID) -> Client? { clients[id] }

    var isEmpty: Bool { clients.isEmpty }
    var count: Int { clients.count }

    /// All of them, in the order in which they came.
    var all: [Client] { clients.values.sorted { $0.id < $1.id } }

    /// The client whose ledger has this name.
    func client(ofLedger name: String) -> Client? { byLedger[name].flatMap { clients[$0] } }

    // MARK: Coming

    /// Admits the owner of a ledger, under this server's epoch.
    mutating func admit(_ ledger: LedgerReader, at now: UInt64) -> Client {
        last += 1
        let client = Client(id: ClientID(rawValue: last), ledger: ledger)
        clients[client.id] = client
        byLedger[ledger.fileName] = client.id
        watchAllowance.admit(client)
        // Until it has a connection, which it may never have: another may have named its ledger.
        suspect(client.id, at: now)
        return client
    }

    /// Records that a client has a connection.
    mutating func connect(_ id: ClientID, by token: UInt64) {
        clients[id]?.connection = token
        suspicions[id] = nil
    }

    // MARK: Going

    /// Records that a client's connection has ended; false if it has another one.
    mutating func disconnect(_ id: ClientID, from token: UInt64) -> Bool {
        guard let client = clients[id], client.connection == token else { return false }
        client.connection = nil
        return true
    }

    /// Records that a client is to be looked at, from time to time, until it is connected or dead.
    mutating func suspect(_ id: ClientID, at now: UInt64) {
        suspicions[id] = Suspicion(
            lookAgainAt: now + Suspicion.firstInterval, interval: Suspicion.firstInterval)
    }

    /// Ends the suspicion against a client that is known to be dead.
    mutating func stopSuspecting(_ id: ClientID) { suspicions[id] = nil }

    /// Discards a client that is gone.
    mutating func remove(_ client: Client) {
        suspicions[client.id] = nil
        watchAllowance.forget(client)
        clients[client.id] = nil
        byLedger[client.ledger.fileName] = nil
    }

    // MARK: Suspicions

    /// Whether any client has no connection.
    var hasSuspects: Bool { !suspicions.isEmpty }

    /// When to look at one of them next.
    var nextLook: UInt64? { suspicions.values.map(\.lookAgainAt).min() }

    /// Those that are to be looked at now; after that, later and later.
    mutating func suspects(at now: UInt64) -> [ClientID] {
        if suspicions.isEmpty { return [] }
        let due = suspicions.filter { $0.value.lookAgainAt <= now }.keys.sorted()
        for id in due { suspicions[id]?.postpone(from: now) }
        return due
    }

    /// Those that are about to come back, and have said nothing yet.
    var recentlyAbsent: [Client] {
        suspicions.filter { $0.value.interval < Suspicion.recentInterval }.keys.sorted()
            .compactMap { clients[$0] }
    }

    /// Lets go of all clients without a word.
    mutating func abandon() {
        clients = [:]
        byLedger = [:]
        suspicions = [:]
    }

    /// What is kept of clients that are gone, in words; nil if nothing is.
    var leftover: String? {
        guard clients.isEmpty else { return nil }
        if !suspicions.isEmpty { return "suspects that are no clients" }
        return byLedger.isEmpty ? nil : "ledgers without a client"
    }
}

/// A client whose connection ended while its lock was held: dying, exec'ing, or reconnecting.
struct Suspicion {
    /// When to look at its lock again, in monotonic nanoseconds.
    fileprivate var lookAgainAt: UInt64
    /// How long to wait after that.
    fileprivate var interval: UInt64

    /// The first look comes after this time.
    static let firstInterval: UInt64 = 200_000
    /// A client that is absent for longer than it takes to come to looks this far apart is not
    /// about to come back.
    static let recentInterval: UInt64 = 500_000_000
    /// Looks are never further apart than this, until the client is connected again or dead.
    static let longestInterval: UInt64 = 2_000_000_000

    fileprivate mutating func postpone(from now: UInt64) {
        interval = min(2 * interval, Self.longestInterval)
        lookAgainAt = now + interval
    }
}
