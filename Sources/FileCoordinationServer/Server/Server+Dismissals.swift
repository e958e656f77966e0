// SPDX-License-Identifier: Apache-2.0
//
// Ends waits on a user's order, for `filecoord release`. A running claim is never ended: the server
// cannot stop its accessor, which would then run beside the next one.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Carries out a user's order, logs it, and answers what became of the party.
    mutating func dismiss(_ dismissal: Dismissal, on connection: Connection) {
        let order = Order(dismissal, of: connection.peer.processID)
        let outcome =
            switch dismissal.party {
            case .claim(let number): dismiss(claim: number, order)
            case .presenter(let number):
                dismiss(presenter: PresenterID(rawValue: number), order)
            }
        send(.dismissal(dismissal.party, outcome), on: connection)
    }

    /// Who gives an order and why, on one line each.
    private struct Order {
        let processID: Int32
        let author: String
        let reason: String

        init(_ dismissal: Dismissal, of processID: Int32) {
            self.processID = processID
            author = Self.line(dismissal.author)
            reason = Self.line(dismissal.reason)
        }

        /// The text without characters that could forge lines of the log or act on a terminal.
        private static func line(_ text: String) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { scalar in
                        scalar.properties.generalCategory == .control ? " " : scalar
                    }))
        }

        /// The entry of the log: what was ended, and the process that was cut off.
        func ended(_ wait: String, of owner: Int32) -> ServerLogEntry {
            .dismissed(wait, of: owner, processID: processID, author: author, reason: reason)
        }
    }

    // MARK: Claims

    private mutating func dismiss(claim number: UInt64, _ order: Order) -> DismissalOutcome {
        let claim = ClaimID(rawValue: number)
        // A claim of a process that was continued just now may be granted by that.
        checkStoppedProcesses()
        switch arbiter.stage(of: claim) {
        case .granted: return .running
        case .waiting, .asking:
            guard let address = records.address(of: claim), isConnected(address) else {
                return .unreachable
            }
            takeBackQuestions(for: claim)
            decide(.claimCancelled(claim))
            // As with a refusal, the record stays known until its client has cancelled it. If the
            // message is lost, the claim is decided anew.
            tell(address, order)
            return .ended
        case nil: return dismiss(unreported: number, order)
        }
    }

    /// Dismisses a claim that waits in a ticket queue, of which the arbiter does not know.
    private mutating func dismiss(unreported number: UInt64, _ order: Order) -> DismissalOutcome {
        guard let client = UnreportedClaim.client(inNumber: number),
            let claim = unreportedClaims(of: client).first(where: { $0.number == number })
        else { return .gone }
        switch claim.snapshot.state {
        case .asked:
            guard isConnected(claim.address) else { return .unreachable }
            // The client gives up its ticket with its claim.
            tell(claim.address, order)
            return .ended
        case .granted, .draft: return .running
        case .free, .cancelled, .released: return .gone
        }
    }

    /// Whether a claim's client can be told; otherwise it would file the claim again.
    private func isConnected(_ address: RecordAddress) -> Bool {
        clients[address.client]?.connection.map { connections[$0] != nil } ?? false
    }

    /// Tells a client that a wait of one of its claims has been ended.
    private mutating func tell(_ address: RecordAddress, _ order: Order) {
        guard let client = clients[address.client] else { return }
        let owner = client.ledger.processID
        let wait = "a wait of process \(owner) (\(client.ledger.programName))"
        configuration.log(order.ended(wait, of: owner))
        guard let connection = client.connection.flatMap({ connections[$0] }) else { return }
        let record = address.record
        connection.rememberFailure(of: address.record)
        send(.dismissed(record, author: order.author, reason: order.reason), on: connection)
    }

    // MARK: Presenters

    private mutating func dismiss(presenter: PresenterID, _ order: Order) -> DismissalOutcome {
        checkStoppedProcesses()
        guard arbiter.status(of: presenter) != nil else { return .gone }
        guard arbiter.isAsked(presenter) else { return .notAsked }
        if let client = records.address(of: presenter).flatMap({ clients[$0.client] }) {
            let owner = client.ledger.processID
            let wait = "the wait for an answer of a presenter of process \(owner) "
            configuration.log(
                order.ended(wait + "(\(client.ledger.programName))", of: owner))
        }
        decide(.presenterDismissed(presenter))
        return .passedOver
    }
}
