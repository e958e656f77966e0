// SPDX-License-Identifier: Apache-2.0
//
// Requests status reports. This needs only a connection: no ledger and no thread.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
package import FileCoordinationWire

/// Asks the server which claims hold items and which wait (Rule 18.5).
package struct StatusClient {
    let socket: SequencedSocket
    let poller: Poller
    /// The server, if it runs in this process because no other process had one.
    private let embedded: EmbeddedServer?

    /// What counts as a package, as the arbiter announces it.
    private let packages: [UInt8]

    /// Requests a report from the present server.
    ///
    /// If that goes away meanwhile, tries the next one, for a second (Rule 18.5). Returns nil if
    /// there is no server and no process that needs one.
    ///
    /// - Throws: the error of the last attempt.
    package static func ask(environment: [String: String]) throws -> StatusReport? {
        try askWithPackages(environment: environment)?.report
    }

    /// Asks for a report, and for the package policy of all programs that share the server (Rule
    /// 1.11).
    package static func askWithPackages(
        environment: [String: String]
    ) throws -> (report: StatusReport, packages: PackagePolicy)? {
        try answer(environment) { client in
            try client.report().map { ($0, PackagePolicy(text: client.packages)) }
        }
    }

    /// Returns a server's answer to the request that `ask` sends.
    static func answer<Answer>(
        _ environment: [String: String], _ ask: (StatusClient) throws -> Answer?
    ) throws -> Answer? {
        let end = MonotonicClock.after(patience)
        while true {
            do {
                guard let client = try StatusClient(environment: environment) else { return nil }
                if let answer = try ask(client) { return answer }
                guard MonotonicClock.now < end else { throw Unanswered() }
            } catch let error as VersionConflict {
                throw error
            } catch {
                guard MonotonicClock.now < end else { throw error }
            }
            // Between two servers: without a ledger, nothing announces the next server, so this
            // polls.
            Pause.sleep(.milliseconds(10))
        }
    }

    /// The server exists but does not answer.
    package struct Unanswered: Error {}

    /// How long to look for a server that has just died, or for its successor.
    private static let patience = Duration.seconds(1)

    /// Connects to the server; returns nil if there is none and no process that needs one.
    ///
    /// - Parameters:
    ///   - environment: says where processes meet.
    ///   - startsServer: whether a server is started if there is none.
    /// - Throws: ``RuntimeDirectoryError``, ``VersionConflict``, or an error of a system call.
    package init?(environment: [String: String], startsServer: Bool = false) throws {
        let place = try RuntimePlace(variable: { environment[$0] })
        guard let runtime = try startsServer ? place.open() : place.look()
        else { return nil }
        let election = Election(
            runtime: runtime,
            daemon: DaemonLauncher.find(environment: environment.map { "\($0)=\($1)" }))
        guard let (socket, embedded) = try Self.connect(election, runtime, startsServer)
        else { return nil }
        let poller = try Poller()
        try poller.add(socket.descriptor, token: 0, .readable)
        (self.socket, self.embedded, self.poller) = (socket, embedded, poller)
        switch try Self.greet(on: socket, poller) {
        case .welcome(let welcome): packages = welcome.packagePolicy
        case .refused(let refusal) where refusal.code == .wrongVersion:
            throw VersionConflict(refusal, by: socket)
        default: packages = []
        }
    }

    private static func connect(
        _ election: Election, _ runtime: RuntimeDirectory, _ startsServer: Bool
    ) throws -> (SequencedSocket, EmbeddedServer?)? {
        if let socket = try election.connectIfServed() { return (socket, nil) }
        // Between two servers, claims are still held. A server that recovers them can tell by which
        // processes.
        guard try startsServer || runtime.ledgers.names().contains(where: LedgerName.isFinal)
        else { return nil }
        let result = try election.connectOrServe(onEnd: { _ in })
        return (result.socket, result.embedded)
    }

    /// Sends a hello without a ledger, and returns the server's answer, or nil if there is none.
    private static func greet(
        on socket: SequencedSocket, _ poller: Poller
    ) throws -> ServerMessage? {
        _ = try socket.send(ClientMessage.hello(Hello(ledgerName: [])).encode())
        let deadline = MonotonicClock.after(.seconds(5))
        var ready: [Poller.Ready] = []
        while MonotonicClock.now < deadline {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes): return try ServerMessage(decoding: bytes)
            case .wouldBlock: try poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return nil
            }
        }
        return nil
    }

    /// Requests a report once; returns nil if the server goes away or does not answer within
    /// `patience`.
    package func report(patience: Duration = .seconds(5)) throws -> StatusReport? {
        _ = try socket.send(ClientMessage.statusRequest.encode())
        var assembler = PartAssembler.statusReport
        return try receive(patience) { message in
            guard case .statusPart(let part, let isLast) = message,
                let whole = try assembler.add(part, isLast: isLast)
            else { return nil }
            return try StatusReport(decoding: whole)
        }
    }

    /// Receives messages until `take` returns an answer; returns nil if none comes.
    func receive<Answer>(
        _ patience: Duration, _ take: (ServerMessage) throws -> Answer?
    ) throws -> Answer? {
        let deadline = MonotonicClock.after(patience)
        var ready: [Poller.Ready] = []
        while MonotonicClock.now < deadline {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                if let answer = try take(ServerMessage(decoding: bytes)) { return answer }
            case .wouldBlock: try poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return nil
            }
        }
        return nil
    }
}
