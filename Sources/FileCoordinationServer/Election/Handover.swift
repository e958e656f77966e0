// SPDX-License-Identifier: Apache-2.0
//
// How a daemon that starts late comes to the role: it asks, the embedded server leaves, and what
// the daemon has to know is in the ledgers. A handover is a server's death that was announced.

import FileCoordinationSystem
import FileCoordinationWire

/// Asks the present server for its role.
package enum Handover {
    /// Asks; returns whether the server is an embedded one, which then gives its role up.
    ///
    /// The caller has the election lock.
    /// Returns true as well if the server goes away meanwhile, or is deposed because it is stopped.
    package static func ask(in runtime: RuntimeDirectory) throws -> Bool {
        let election = Election(runtime: runtime, daemon: nil)
        guard let socket = try election.connectIfServed() else { return true }
        var watchdog = ServerWatchdog(over: socket)
        _ = try socket.send(
            ClientMessage.hello(
                Hello(version: ProtocolVersion.supported.lowerBound, ledgerName: [])
            ).encode())
        let poller = try Poller()
        try poller.add(socket.descriptor, token: 0, .readable)
        var ready: [Poller.Ready] = []
        while true {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                switch try ServerMessage(decoding: bytes) {
                case .welcome(let welcome):
                    guard welcome.kind == .embedded else { return false }
                    _ = try socket.send(ClientMessage.handOver.encode())
                case .refused(let refusal):
                    throw SystemError(code: ErrorNumber.connectionRefused, operation: refusal.text)
                case .retiring: return true
                case .granted, .failed, .deliveries, .deliveryPart, .explanation, .statusPart,
                    .metrics, .packagePolicy, .inCycle, .skipped, .overLimit:
                    break
                }
            case .wouldBlock:
                try poller.wait(into: &ready, until: MonotonicClock.now + ServerWatchdog.pause)
                if ready.isEmpty, watchdog.look() {
                    try election.deposeWhileElecting(watchdog, in: runtime)
                    return true
                }
            case .tooLong, .closed: return true
            }
        }
    }
}
