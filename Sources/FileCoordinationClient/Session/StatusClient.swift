// SPDX-License-Identifier: Apache-2.0
//
// Requests status reports. This needs only a connection: no ledger and no thread.

import FileCoordinationServer
import FileCoordinationSystem
package import FileCoordinationWire

/// Asks the server which claims hold items and which wait (Rule 18.5).
package struct StatusClient {
    private let socket: SequencedSocket
    private let poller: Poller
    /// The server, if it runs in this process because no other process had one.
    private let embedded: EmbeddedServer?

    /// The protocol version of the connection.
    private let version: UInt16

    /// Requests a report from the present server.
    ///
    /// If that goes away meanwhile, tries the next one, for a second (Rule 18.5). Returns nil if
    /// there is no server and no process that needs one.
    ///
    /// - Throws: the error of the last attempt.
    package static func ask(environment: [String: String]) throws -> StatusReport? {
        let end = MonotonicClock.after(patience)
        while true {
            do {
                guard let client = try StatusClient(environment: environment) else { return nil }
                if let report = try client.report() { return report }
                guard MonotonicClock.now < end else { throw Unanswered() }
            } catch {
                guard MonotonicClock.now < end else { throw error }
            }
            // Between two servers: without a ledger, nothing announces the next server, so this
            // polls.
            Pause.sleep(nanoseconds: 10_000_000)
        }
    }

    /// The server exists but does not answer.
    package struct Unanswered: Error {}

    private static let patience = Duration.seconds(1)

    /// Connects to the server; returns nil if there is none and no process that needs one.
    package init?(environment: [String: String]) throws {
        let runtime = try RuntimeDirectory.open(environment: environment)
        let election = Election(
            runtime: runtime,
            daemon: DaemonLauncher.find(environment: environment.map { "\($0)=\($1)" }))
        var version = ProtocolVersion.spoken
        while true {
            guard let (socket, embedded) = try Self.connect(election, runtime) else { return nil }
            let poller = try Poller()
            try poller.add(socket.descriptor, token: 0, .readable)
            let isTooNew = try Self.isRefused(version, by: socket, poller)
            guard isTooNew, version > ProtocolVersion.supported.lowerBound else {
                (self.socket, self.embedded, self.poller) = (socket, embedded, poller)
                self.version = version
                return
            }
            version -= 1
        }
    }

    private static func connect(
        _ election: Election, _ runtime: RuntimeDirectory
    ) throws -> (SequencedSocket, EmbeddedServer?)? {
        if let socket = try election.connectIfServed() { return (socket, nil) }
        // Between two servers, claims are still held. A server that recovers them can tell by which
        // processes.
        guard try !runtime.ledgers.names().isEmpty else { return nil }
        let result = try election.connectOrServe(onEnd: { _ in })
        return (result.socket, result.embedded)
    }

    /// Sends a hello without a ledger.
    ///
    /// Returns whether the server is too old for that version.
    private static func isRefused(
        _ version: UInt16, by socket: SequencedSocket, _ poller: Poller
    ) throws -> Bool {
        _ = try socket.send(
            ClientMessage.hello(Hello(version: version, ledgerName: [])).encode())
        let deadline = MonotonicClock.after(.seconds(5))
        var ready: [Poller.Ready] = []
        while MonotonicClock.now < deadline {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                guard case .refused(let refusal) = try ServerMessage(decoding: bytes) else {
                    return false
                }
                return refusal.code == .wrongVersion
            case .wouldBlock: try poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return false
            }
        }
        return false
    }

    /// Requests a report once; returns nil if the server goes away or does not answer within
    /// `patience`.
    package func report(patience: Duration = .seconds(5)) throws -> StatusReport? {
        _ = try socket.send(ClientMessage.statusRequest.encode())
        let deadline = MonotonicClock.after(patience)
        var assembler = PartAssembler.statusReport
        var ready: [Poller.Ready] = []
        while MonotonicClock.now < deadline {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                guard case .statusPart(let part, let isLast) = try ServerMessage(decoding: bytes)
                else { continue }
                if let whole = try assembler.add(part, isLast: isLast) {
                    return try StatusReport(decoding: whole, version: version)
                }
            case .wouldBlock: try poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return nil
            }
        }
        return nil
    }
}
