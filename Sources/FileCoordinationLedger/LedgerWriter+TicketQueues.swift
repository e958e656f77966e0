// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for their turn in a ticket queue. Their state is in their records, so a server
// can take over the decision at any time.

public import FileCoordinationArbiter
internal import FileCoordinationSystem

extension LedgerWriter {
    /// The result of a claim in a ticket queue.
    public enum ClaimInTurn: Sendable {
        /// The accessor may run.
        ///
        /// The turn must be passed on afterwards: ``TicketQueueFile/pass(_:)``.
        case granted(QueueTurn, hasWaited: Bool)
        /// A server decides about the claim.
        ///
        /// The caller must tell it to look at the record.
        case filed
        /// The ticket queue has ended, and nothing was filed.
        case gone
    }

    /// Files a claim on an item in the ticket queue that `delegation` in `slot` names, and waits
    /// for its turn.
    ///
    /// Blocks the thread while the queue advances. If no turn has ended for `patience`, or at the
    /// time `limit`, the claim is filed, and the server ends the ticket queue.
    public func claimInTurn(
        _ reference: RecordReference, slot: Int, delegation: SlotWord,
        in ticketQueues: TicketQueueFile,
        patience: Duration, limit: Instant
    ) -> ClaimInTurn {
        let index = Int(reference.index)
        let free = memory.recordWord(index)
        guard let ticketQueue = delegation.ticketQueue, isReady(free, for: reference) else {
            return .gone
        }
        let memory = memory.with(ticketQueues)
        let join = DrawTicket(ticketQueue: ticketQueue, slot: slot, delegation: delegation)
        guard case .joined(let ticket, let isTurn) = memory.run(join) else { return .gone }
        let claim = ClaimLocally(
            record: index, free: free, slot: slot, delegation: delegation,
            hasTurn: isTurn)
        guard case .granted(let word) = memory.run(claim) else { return .filed }
        let turn = QueueTurn(ticket: ticket)
        if word.state == .granted { return .granted(turn, hasWaited: false) }
        let wait = AwaitTurn(ticket, record: index, generation: reference.generation)
        while true {
            let before = ticketQueues.serving(for: ticket)
            let deadline = min(MonotonicClock.after(patience), limit)
            switch memory.run(wait, deadline: deadline) {
            case .granted: return .granted(turn, hasWaited: true)
            case .left: break
            }
            // Several other clients may have had their turns meanwhile; then none of them is stuck.
            let word = memory.recordWord(index)
            guard let after = ticketQueues.serving(for: ticket), after != before,
                word.isInTicketQueue, word.generation == reference.generation,
                MonotonicClock.now < limit
            else { break }
        }
        _ = memory.run(LeaveTicketQueue(record: index, generation: reference.generation))
        return .filed
    }
}
