// SPDX-License-Identifier: Apache-2.0
//
// Deliberate faults of the protocol. A checker that never finds anything proves nothing. Each fault
// breaks the protocol in one place, and the tests require that every one is detected. The product
// knows nothing of them: a fault changes what one of its procedures does on the way to memory
// (`Planted`), or it is in what the model and the tests' small server do around the procedures.

/// A deliberate fault of the protocol.
package enum PlantedFault: String, Hashable, Sendable, CaseIterable {
    /// The server tells the client "granted" before it changes the word.
    case grantBeforeWord
    /// The client changes the word before it writes the body.
    case wordBeforeBody
    /// The client keeps the locked descriptor open, so that forked children hold the lock, too.
    case descriptorKeptAcrossFork
    /// The client makes its record visible with a releasing store instead of a compare-and-swap,
    /// before it checks the ledger's epoch or the slot.
    case recordStoreReleasing
    /// A new server does not raise the global epoch.
    case noEpochRaise
    /// The client does not check the ledger's epoch after it made the record visible.
    case noSecondLook
    /// The client files `filed` at once, and checks the ledger's epoch afterwards.
    case filedBeforeLook
    /// The client makes a delegated claim `granted` at once, and checks the slot afterwards.
    case localBeforeLook
    /// Server and client grant, reap and cancel whatever claim the record contains now.
    case generationIgnored
    /// A new ledger's epoch is stored instead of raised.
    case birthStoresEpoch
    /// The new server does not wake clients whose grant the former server did not announce.
    case recoveryDoesNotWake
    /// The client raises the mark of used records after it has filed a record.
    case markAfterRecord
    /// The client runs its accessor under a provisional grant without taking that up.
    case provisionalGrantNotConfirmed
    /// The server withdraws grants that were taken up.
    case withdrawsWhatIsTaken
    /// The server scans the owner's records before it clears the slot.
    case scanBeforeRevoke
    /// The client grants itself its claim when its turn has come, even if a server decides about
    /// the claim now.
    case turnTakenInAnyCase
    /// The client passes its turn on before it has released its claim.
    case passesBeforeRelease
    /// The server opens a ticket queue while claims that it has granted are running there.
    case ticketQueueOpenedEarly
    /// The server grants a write when all but one of the shared delegations have been recalled.
    case oneShareRevoked
    /// The client grants itself a write under a delegation for reads.
    case termsIgnored
    /// The client grants itself a write and does not report its end, although it must.
    case reportForgotten
    /// The server delegates an item with the terms of the slot's former delegation.
    case termsOfFormerDelegation
}
