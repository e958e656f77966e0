// SPDX-License-Identifier: Apache-2.0
//
// Answers requests for the server's metrics.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Sends a metrics report.
    mutating func sendMetrics(on connection: Connection) {
        send(
            .metrics(
                outgoing.metrics.report(
                    status(for: connection), epoch: presence.epoch.rawValue, clients: clients.count,
                    claims: arbiter.claimIDs.count, presenters: arbiter.presenterIDs.count)),
            on: connection)
    }

    /// Counts a message that is sent, if a counter exists for it.
    mutating func countSent(_ message: ServerMessage) {
        switch message {
        case .overLimit: outgoing.metrics.count(.limitsReached)
        case .refused(let refusal):
            if refusal.code == .limitReached { outgoing.metrics.count(.limitsReached) }
        case .welcome, .granted, .failed, .inCycle, .deliveries, .deliveryPart, .explanation,
            .skipped, .statusPart, .metrics, .trace, .retiring, .packagePolicy,
            .dismissed, .dismissal:
            break
        }
    }
}
