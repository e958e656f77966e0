// SPDX-License-Identifier: Apache-2.0
//
// How each planted fault changes the operations of its procedures.

import FileCoordinationLedger

extension Planted {
    /// What happens in place of `operation`.
    ///
    /// If the fault has read a word before this operation, `looked` is that word's value.
    mutating func deviate(
        _ fault: PlantedFault, from operation: MemoryOperation, looked: UInt64?
    ) -> Deviation {
        switch fault {
        case .recordStoreReleasing, .noSecondLook, .filedBeforeLook, .localBeforeLook,
            .reportForgotten:
            deviateWhileFiling(fault, from: operation, looked: looked)
        case .generationIgnored:
            deviateFromGeneration(operation, looked: looked)
        case .birthStoresEpoch, .recoveryDoesNotWake, .withdrawsWhatIsTaken,
            .termsOfFormerDelegation:
            deviateAsServer(fault, from: operation)
        case .provisionalGrantNotConfirmed, .turnTakenInAnyCase:
            deviateWhileWaiting(fault, from: operation)
        case .grantBeforeWord, .wordBeforeBody, .descriptorKeptAcrossFork, .noEpochRaise,
            .markAfterRecord, .scanBeforeRevoke, .passesBeforeRelease, .ticketQueueOpenedEarly,
            .oneShareRevoked, .termsIgnored:
            // These are around the procedures.
            .none(operation)
        }
    }

    /// Faults of a client that files a claim, or grants it itself.
    private mutating func deviateWhileFiling(
        _ fault: PlantedFault, from operation: MemoryOperation, looked: UInt64?
    ) -> Deviation {
        guard case .compareExchange(let cell, let first, let second) = operation,
            case .record = cell
        else { return .none(operation) }
        let (expected, desired) = (RecordWord(rawValue: first), RecordWord(rawValue: second))
        let isShown = expected.state == .free && desired.state == .draft
        switch fault {
        case .recordStoreReleasing where isShown:
            return .perform(.storeReleasing(cell, second), .always(first))
        case .reportForgotten where expected.state == .draft && desired.state == .granted:
            return .swap(cell, expected, desired.with(.granted, .unreported, desired.epoch))
        case .noSecondLook where Procedure.self == FileClaim.self:
            // The procedure reads the epoch before the record becomes visible.
            guard isShown else {
                return .swap(cell, kept ?? expected, desired, .always(first))
            }
            kept = expected
            return .omit(first)
        case .filedBeforeLook where Procedure.self == FileClaim.self:
            guard !isShown else {
                guard let looked else { return .look(.ledgerEpoch) }
                let filed = desired.with(.filed, [], ServerEpoch(truncating: looked))
                kept = filed
                return .swap(cell, expected, filed)
            }
            // The faulty assumption: "if the swap failed, the server has done it".
            return kept == desired
                ? .omit(first) : .swap(cell, kept ?? expected, desired, .always(first))
        case .localBeforeLook where Procedure.self == ClaimLocally.self:
            if isShown {
                let granted = desired.with(.granted, .unreported, epoch)
                kept = granted
                return .swap(cell, expected, granted)
            }
            if desired.state == .granted { return .omit(first) }
            // If the swap fails, a server knows of the claim, and the claim stays granted.
            return .swap(cell, kept ?? expected, desired, .always(first))
        default:
            return .none(operation)
        }
    }

    /// Server and client mean whatever claim the record contains now.
    private mutating func deviateFromGeneration(
        _ operation: MemoryOperation, looked: UInt64?
    ) -> Deviation {
        let isGrant = Procedure.self == GrantClaim.self
        guard isGrant || Procedure.self == CancelClaim.self || Procedure.self == ReapRecord.self
        else { return .none(operation) }
        switch operation {
        case .load(.record):
            return .perform(.sound(operation), .ofGeneration)
        case .compareExchange(.record(let record), let first, let second):
            let (expected, desired) = (RecordWord(rawValue: first), RecordWord(rawValue: second))
            if isGrant {
                guard let looked else { return .look(.record(record)) }
                let word = RecordWord(rawValue: looked)
                guard word.state == .filed, word.epoch == expected.epoch else {
                    return .omit(looked)
                }
                return .swap(
                    .record(record), word, desired.of(generation: word.generation),
                    .exchanged(real: looked, believed: first))
            }
            let word = kept ?? expected
            return .swap(
                .record(record), word, desired.of(generation: word.generation), .ofGeneration)
        case .load, .compareExchange, .wake, .sleep, .wakeForTurn, .sleepForTurn:
            return .none(operation)
        }
    }

    /// Faults of a server, and of a new ledger.
    private func deviateAsServer(
        _ fault: PlantedFault, from operation: MemoryOperation
    ) -> Deviation {
        switch (fault, operation) {
        case (.birthStoresEpoch, .compareExchange(.ledgerEpoch, let expected, let desired))
        where Procedure.self == AdoptEpoch.self:
            return .perform(.store(.ledgerEpoch, desired), .always(expected))
        case (.recoveryDoesNotWake, .wake) where Procedure.self == RaiseLedger.self:
            return .omit(0)
        case (.withdrawsWhatIsTaken, .compareExchange(.record(let record), let first, let second))
        where Procedure.self == WithdrawGrant.self:
            let offer = RecordWord(rawValue: first)
            let taken = offer.with(.granted, [], offer.epoch)
            return .swap(
                .record(record), taken, RecordWord(rawValue: second),
                .exchanged(real: taken.rawValue, believed: first))
        case (.termsOfFormerDelegation, .compareExchange(.slot(let slot), let first, let second)):
            let (former, next) = (SlotWord(rawValue: first), SlotWord(rawValue: second))
            guard former.sequence != 0, next.letsIn else { return .none(operation) }
            let wrong = SlotWord(
                isDelegated: true, inTicketQueue: next.ticketQueue, terms: former.terms,
                next.epoch, sequence: next.sequence)
            return .perform(
                .sound(
                    .compareExchange(.slot(slot), expected: first, desired: wrong.rawValue)),
                .plain)
        default:
            return .none(operation)
        }
    }

    /// Faults of a client that waits.
    private func deviateWhileWaiting(
        _ fault: PlantedFault, from operation: MemoryOperation
    ) -> Deviation {
        switch (fault, operation) {
        case (.provisionalGrantNotConfirmed, .compareExchange(.record, let expected, _))
        where Procedure.self == AwaitGrant.self:
            return .omit(expected)
        case (.turnTakenInAnyCase, .load(.record)) where Procedure.self == AwaitTurn.self:
            return .perform(.sound(operation), .inTicketQueue)
        case (.turnTakenInAnyCase, .compareExchange(.record(let record), let first, let second))
        where Procedure.self == AwaitTurn.self:
            let real = kept ?? RecordWord(rawValue: first)
            return .swap(
                .record(record), real, RecordWord(rawValue: second),
                .exchanged(real: real.rawValue, believed: first))
        default:
            return .none(operation)
        }
    }
}
