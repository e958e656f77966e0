// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose. A checker that has never caught anything is decoration, so each of these
// breaks the protocol in one place, and the tests demand that every one is caught. Nothing but the
// tests and their child program can select one.

/// A way in which the protocol could be wrong.
package enum LedgerFault: String, Hashable, Sendable, CaseIterable {
    /// The server tells the client "granted" first, and writes the word afterwards.
    case grantBeforeWord
    /// The client files the word first, and writes the body afterwards.
    case wordBeforeBody
    /// The client keeps the locked descriptor open, and so its forked children have the lock.
    case descriptorKeptAcrossFork
    /// The client writes its record with a releasing store instead of a swap before it looks at
    /// the ledger epoch or at the slot.
    case recordStoreReleasing
    /// A new server does not raise the global epoch.
    case noEpochRaise
    /// The client does not look at the ledger epoch after it filed.
    case noSecondLook
    /// The client files `asked` at once, and looks at the ledger epoch afterwards.
    case askedBeforeLook
    /// A delegated claim is `granted` at once, and looks at the slot afterwards.
    case localBeforeLook
    /// Server and client grant, reap and cancel whatever claim is in the record by then.
    case generationIgnored
    /// A newborn ledger's epoch is stored, not raised.
    case birthStoresEpoch
    /// The new server does not wake those whose grant the old one did not live to announce.
    case recoveryDoesNotWake
    /// The client extends the mark of used records after it filed.
    case markAfterRecord
    /// The client enters its accessor on an offer, without taking it up.
    case provisionalGrantNotConfirmed
    /// The server takes back grants that were taken up.
    case withdrawsWhatIsTaken
    /// The server scans the owner's records first, and clears the slot afterwards.
    case scanBeforeRevoke
    /// The client grants itself its claim when its turn has come, also one of which the server
    /// decides by now.
    case turnTakenInAnyCase
    /// The client lets the next one have its turn before its own claim is over.
    case passesBeforeRelease
    /// The server opens a ticket queue while claims run there that it has granted.
    case ticketQueueOpenedEarly
    /// The server grants a write when all but one of the shared delegations have been recalled.
    case oneShareRevoked
    /// The client grants itself a write where it may only read.
    case termsIgnored
    /// The client grants itself a write whose end it should report, and does not.
    case reportForgotten
    /// The server delegates a place on the terms of what was in the slot before.
    case termsOfFormerDelegation
}
