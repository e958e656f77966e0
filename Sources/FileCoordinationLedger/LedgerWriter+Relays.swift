// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for their turn in a relay, and for nothing else. What they are is in their
// records, so a host can decide of them at any time.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// How a claim in a relay went.
    public enum ClaimInTurn: Sendable {
        /// The accessor may run. Afterwards the turn is to be passed on: ``RelayFile/pass(_:)``.
        case granted(RelayTurn, hasWaited: Bool)
        /// A host decides of the claim, as of any other: tell it to look at the record.
        case filed
        /// The relay has ended, and nothing was filed.
        case gone
    }

    /// Files a claim at a place that is in the relay which `delegation` in `slot` names, and waits
    /// for its turn.
    ///
    /// Blocks the thread while the line moves: if no turn has ended for `patience` nanoseconds, or
    /// when `limit` on ``MonotonicClock`` has come, the claim is filed, and the server ends the
    /// relay.
    public func claimInTurn(
        _ reference: RecordReference, slot: Int, delegation: SlotWord, in relays: RelayFile,
        patience: UInt64, limit: UInt64
    ) -> ClaimInTurn {
        guard let relay = delegation.relay else { return .gone }
        let index = Int(reference.index)
        let memory = memory.with(relays)
        let join = JoinRelay(relay: relay, slot: slot, delegation: delegation)
        guard case .joined(let ticket, let isTurn) = memory.run(join) else { return .gone }
        let claim = ClaimLocally(
            record: index, free: memory.recordWord(index), slot: slot, delegation: delegation,
            hasTurn: isTurn, fault: fault)
        guard case .granted(let word) = memory.run(claim) else { return .filed }
        let turn = RelayTurn(ticket: ticket)
        if word.state == .granted { return .granted(turn, hasWaited: false) }
        let wait = AwaitTurn(
            ticket, record: index, generation: reference.generation, fault: fault)
        while true {
            let before = relays.serving(for: ticket)
            let deadline = min(MonotonicClock.now + patience, limit)
            switch memory.run(wait, deadline: deadline) {
            case .granted: return .granted(turn, hasWaited: true)
            case .left: break
            }
            // Several others may each have had a turn meanwhile: then none of them is stuck.
            let word = memory.recordWord(index)
            guard let after = relays.serving(for: ticket), after != before,
                word.isInRelay, word.generation == reference.generation,
                MonotonicClock.now < limit
            else { break }
        }
        memory.run(LeaveRelay(record: index, generation: reference.generation))
        return .filed
    }
}
