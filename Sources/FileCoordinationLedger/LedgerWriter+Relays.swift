// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for their turn in a relay, and for nothing else. What they are is in their
// records, so a host can decide of them at any time.

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
    /// Blocks the thread, until `deadline` in nanoseconds of ``MonotonicClock``; a claim whose turn
    /// has not come by then is filed, and whoever hears of it ends the relay.
    public func claimInTurn(
        _ reference: RecordReference, slot: Int, delegation: SlotWord, in relays: RelayFile,
        until deadline: UInt64
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
        switch memory.run(wait, deadline: deadline) {
        case .granted: return .granted(turn, hasWaited: true)
        case .left:
            memory.run(LeaveRelay(record: index, generation: reference.generation))
            return .filed
        }
    }
}
