// SPDX-License-Identifier: Apache-2.0
//
// Asking for status takes a connection and nothing else: no ledger, no thread.

import FileCoordinationHost
import FileCoordinationSystem
package import FileCoordinationWire
import Foundation

/// Asks the present arbiter who holds and who waits (Rule 18.5).
package struct StatusClient {
    private let socket: SequencedSocket
    private let poller: Poller
    /// Kept while it is this process that hosts, because nobody else did.
    private let embedded: EmbeddedHost?

    /// Connects to the arbiter; nil when there is none, and nobody who would need one.
    package init?(environment: [String: String]) throws {
        let runtime = try RuntimeDirectory.open(environment: environment)
        let election = Election(
            runtime: runtime,
            daemon: DaemonLauncher.find(environment: environment.map { "\($0)=\($1)" }))
        if let socket = try election.connectIfServed() {
            self.socket = socket
            embedded = nil
        } else {
            // Between two hosts claims are still held; recovering them tells by whom.
            guard try !runtime.ledgers.names().isEmpty else { return nil }
            let result = try election.connectOrHost(onEnd: { _ in })
            socket = result.socket
            embedded = result.embedded
        }
        poller = try Poller()
        try poller.add(socket.descriptor, token: 0, .readable)
        _ = try socket.send(
            ClientMessage.hello(
                Hello(version: ProtocolVersion.supported.lowerBound, ledgerName: [])
            ).encode())
    }

    /// Asks once; nil when the arbiter goes away or does not answer within `patience`.
    package func report(patience: Duration = .seconds(5)) throws -> StatusReport? {
        _ = try socket.send(ClientMessage.statusRequest.encode())
        let deadline = MonotonicClock.after(patience)
        var assembler = PartAssembler.statusReport
        var ready: [Poller.Ready] = []
        while MonotonicClock.now < deadline {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                guard case .statusPart(let part, let isLast) = try HostMessage(decoding: bytes)
                else { continue }
                if let whole = try assembler.add(part, isLast: isLast) {
                    return try StatusReport(decoding: whole)
                }
            case .wouldBlock: try poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return nil
            }
        }
        return nil
    }
}
