// SPDX-License-Identifier: Apache-2.0
//
// The failpoints of operations on ledger words, at which tests make a process fail.

package import FileCoordinationSystem

extension MemoryOperation {
    /// The failpoint of the operation; nil if it changes nothing that is in use.
    package var failpointOperation: Failpoint.Operation? {
        switch self {
        case .load: return nil
        case .wake, .wakeForTurn: return .wakes
        case .sleep, .sleepForTurn: return .sleeps
        case .compareExchange(.ledgerEpoch, _, _): return .raisesLedger
        case .compareExchange(.record, let expected, let desired):
            let before = RecordWord(rawValue: expected)
            let after = RecordWord(rawValue: desired)
            if before.state == after.state { return .raisesRecord }
            switch after.state {
            case .free: return .frees
            case .draft: return .drafts
            case .filed: return .asks
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
