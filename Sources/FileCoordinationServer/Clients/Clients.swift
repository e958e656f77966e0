// SPDX-License-Identifier: Apache-2.0
//
// The clients of the server: each is one process, identified by its ledger. When a connection or a
// process ends, the server checks whether the client is dead. Sockets, file locks and the process
// disappear within microseconds of each other, but in no guaranteed order. So if the lock is still
// held when the connection ends, the server checks it again, at growing intervals.

import FileCoordinationArbiter
import FileCoordinationLedger

/// A client process.
///
/// Used only on the server's thread.
final class Client {
    let id: ClientID
    let ledger: LedgerReader
    /// The token of its connection; nil while it has none.
    fileprivate(set) var connection: UInt64?

    fileprivate init(id: ClientID, ledger: LedgerReader) {
        self.id = id
        self.ledger = ledger
    }
}

/// The clients, by number and by ledger, and the times at which disconnected ones are checked.
struct Clients {
    private var clients: [ClientID: Client] = [:]
    private var byLedger: [String: ClientID] = [:]
    /// Clients without a connection whose lock was held at the last check.
    private var suspicions: [ClientID: Suspicion] = [:]
    private var watchAllowance = WatchAllowance()
    private var last: UInt32 = 0

    // MARK: Lookup

    subscript(id: ClientID) -> Client? { clients[id] }

    var isEmpty: Bool { clients.isEmpty }
    var count: Int { clients.count }

    /// All clients, in the order in which they were admitted.
    var all: [Client] { clients.values.sorted { $0.id < $1.id } }

    /// Returns the client whose ledger has this name.
    func client(ofLedger name: String) -> Client? { byLedger[name].flatMap { clients[$0] } }

    // MARK: Adding

    /// Adds the owner of a ledger as a client, under this server's epoch.
    mutating func admit(_ ledger: LedgerReader, at now: Instant) -> Client {
        last += 1
        let client = Client(id: ClientID(rawValue: last), ledger: ledger)
        clients[client.id] = client
        byLedger[ledger.fileName] = client.id
        watchAllowance.admit(client)
        // It is checked until it has a connection. It may never have one, because another process
        // can have named its ledger.
        suspect(client.id, at: now)
        return client
    }

    /// Records the connection of a client.
    mutating func connect(_ id: ClientID, by token: UInt64) {
        clients[id]?.connection = token
        suspicions[id] = nil
    }

    // MARK: Removing

    /// Records that a client's connection has ended.
    ///
    /// Returns false if the client has a newer one.
    mutating func disconnect(_ id: ClientID, from token: UInt64) -> Bool {
        guard let client = clients[id], client.connection == token else { return false }
        client.connection = nil
        return true
    }

    /// Starts to check a client at intervals, until it is connected or dead.
    mutating func suspect(_ id: ClientID, at now: Instant) {
        suspicions[id] = Suspicion(
            checkAgainAt: now + Suspicion.firstInterval, interval: Suspicion.firstInterval)
    }

    /// Ends the checks of a client that is known to be dead.
    mutating func stopSuspecting(_ id: ClientID) { suspicions[id] = nil }

    /// Discards a client that is gone.
    mutating func remove(_ client: Client) {
        suspicions[client.id] = nil
        watchAllowance.forget(client)
        clients[client.id] = nil
        byLedger[client.ledger.fileName] = nil
    }

    // MARK: Disconnected clients

    /// Whether any client has no connection.
    var hasSuspects: Bool { !suspicions.isEmpty }

    /// The time of the next check, or nil.
    var nextCheck: Instant? {
        suspicions.isEmpty ? nil : suspicions.values.lazy.map(\.checkAgainAt).min()
    }

    /// Returns the clients to check now, and plans their next checks at longer intervals.
    mutating func suspects(at now: Instant) -> [ClientID] {
        if suspicions.isEmpty { return [] }
        let due = suspicions.filter { $0.value.checkAgainAt <= now }.keys.sorted()
        for id in due { suspicions[id]?.postpone(from: now) }
        return due
    }

    /// Clients that are expected to reconnect soon.
    var recentlyAbsent: [Client] {
        suspicions.filter { $0.value.interval < Suspicion.recentInterval }.keys.sorted()
            .compactMap { clients[$0] }
    }

    /// Discards all clients without a message, for tests.
    mutating func abandon() {
        clients = [:]
        byLedger = [:]
        suspicions = [:]
    }

    /// Describes what is kept of clients that are gone; nil if nothing is.
    var leftover: String? {
        guard clients.isEmpty else { return nil }
        if !suspicions.isEmpty { return "suspects that are no clients" }
        return byLedger.isEmpty ? nil : "ledgers without a client"
    }
}

/// A client whose connection ended while its lock was held: it is dying, calling exec or
/// reconnecting.
struct Suspicion {
    /// When to check its lock again.
    fileprivate var checkAgainAt: Instant
    /// The interval before that check.
    fileprivate var interval: Duration

    /// The first interval.
    static let firstInterval: Duration = .microseconds(200)
    /// A client whose interval has grown to this length is not expected to reconnect soon.
    static let recentInterval: Duration = .milliseconds(500)
    /// The longest interval.
    ///
    /// It applies until the client is connected or dead.
    static let longestInterval: Duration = .seconds(2)

    fileprivate mutating func postpone(from now: Instant) {
        interval = min(interval * 2, Self.longestInterval)
        checkAgainAt = now + interval
    }
}
