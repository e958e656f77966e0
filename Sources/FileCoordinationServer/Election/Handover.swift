// SPDX-License-Identifier: Apache-2.0
//
// Lets a daemon that starts late take over from an embedded server. The daemon asks for the role,
// the embedded server leaves, and the daemon recovers the state from the ledgers, as after a
// server's death.

import FileCoordinationSystem
import FileCoordinationWire

/// Asks the present server for its role.
package enum Handover {
    /// Asks for the role.
    ///
    /// The caller holds the election lock.
    ///
    /// - Parameters:
    ///   - runtime: the runtime directory of the server.
    ///   - log: is told if the server is deposed.
    /// - Returns: whether the server is an embedded one, which then gives it up; also true if the
    ///   server leaves meanwhile, or is deposed because it is stopped.
    /// - Throws: if the server cannot be asked; ``VersionConflict`` if it is of another version.
    package static func ask(
        in runtime: RuntimeDirectory, log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in }
    ) throws -> Bool {
        let election = Election(runtime: runtime, daemon: nil, log: log)
        guard let socket = try election.connectIfServed() else { return true }
        var watchdog = ServerWatchdog(over: socket)
        _ = try socket.send(ClientMessage.hello(Hello(ledgerName: [])).encode())
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
                case .refused(let refusal) where refusal.code == .wrongVersion:
                    throw VersionConflict(refusal, by: socket)
                case .refused(let refusal):
                    throw SystemError(code: ErrorNumber.connectionRefused, operation: refusal.text)
                case .retiring: return true
                case .granted, .failed, .deliveries, .deliveryPart, .explanation, .writer,
                    .statusPart, .trace, .packagePolicy, .inCycle, .skipped, .overLimit,
                    .dismissed, .dismissal:
                    break
                }
            case .wouldBlock:
                try poller.wait(into: &ready, until: MonotonicClock.after(ServerWatchdog.pause))
                if ready.isEmpty, watchdog.check() {
                    try election.deposeWhileElecting(watchdog, in: runtime)
                    return true
                }
            case .tooLong, .closed: return true
            }
        }
    }
}
