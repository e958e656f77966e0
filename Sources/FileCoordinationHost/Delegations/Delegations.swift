// SPDX-License-Identifier: Apache-2.0
//
// Carries out what is decided about delegations: writes slot words, takes them back, and reports
// what was found running there. DelegationPolicy decides.
//
// Before the arbiter hears of a claim, a presenter or a move, the delegations that it concerns are
// recalled: their slots are cleared, and the local claims that run become claims like any other,
// which the arbiter is told of first. That waits for no client and sends no message, so a stopped
// one does no harm. A server that takes over knows of none: its epoch ends them all.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// What is delegated in ledgers.
struct Delegations {
    var policy: DelegationPolicy
    private(set) var registry = DelegationRegistry()
    var relays = Relays()
    /// The memory in which relays are, once there is one.
    var relayMemory: RelayFile?
    /// Where that is; nil if no relay may begin.
    private(set) var relayDirectory: Directory?
    let epoch: HostEpoch

    /// Gives a client's ledger, while the client is there.
    typealias Ledgers = (ClientID) -> LedgerReader?

    init(epoch: HostEpoch, in directory: Directory, policy: DelegationPolicy) {
        self.epoch = epoch
        self.policy = policy
        relayDirectory = directory
    }

    /// No relay begins any more: what members would map is not what others find.
    mutating func stopRelays() { relayDirectory = nil }

    // MARK: What concerns what

    /// What a claim has to do with.
    enum Concern: Hashable {
        case none
        /// It was under way when the relay at its place began: it is one of those that come first.
        case isUnderWay
        /// These have to be recalled.
        case recall([DelegationID])
    }

    /// What a claim on these items has to do with; `record` is its own.
    func concern(
        of items: [AccessItem], in record: RecordReference, of client: ClientID
    ) -> Concern {
        guard !registry.isEmpty else { return .none }
        let concerned = registry.book.concerned(by: items)
        guard !concerned.isEmpty else { return .none }
        if let relay = concerned.lazy.compactMap({ registry[$0]?.relay }).first,
            wasUnderWay(relay, items, of: client)
        {
            return .isUnderWay
        }
        // What was in its record before is over.
        let former = registry.claim(of: client, in: record.index)
        let rest = concerned.filter { $0 != former }
        return rest.isEmpty ? .none : .recall(rest)
    }

    /// What a presenter of these places has to do with.
    func concerned(byPresenterAt paths: [ItemPath]) -> [DelegationID] {
        guard !registry.isEmpty else { return [] }
        return paths.flatMap { registry.book.concerned(byPresenterAt: $0) }
    }

    /// What is at places that items leave or come to.
    func concerned(by announcement: Announcement) -> [DelegationID] {
        guard !registry.isEmpty else { return [] }
        switch announcement {
        case .moved(let moves): return moves.flatMap { concerned(byPresenterAt: [$0.old, $0.new]) }
        // These concern presenters alone, and where one is nothing is delegated.
        case .versionChanged, .ubiquityAttributesChanged: return []
        }
    }

    // MARK: Delegating

    /// What has to be recalled before a client gets what it would like to have; nil if it does not
    /// get that.
    ///
    /// - Parameter record: the claim that names the slot, if it runs.
    mutating func obstacles(
        to request: DelegationRequest, of client: ClientID, record: RecordReference?,
        _ ledgers: Ledgers
    ) -> [DelegationID]? {
        // What was delegated in the slot before is of no use to the client any more; nor is what it
        // has inside a directory when it has all of that.
        var former =
            registry.delegation(of: client, in: request.slot.number).map { [$0] } ?? []
        let overlapping =
            request.slot.isForDirectory
            ? registry.book.overlapping(inside: request.path)
            : registry.book.overlapping(request.path)
        let own = record.flatMap { registry.claim(of: client, in: $0.index) }
        for id in overlapping where id != own && !isOver(id, ledgers) {
            guard request.slot.isForDirectory, let entry = registry[id], entry.slot != nil,
                entry.client == client
            else { return nil }
            if !former.contains(id) { former.append(id) }
        }
        return former
    }

    /// Delegates what a client would like to have.
    mutating func delegate(
        _ request: DelegationRequest, to client: ClientID, _ ledger: LedgerReader
    ) {
        let slot = request.slot.number
        // A ledger that its client tampers with, or another server's, is not delegated anything.
        guard let word = try? ledger.delegate(slot: slot, epoch) else { return }
        registry.insert(
            request.slot.isForDirectory ? .directory(slot: slot, word) : .place(slot: slot, word),
            of: client, at: request.path)
    }

    /// Notes that a claim was granted quietly.
    mutating func noteQuietClaim(
        _ record: RecordReference, of client: ClientID, at path: ItemPath
    ) {
        registry.insert(.claim(record), of: client, at: path)
    }

    /// Whether this is a claim that is over; then it is discarded.
    mutating func isOver(_ id: DelegationID, _ ledgers: Ledgers) -> Bool {
        guard let entry = registry[id], case .claim(let record) = entry.subject else {
            return false
        }
        if ledgers(entry.client)?.runs(record) == true { return false }
        _ = registry.remove(id)
        return true
    }

    /// Notes what is delegated in a relay.
    mutating func insert(
        _ subject: DelegationRegistry.Subject, of client: ClientID, at path: ItemPath
    ) -> DelegationID {
        registry.insert(subject, of: client, at: path)
    }

    /// Discards one that is not delegated any more.
    mutating func remove(_ id: DelegationID) -> DelegationRegistry.Entry? { registry.remove(id) }

    /// Notes that a client wants what others have: these places are contested from now on.
    mutating func noteContest(of ids: [DelegationID], by client: ClientID, at now: UInt64) {
        for id in ids {
            guard let entry = registry[id], entry.slot != nil, entry.client != client else {
                continue
            }
            policy.noteContest(of: entry.path, by: client, at: now)
        }
    }

    // MARK: Recalling

    /// Takes delegations back, and ends relays; returns what was found.
    mutating func recall(_ ids: [DelegationID], _ ledgers: Ledgers) -> [Recalled] {
        ids.compactMap { id in
            if let relay = registry[id]?.relay { return endRelay(relay, ledgers) }
            guard let entry = registry.remove(id), let ledger = ledgers(entry.client) else {
                return nil
            }
            switch entry.subject {
            case .turn: return nil
            case .place(let slot, let word), .directory(let slot, let word):
                // A ledger that its client tampers with is of no use to anybody but the client.
                let held = (try? ledger.revoke(slot: slot, word, epoch)) ?? []
                return Recalled(held: held.map { FoundClaim(entry.client, $0) })
            case .claim(let record):
                guard ledger.runs(record), let snapshot = ledger.snapshot(ofRecord: record.index)
                else { return nil }
                return Recalled(held: [FoundClaim(entry.client, snapshot)])
            }
        }
    }

    /// Recalls what one client has that is gone: nothing that its own records say counts any more.
    mutating func removeClient(_ client: ClientID, _ ledgers: Ledgers) -> [Recalled] {
        var recalled: [Recalled] = []
        for id in registry.delegations(of: client) {
            if let relay = registry[id]?.relay,
                let found = endRelay(relay, except: client, ledgers)
            {
                recalled.append(found)
            }
        }
        for id in registry.delegations(of: client) { _ = registry.remove(id) }
        return recalled
    }
}
