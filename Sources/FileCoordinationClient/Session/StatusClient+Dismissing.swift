// SPDX-License-Identifier: Apache-2.0
//
// Asks the server to end waits, for a user. This needs only a connection, as a status report does.

import FileCoordinationSystem
package import FileCoordinationWire

extension StatusClient {
    /// Has the present server dismiss parties, in order.
    ///
    /// Blocks until the server has answered for each. If the server goes away meanwhile, tries the
    /// next one, for a second.
    ///
    /// - Returns: the result of each; nil if there is no server.
    /// - Throws: the error of the last attempt.
    package static func dismiss(
        _ dismissals: [Dismissal], environment: [String: String]
    ) throws -> [DismissalOutcome]? {
        var outcomes: [DismissalOutcome] = []
        return try answer(environment) { client in
            // Answers of a former server stay valid, so only the other orders are sent.
            while outcomes.count < dismissals.count {
                guard let outcome = try client.dismiss(dismissals[outcomes.count])
                else { return nil }
                outcomes.append(outcome)
            }
            return outcomes
        }
    }

    private func dismiss(_ dismissal: Dismissal) throws -> DismissalOutcome? {
        _ = try socket.send(ClientMessage.dismiss(dismissal).encode())
        return try receive(.seconds(5)) { message in
            guard case .dismissal(dismissal.party, let outcome) = message else { return nil }
            return outcome
        }
    }
}
