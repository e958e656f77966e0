// SPDX-License-Identifier: Apache-2.0
//
// What an operation on a ledger's words means, as far as tests can have a process fail there.

package import FileCoordinationSystem

extension MemoryOperation {
    /// The deed that this is; nil for those that change nothing, or nothing in use.
    package var deed: Failpoint.Deed? {
        switch self {
        case .load, .storeReleasing: return nil
        case .wake, .wakeForTurn: return .wakes
        case .sleep, .sleepForTurn: return .sleeps
        case .store(let cell, _): return cell == .ledgerEpoch ? .raisesLedger : nil
        case .compareExchange(.ledgerEpoch, _, _): return .raisesLedger
        case .compareExchange(.record, let expected, let desired):
            let before = RecordWord(rawValue: expected)
            let after = RecordWord(rawValue: desired)
            if before.state == after.state { return .raisesRecord }
            switch after.state {
            case .free: return .frees
            case .draft: return .drafts
            case .asked: return .asks
            case .granted: return .grants
            case .released: return .releases
            case .cancelled: return .cancels
            case nil: return nil
            }
        case .compareExchange(.ticketQueue, let expected, let desired):
            let before = TicketQueueWord(rawValue: expected)
            let after = TicketQueueWord(rawValue: desired)
            if before.generation != after.generation { return .renewsTicketQueue }
            return before.serving == after.serving ? .takesNumber : .passesTurn
        case .compareExchange: return nil
        }
    }
}
