// SPDX-License-Identifier: Apache-2.0
//
// One server and its clients, from an empty directory to an empty directory. The server can be
// killed and followed by another one at any moment.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// The world of one input.
final class ServerScene {
    let runtime: RuntimeDirectory
    let epochs: EpochFile
    private let wakeUp: WakeUp
    private var server: Server
    private var clients: [ServerClient?] = [nil, nil, nil]

    init(_ runtime: RuntimeDirectory) throws {
        self.runtime = runtime
        Self.clear(runtime)
        wakeUp = try WakeUp()
        epochs = try EpochFile(directory: runtime.directory)
        server = try Self.makeServer(runtime, wakeUp)
    }

    /// Removes what this scene has made.
    func tearDown() {
        clients = []
        server.abandon()
        Self.clear(runtime)
    }

    private static func clear(_ runtime: RuntimeDirectory) {
        for name in (try? runtime.ledgers.names()) ?? [] { try? runtime.ledgers.remove(name) }
        for name in (try? runtime.directory.names()) ?? []
        where name != RuntimeDirectory.Name.ledgers {
            try? runtime.directory.remove(name)
        }
    }

    private static func makeServer(_ runtime: RuntimeDirectory, _ wakeUp: WakeUp) throws -> Server {
        guard
            let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
        else { throw FuzzFault("the role of a server that is gone is still taken") }
        var configuration = ServerConfiguration(kind: .embedded, packagePolicy: [])
        configuration.watchesDirectory = false
        // An input may present the root: the watcher would read the files of this machine.
        configuration.watchesItems = false
        configuration.checksInvariants = true
        return try Server.start(
            runtime: runtime, roleLock: role, configuration: configuration, wakeUp: wakeUp)
    }

    // MARK: What happens

    /// One step of the client that the input chooses.
    func play(_ input: inout Bytes) throws {
        let step = input.byte()
        let number = Int(step >> 6) % clients.count
        switch step & 0x3F {
        case 0x3F: try replaceServer()
        case 0x3E: clients[number] = nil
        case 0x38..<0x3E: try turn()
        case let action:
            let client = try clients[number] ?? ServerClient(self)
            clients[number] = client
            try client.act(Int(action), &input)
        }
    }

    /// The file name of one client's ledger; nil if it has none now.
    func ledgerName(of number: Int) -> String? {
        clients[number % clients.count]?.ledger.writer.fileName
    }

    /// One turn of the server, of which it is known that something has come.
    private func turn() throws {
        guard let ending = server.turn(until: .distantPast) else { return try check() }
        try require(ending == .handedOver, "the server leaves: \(ending)")
        try replaceServer(isGone: true)
    }

    /// The server is killed, and another one takes over.
    private func replaceServer(isGone: Bool = false) throws {
        let before = epochs.load()
        if !isGone { server.abandon() }
        server = try Self.makeServer(runtime, wakeUp)
        try require(epochs.load() > before, "a server under its predecessor's epoch")
        for client in clients { client?.disconnect() }
        try check()
    }

    private func check() throws {
        if let broken = server.brokenInvariant { throw FuzzFault(broken) }
    }

    /// More than one input can send.
    private static let mostMessages = 2048

    /// All clients leave; then the server has nothing left to remember.
    func comeToRest() throws {
        try turn()
        for index in clients.indices {
            clients[index] = nil
            try turn()
        }
        // Of what takes long the server does one thing in a turn: a connection's end comes behind
        // all that was said on it. And a lock may be free a moment after the connection has ended:
        // then the server looks again.
        var looks = 0
        for _ in 0..<Self.mostMessages where !server.isDeserted && looks < 64 {
            let deadline = server.nextDeadline
            _ = server.turn(until: deadline ?? .distantPast)
            try check()
            // A turn begins with what the last one left, before a client is listened to; that can
            // be all that there was to do, or have the server look again.
            if server.hasHeard || server.isDeserted { continue }
            guard deadline != nil || server.nextDeadline != nil else {
                throw FuzzFault("a client is gone, and the server will not look: \(server.company)")
            }
            looks += 1
        }
        try require(server.isDeserted, "clients that are gone are still there")
        try check()
        let ledgers = try runtime.ledgers.names().filter(LedgerName.isFinal)
        try require(ledgers.isEmpty, "ledgers of the dead: \(ledgers)")
    }
}
