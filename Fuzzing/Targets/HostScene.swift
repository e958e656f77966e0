// SPDX-License-Identifier: Apache-2.0
//
// One host and its clients, from an empty directory to an empty directory. The host can be killed
// and followed by another one at any moment.

import FileCoordinationArbiter
import FileCoordinationHost
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The world of one input.
final class HostScene {
    let runtime: RuntimeDirectory
    let epochs: EpochFile
    private let wakeUp: WakeUp
    private var host: Server
    private var clients: [HostClient?] = [nil, nil, nil]

    init(_ runtime: RuntimeDirectory) throws {
        self.runtime = runtime
        Self.clear(runtime)
        wakeUp = try WakeUp()
        epochs = try EpochFile(directory: runtime.directory)
        host = try Self.makeHost(runtime, wakeUp)
    }

    /// Removes what this scene has made.
    func strike() {
        clients = []
        host.abandon()
        Self.clear(runtime)
    }

    private static func clear(_ runtime: RuntimeDirectory) {
        for name in (try? runtime.ledgers.names()) ?? [] { try? runtime.ledgers.remove(name) }
        for name in (try? runtime.directory.names()) ?? []
        where name != RuntimeDirectory.Name.ledgers {
            try? runtime.directory.remove(name)
        }
    }

    private static func makeHost(_ runtime: RuntimeDirectory, _ wakeUp: WakeUp) throws -> Server {
        guard
            let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: runtime)
        else { throw FuzzFault("the role of a host that is gone is still taken") }
        var configuration = ServerConfiguration(kind: .embedded, packagePolicy: [])
        configuration.watchesDirectory = false
        return try Server(
            runtime: runtime, roleLock: role, configuration: configuration, wakeUp: wakeUp)
    }

    // MARK: What happens

    /// One step of the client that the input chooses.
    func play(_ input: inout Bytes) throws {
        let step = input.byte()
        let number = Int(step >> 6) % clients.count
        switch step & 0x3F {
        case 0x3F: try replaceHost()
        case 0x3E: clients[number] = nil
        case 0x38..<0x3E: try turn()
        case let action:
            let client = try clients[number] ?? HostClient(self)
            clients[number] = client
            try client.act(Int(action), &input)
        }
    }

    /// The file name of one client's ledger; nil if it has none now.
    func ledgerName(of number: Int) -> String? {
        clients[number % clients.count]?.ledger.writer.fileName
    }

    /// One turn of the host, of which it is known that something has come.
    private func turn() throws {
        guard let ending = host.turn(until: 0) else { return try check() }
        try require(ending == .handedOver, "the host leaves: \(ending)")
        try replaceHost(isGone: true)
    }

    /// The host is killed, and another one takes over.
    private func replaceHost(isGone: Bool = false) throws {
        let before = epochs.load()
        if !isGone { host.abandon() }
        host = try Self.makeHost(runtime, wakeUp)
        try require(epochs.load() > before, "a host under its predecessor's epoch")
        for client in clients { client?.disconnect() }
        try check()
    }

    private func check() throws {
        if let broken = host.brokenInvariant { throw FuzzFault(broken) }
    }

    /// More than one input can send.
    private static let mostMessages = 2048

    /// All clients leave; then the host has nothing left to remember.
    func comeToRest() throws {
        try turn()
        for index in clients.indices {
            clients[index] = nil
            try turn()
        }
        // Of what takes long the host does one thing in a turn: a connection's end comes behind all
        // that was said on it. And a lock may be free a moment after the connection has ended: then
        // the host looks again.
        var looks = 0
        for _ in 0..<Self.mostMessages where !host.isDeserted && looks < 64 {
            let deadline = host.nextDeadline
            _ = host.turn(until: deadline ?? 0)
            try check()
            // A turn begins with what the last one left, before anybody is listened to; that can be
            // all that there was to do, or have the host look again.
            if host.hasHeard || host.isDeserted { continue }
            guard deadline != nil || host.nextDeadline != nil else {
                throw FuzzFault("a client is gone, and the host will not look: \(host.company)")
            }
            looks += 1
        }
        try require(host.isDeserted, "clients that are gone are still there")
        try check()
        let ledgers = try runtime.ledgers.names()
        try require(ledgers.isEmpty, "ledgers of the dead: \(ledgers)")
    }
}
