// SPDX-License-Identifier: Apache-2.0
//
// Accesses to items that are handed from process to process in a ticket queue: several processes
// write an item in turn, for a short time each, and wait for each other without the server. If a
// thread has waited for longer than a short time, its claim is filed at its position. The server
// then decides again, and takes cycles, stopped processes and deadlines into account.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    // In a debug build everything is many times slower, especially on a busy machine.
    #if DEBUG
    private static let slowness = 10
    #else
    private static let slowness = 1
    #endif
    /// How long a claim waits for the end of another client's turn before it is filed.
    private static let patienceInTicketQueue: Duration = .milliseconds(slowness * 5)
    /// How long a claim waits for its turn in total before it is filed.
    ///
    /// It can be cancelled only after that.
    private static let longestInTicketQueue: Duration = .milliseconds(slowness * 100)

    /// Waits for the claim's turn; returns nil if the ticket queue has ended.
    func claimInTurn(
        _ local: LocalAccess, at place: DelegatedPlace, _ grant: DelegatedPlace.Grant,
        _ known: (place: KnownPlace?, isVersionless: Bool), at now: Instant
    ) -> LocalBeginning? {
        let record = local.record
        guard let ticketQueues = ticketQueues.ticketQueues(of: grant.word.epoch, in: runtime) else {
            return forget(local, at: place)
        }
        let claim = ledger.claimInTurn(
            record, slot: grant.slot, delegation: grant.word, in: ticketQueues,
            patience: Self.patienceInTicketQueue, limit: now + Self.longestInTicketQueue)
        switch claim {
        case .granted(let turn, let hasWaited):
            vouchForLocalGrant()
            local.setTurn(TurnInTicketQueue(turn, in: ticketQueues))
            // The item's first version may have been made while the access waited.
            if hasWaited || !known.isVersionless { keepVersions(of: local, known.place) }
            return .granted(local, hasWaited: true)
        case .filed: return .filed(fileInPlace(local, at: place, grant))
        case .gone: return forget(local, at: place)
        }
    }

    /// Attaches the item's versions to the write, if there are any.
    private func keepVersions(of local: LocalAccess, _ known: KnownPlace?) {
        let store = services.versions
        let isVersionless = places.withPresent { cache in
            guard let cache, let known else { return false }
            return cache.isStillVersionless(known, in: store.pathBytes)
        }
        if !isVersionless { keepVersions(of: local, known, in: store) }
    }

    /// Discards a claim that was not filed.
    private func forget(_ local: LocalAccess, at place: DelegatedPlace) -> LocalBeginning? {
        local.abandon()
        ledger.discard(local.record)
        place.end(isWriting: local.isWriting)
        return nil
    }

    /// Converts a local access to an ordinary one, because the server decides about its claim now.
    ///
    /// The claim keeps its record, and so its position in the queue (Rule 2.14).
    private func fileInPlace(
        _ local: LocalAccess, at place: DelegatedPlace, _ grant: DelegatedPlace.Grant
    ) -> CoordinatedAccess {
        local.abandon()
        var opening = PlaceOpening.delegated(place, grant)
        opening.becomeFiled(isWriting: local.isWriting)
        let claim = PendingClaim(
            record: local.record, ledger: ledger, opening: opening, isWriting: local.isWriting,
            onEnding: nil, onLongWait: { [link] in link.attend() })
        let early = state.withLock { state in
            state.claims[local.record] = claim
            return state.claims.takeEarlyEnding(of: local.record)
        }
        if let early { giveUp(claim, early) }
        tell(.filed(local.record))
        return CoordinatedAccess(
            adopting: local, waitingFor: claim,
            purpose: Purpose(bytes: ProcessIdentity.purpose(local.purposeNumber)))
    }
}
