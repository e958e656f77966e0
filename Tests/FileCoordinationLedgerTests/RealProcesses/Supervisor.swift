// SPDX-License-Identifier: Apache-2.0
//
// Runs real clients and real servers one operation at a time, and has them killed, stopped and
// forked in between.

import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Glibc
import LedgerExploration

/// One history of real processes.
final class Supervisor {
    private let path: String
    private let fault: PlantedFault?
    private(set) var clients: [Peer] = []
    private(set) var servers: [Peer] = []
    /// How many things have happened.
    private(set) var events = 0
    /// What was done, for failures.
    private(set) var log: [String] = []

    init(fault: PlantedFault? = nil) throws {
        signal(SIGPIPE, SIG_IGN)
        self.fault = fault
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("ledger-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        for peer in clients + servers {
            if peer.isAlive { peer.kill() }
            for child in peer.children { Glibc.kill(child, SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    var peers: [Peer] { clients + servers }

    @discardableResult
    func startClient(places: String) throws -> Peer {
        let peer = try Peer(
            "client \(clients.count)", ["client", path, fault?.rawValue ?? "none", places])
        clients.append(peer)
        try peer.settle()
        return peer
    }

    @discardableResult
    func startServer(deposing: Bool = false, order: String = "ascending") throws -> Peer {
        let role = deposing ? "depose" : "server"
        let peer = try Peer(
            "server \(servers.count)", [role, path, fault?.rawValue ?? "none", order])
        servers.append(peer)
        note(peer, role)
        try peer.settle()
        return peer
    }

    // MARK: What can be done to one of them

    func go(_ peer: Peer) throws {
        if case .gated(let point) = peer.state { note(peer, point) }
        try peer.go()
        if peer.state == .gated("idle") {
            // The server is idle after it has seen all events so far.
            peer.idleSince = events
        }
    }

    func kill(_ peer: Peer) throws {
        note(peer, "is killed")
        // Written before the death: the client that gets the place next can only come later.
        try Journal.append("X \(peer.processID)", in: path)
        peer.kill()
    }

    func stop(_ peer: Peer) {
        note(peer, "is stopped")
        peer.stop()
    }

    func resume(_ peer: Peer) {
        note(peer, "is continued")
        peer.resume()
    }

    func fork(_ peer: Peer) throws {
        guard case .gated = peer.state else { return }
        note(peer, "forks")
        try peer.makeChild()
    }

    private func note(_ peer: Peer, _ event: String) {
        log.append("\(peer.name): \(event)")
        // Looking around changes nothing, and an idle server is waiting for changes.
        if event != "scan", event != "idle" { events += 1 }
    }

    // MARK: What is to be seen

    /// The peers that can continue.
    ///
    /// An idle server is one of them only if something has happened since it looked around.
    func candidates() throws -> [Peer] {
        for client in clients { try client.listen() }
        return peers.filter { peer in
            guard peer.runs, case .gated(let point) = peer.state else { return false }
            return point != "idle" || peer.idleSince < events
        }
    }

    /// Lets `peer` go on until it is at a point with this name.
    func run(_ peer: Peer, to point: String) throws {
        for _ in 0..<1000 where peer.state != .gated(point) {
            try peer.listen()
            guard case .gated = peer.state else {
                throw PeerFailure(description: "\(peer.name) is \(peer.state), not at \(point)")
            }
            try go(peer)
        }
    }

    /// Lets `peer` go on until it sleeps, is idle, or is finished.
    func runToRest(_ peer: Peer) throws {
        for _ in 0..<1000 {
            try peer.listen()
            guard try candidates().contains(where: { $0 === peer }) else { return }
            try go(peer)
        }
        throw PeerFailure(description: "\(peer.name) never comes to rest")
    }

    /// Whether the client's newest record is granted, as its ledger says.
    func isGranted(_ client: Peer) throws -> Bool {
        guard let reader = try reader(of: client) else { return false }
        return reader.scan().contains { $0.state == .granted }
    }

    /// A client's ledger.
    func reader(of client: Peer) throws -> LedgerReader? {
        let ledgers = try Directory.open(path).openSubdirectory("ledgers")
        let name = try ledgers.names().first { $0.hasPrefix("\(client.processID)-") }
        guard let name else { return nil }
        return try LedgerReader(
            directory: ledgers, name: name, expectedOwner: CurrentProcess.effectiveUserID)
    }

    /// What the accessors did.
    func journal() throws -> Journal { try Journal(in: path) }
}

/// What accessors and supervisor have written, in the order in which it happened.
struct Journal {
    /// The process in each place at the end.
    private(set) var holders: [String: pid_t] = [:]
    /// The first place in which two were at once.
    private(set) var overlap: String?
    private(set) var accesses = 0

    init(in directory: String) throws {
        let text = (try? String(contentsOfFile: directory + "/journal", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count >= 2, let process = pid_t(fields[1]) else { continue }
            switch fields[0] {
            case "E":
                accesses += 1
                if holders[fields[2]] != nil, overlap == nil { overlap = fields[2] }
                holders[fields[2]] = process
            case "L":
                if holders[fields[2]] == process { holders[fields[2]] = nil }
            default:
                holders = holders.filter { $0.value != process }
            }
        }
    }

    static func append(_ line: String, in directory: String) throws {
        let file = open(directory + "/journal", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        let bytes = Array((line + "\n").utf8)
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw PeerFailure(description: "The journal cannot be written")
        }
    }
}
