// SPDX-License-Identifier: Apache-2.0
//
// Accesses at places that go from process to process in a ticket queue: several processes write
// them one after the other, for a moment each, and wait for each other without an arbiter. A thread
// that has waited for longer than a moment has its claim filed, where it stands; then an arbiter
// decides again, and knows of whatever else there is to know: cycles, stopped processes, deadlines.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// A turn in a ticket queue, to be passed on.
final class TurnInTicketQueue: Sendable {
    private let ticketQueues: TicketQueueFile
    private let turn: QueueTurn

    init(_ turn: QueueTurn, in ticketQueues: TicketQueueFile) {
        self.ticketQueues = ticketQueues
        self.turn = turn
    }

    /// Gives the turn to the next one in the ticket queue.
    func pass() { ticketQueues.pass(turn) }
}

/// The ticket queues of the server that this process was told of last.
///
/// May be used from any thread.
final class KnownTicketQueues: Sendable {
    private let state = Lock(State())

    private struct State {
        var file: TicketQueueFile?
    }

    /// The ticket queues of a server; nil if its file is not to be found.
    func ticketQueues(of epoch: ServerEpoch, in runtime: RuntimeDirectory) -> TicketQueueFile? {
        state.withLock { state in
            if let file = state.file, file.epoch == epoch { return file }
            // By its path: the server may have had to make the directory anew.
            let directory = (try? Directory.open(runtime.path)) ?? runtime.directory
            // Without the file the claim is filed.
            state.file = try? TicketQueueFile(directory: directory, epoch: epoch)
            return state.file
        }
    }
}

extension Session {
    // A debug build is many times slower in all that it does, above all on a busy machine.
    #if DEBUG
    private static let slowness: UInt64 = 10
    #else
    private static let slowness: UInt64 = 1
    #endif
    /// For so long, in nanoseconds, a claim waits for a turn of another client to end before it is
    /// filed.
    private static let patienceInTicketQueue: UInt64 = slowness * 5_000_000
    /// No claim waits longer for its turn, in nanoseconds: only then it can be cancelled.
    private static let longestInTicketQueue: UInt64 = slowness * 100_000_000

    /// Has a claim wait for its turn; nil if the ticket queue has ended.
    func claimInTurn(
        _ local: LocalAccess, at place: DelegatedPlace, _ grant: DelegatedPlace.Grant,
        _ known: (place: KnownPlace?, isVersionless: Bool), at now: UInt64
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
            local.setTurn(TurnInTicketQueue(turn, in: ticketQueues))
            // The first version may have been made while the access waited.
            if hasWaited || !known.isVersionless { keepVersions(of: local, known.place) }
            return .granted(local, hasWaited: true)
        case .filed: return .filed(fileInPlace(local, at: place, grant))
        case .gone: return forget(local, at: place)
        }
    }

    /// Lets the item's versions stay with it, in its turn, if it has any.
    private func keepVersions(of local: LocalAccess, _ known: KnownPlace?) {
        let store = services.versions
        let isVersionless = places.withPresent { cache in
            guard let cache, let known else { return false }
            return cache.isStillVersionless(known, in: store.pathBytes)
        }
        if !isVersionless { keepVersions(of: local, known, in: store) }
    }

    /// Forgets a claim that was not filed.
    private func forget(_ local: LocalAccess, at place: DelegatedPlace) -> LocalBeginning? {
        local.abandon()
        ledger.discard(local.record)
        place.end(isWriting: local.isWriting)
        return nil
    }

    /// Makes an ordinary access of one whose claim a server decides of: it keeps its record, and so
    /// its place in the queue (Rule 2.14).
    private func fileInPlace(
        _ local: LocalAccess, at place: DelegatedPlace, _ grant: DelegatedPlace.Grant
    ) -> CoordinatedAccess {
        local.abandon()
        var opening = DelegatedPlaces.Opening.delegated(place, grant)
        opening.becomeFiled(isWriting: local.isWriting)
        let claim = PendingClaim(
            record: local.record, ledger: ledger, opening: opening, isWriting: local.isWriting,
            onEnding: nil, onLongWait: { [link] in link.attend() })
        state.withLock { $0.claims[local.record] = claim }
        announce(.filed(WireRecord(local.record)))
        return CoordinatedAccess(
            adopting: local, waitingFor: claim,
            purpose: Purpose(ProcessIdentity.purpose(local.purposeNumber)))
    }
}
