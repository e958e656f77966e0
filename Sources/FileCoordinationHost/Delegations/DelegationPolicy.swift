// SPDX-License-Identifier: Apache-2.0
//
// Decides what is delegated, and when: a place to one client that has it to itself, or to several
// that write it by turns. It decides and remembers, and touches no ledger: what it decides is
// carried out by Delegations.
//
// The client names a slot of its ledger in the record of an ordinary claim. When that is over, or
// as soon as it is granted quietly, and no other client has anything to do with the place, the
// place is delegated. A place that is contested is not, until it has been calm for a while; one
// that goes from client to client, quickly and often, goes into a relay.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

/// What a client would like to have, and the slot for it.
struct DelegationRequest: Hashable {
    /// The item, or the directory.
    let path: ItemPath
    let slot: WantedSlot
    /// Whether its claim was granted only after a wait.
    var hasWaited = false

    /// What the client means by the slot that its claim on an item names; nil if no client gets
    /// that.
    init?(_ slot: WantedSlot, for item: ItemPath) {
        self.slot = slot
        guard slot.isForDirectory else {
            path = item
            return
        }
        guard item.depth > 1 else { return nil }
        path = item.prefix(depth: item.depth - 1)
    }
}

/// Decides about delegations.
struct DelegationPolicy {
    private var contested = ContestedPlaces()
    /// What clients would like to have that is their own until now, by claim.
    private var requests: [ClaimID: DelegationRequest] = [:]
    /// How quickly a place must go from client to client to go without the server.
    private let handoverTime: UInt64

    init(handoverTime: UInt64) { self.handoverTime = handoverTime }

    // MARK: Requests

    /// Notes what the client of a claim would like to have.
    ///
    /// - Parameter hasMoved: of what was moved meanwhile the client means the old place.
    mutating func note(_ claim: FiledClaim, _ slot: WantedSlot?, hasMoved: Bool) {
        guard let slot, claim.kind == .access, claim.items.count == 1,
            claim.items[0].isDelegable, !hasMoved
        else { return }
        requests[claim.id] = DelegationRequest(slot, for: claim.items[0].path)
    }

    /// Notes that a claim is granted only after a wait.
    mutating func noteWait(of claim: ClaimID) { requests[claim]?.hasWaited = true }

    /// Takes out what the client of a claim that is over would like to have.
    mutating func takeRequest(of claim: ClaimID) -> DelegationRequest? {
        requests.removeValue(forKey: claim)
    }

    // MARK: Decisions

    /// What becomes of a request.
    enum Answer: Hashable {
        case refuse
        /// Delegate it, once what is in the way is taken back.
        case delegate
        /// It is contested, and goes from client to client: begin a relay if all take part.
        case beginRelay
    }

    /// Decides about what a client would like to have, after a claim of it is over or was granted
    /// quietly.
    mutating func answer(
        _ request: DelegationRequest, of client: ClientID, waitsInRelays: Bool,
        isUncontested: Bool, at now: UInt64
    ) -> Answer {
        guard isUncontested else {
            // A client that never has to wait contends with no other.
            guard request.hasWaited, !request.slot.isForDirectory, waitsInRelays,
                contested.isHandedOverOften(
                    request.path, by: client, at: now, within: handoverTime)
            else { return .refuse }
            return .beginRelay
        }
        guard !request.hasWaited else {
            contested.note(request.path, wantedBy: client, at: now)
            return .refuse
        }
        return contested.isCalm(request.path, afterUseBy: client, at: now) ? .delegate : .refuse
    }

    /// The members of a relay at a place, and by which slots; nil if it is not to be handed over
    /// among them.
    ///
    /// - Parameter contenders: all claims at the place, with their clients.
    func members(
        at request: DelegationRequest, of client: ClientID,
        contenders: [(claim: ClaimID, client: ClientID)]
    ) -> [(client: ClientID, slot: Int)]? {
        var slots = [client: request.slot.number]
        for contender in contenders {
            guard let other = requests[contender.claim], other.path == request.path,
                !other.slot.isForDirectory
            else { return nil }
            slots[contender.client] = other.slot.number
        }
        guard slots.count > 1 else { return nil }
        return slots.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Notes that a client wants what another one has.
    mutating func noteContest(of path: ItemPath, by client: ClientID, at now: UInt64) {
        contested.note(path, wantedBy: client, at: now)
    }

    /// Notes that a relay has ended in which there were so many turns.
    mutating func noteRelay(at path: ItemPath, turns: Int) {
        contested.noteRelay(at: path, turns: turns)
    }
}

extension ClaimBody {
    /// Whether a claim may be granted quietly, if no other client has to do with its place: as if
    /// it were a delegated one.
    func mayBeQuiet(_ snapshot: RecordSnapshot) -> Bool {
        snapshot.ticket == 0 && kind == .access && items.count == 1 && items[0].isDelegable
            && enclosing.isEmpty && standpoint == nil
    }
}
