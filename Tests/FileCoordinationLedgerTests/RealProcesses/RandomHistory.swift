// SPDX-License-Identifier: Apache-2.0
//
// A random history of real processes. A seed decides the order of the operations, so that can be
// repeated; the time at which a woken process returns from the kernel cannot.

import FileCoordinationLedger
import Foundation
import LedgerExploration

/// Numbers from a seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Two clients, two servers, two places, and up to two misfortunes.
struct RandomHistory {
    /// What may befall a process.
    private enum Misfortune: CaseIterable {
        case killClient, killServer, stopClient, stopServer, forkClient, forkServer
    }

    private var numbers: SeededNumbers
    private let supervisor: Supervisor
    private var misfortunes: [(step: Int, what: Misfortune)] = []
    private var step = 0

    init(seed: UInt64, fault: PlantedFault? = nil) throws {
        numbers = SeededNumbers(seed: seed)
        supervisor = try Supervisor(fault: fault)
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            let kinds = Misfortune.allCases
            misfortunes.append(
                (
                    Int.random(in: 0..<90, using: &numbers),
                    kinds[Int.random(in: 0..<kinds.count, using: &numbers)]
                ))
        }
    }

    var log: [String] { supervisor.log }

    /// Runs it to the end; returns the number of accesses.
    mutating func run() throws -> Int {
        let orders = ["0,1", "1,0", "0,0", "1,1"]
        for _ in 0..<2 {
            try supervisor.startClient(places: orders.randomElement(using: &numbers) ?? "0")
        }
        try supervisor.startServer(order: order())
        while step < 5000 {
            step += 1
            try suffer()
            if let peer = try supervisor.candidates().randomElement(using: &numbers) {
                try supervisor.go(peer)
                try check()
            } else if try !rest() {
                return try finish()
            }
        }
        throw PeerFailure(description: "It does not come to rest")
    }

    private mutating func order() -> String {
        Bool.random(using: &numbers) ? "ascending" : "descending"
    }

    private mutating func suffer() throws {
        guard let index = misfortunes.firstIndex(where: { $0.step <= step }) else { return }
        let what = misfortunes.remove(at: index).what
        let client = supervisor.clients.filter { $0.runs && isAtWork($0) }
            .randomElement(using: &numbers)
        let server = supervisor.servers.count == 1 ? supervisor.servers.first { $0.runs } : nil
        switch what {
        case .killClient: if let client { try supervisor.kill(client) }
        case .killServer: if let server { try supervisor.kill(server) }
        case .stopClient: if let client { supervisor.stop(client) }
        case .stopServer: if let server { supervisor.stop(server) }
        case .forkClient: if let client { try supervisor.fork(client) }
        case .forkServer: if let server { try supervisor.fork(server) }
        }
    }

    /// Whether the peer is not in the kernel.
    ///
    /// What it does there when it is killed cannot be known.
    private func isAtWork(_ peer: Peer) -> Bool {
        if case .gated = peer.state { return true }
        return false
    }

    private func check() throws {
        if let place = try supervisor.journal().overlap {
            throw PeerFailure(description: "Two accessors at once in place \(place)")
        }
    }

    /// Handles that no process can continue; returns whether one can now.
    private mutating func rest() throws -> Bool {
        if supervisor.servers.count == 1, let server = supervisor.servers.first, !server.runs {
            let next = try supervisor.startServer(deposing: server.isAlive, order: order())
            if case .finished(let reason) = next.state {
                throw PeerFailure(description: reason)
            }
            return true
        }
        for client in supervisor.clients where client.state == .asleep && client.runs {
            guard try supervisor.isGranted(client) else { continue }
            try client.listen(patience: Peer.patience)
            if client.state == .asleep {
                throw PeerFailure(description: "\(client.name) sleeps through its grant")
            }
            return true
        }
        try checkWaiting()
        guard let stopped = supervisor.peers.first(where: { $0.isAlive && $0.isStopped }) else {
            return false
        }
        supervisor.resume(stopped)
        return true
    }

    /// Checks that each client that waits now waits for a process that is stopped.
    private func checkWaiting() throws {
        let holders = try supervisor.journal().holders
        for client in supervisor.clients where client.state == .asleep && client.runs {
            let holder = client.place.flatMap { holders[$0] }
            let owner = supervisor.clients.first { $0.processID == holder }
            let isStopped = supervisor.clients.contains { $0.isAlive && $0.isStopped }
            guard owner?.isStopped != true, !(holder == nil && isStopped) else { continue }
            throw PeerFailure(
                description: "\(client.name) waits for place \(client.place ?? "?"), and none "
                    + "has it")
        }
    }

    private func finish() throws -> Int {
        try check()
        for client in supervisor.clients where client.isAlive && client.state != .finished("done") {
            throw PeerFailure(description: "\(client.name) ended as \(client.state)")
        }
        return try supervisor.journal().accesses
    }
}
