// SPDX-License-Identifier: Apache-2.0
//
// Connects delegations with the arbiter: what is recalled because of an event, the arbiter hears of
// before that event. The item that recalls puts what was found in its own place, and itself behind
// it; when its turn comes again there is nothing left to recall.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Gives a client's ledger, while the client is there.
    var ledgers: Delegations.Ledgers {
        { [clients] id in clients[id]?.ledger }
    }

    /// Takes delegations back, and ends relays; returns what was found.
    func recall(_ ids: [DelegationID]) -> [Recalled] {
        ids.isEmpty ? [] : delegations.recall(ids, ledgers)
    }

    /// Has the arbiter hear of what was found, and then `next` done; false if nothing was found,
    /// and then `next` is the caller's to do.
    ///
    /// - Parameter bound: when the claim was filed for whose sake it was recalled.
    @discardableResult
    func follow(
        _ recalled: [Recalled], before bound: UInt64 = .max, then next: Work? = nil
    ) -> Bool {
        let (first, later) = Recalled.steps(for: recalled, before: bound)
        guard !first.isEmpty || !later.isEmpty else { return false }
        work.replace(by: first + [next].compactMap { $0 })
        work.insertInOrder(later)
        return true
    }

    /// Has a client tell of the release of a claim that was granted by delegation; false if it does
    /// not run.
    func requestReport(of record: RecordReference, _ client: Client) -> Bool {
        // In a ledger that its client tampers with nothing runs that counts.
        (try? client.ledger.care(for: record, presence.epoch)) == true
    }

    // MARK: Delegating

    /// Grants a claim that no other client has anything to do with, as if it were a delegated one.
    ///
    /// The arbiter hears nothing of it, and its client says nothing of its end.
    func grantQuietly(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, _ client: Client
    ) -> Bool {
        guard body.mayBeQuiet(snapshot), !processes.wasStopped(client.id),
            arbiter.isUncontested(body.items[0].path)
        else { return false }
        switch client.ledger.grant(snapshot.reference, presence.epoch, isQuiet: true) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(WireRecord(snapshot.reference)), to: client)
        case .refused: return false
        }
        let path = body.items[0].path
        delegations.noteQuietClaim(snapshot.reference, of: client.id, at: path)
        // Its own process lets no other claim in by that before it is over.
        if let slot = snapshot.wantedSlot, let request = DelegationRequest(slot, for: path) {
            consider(request, of: client, record: snapshot.reference)
        }
        return true
    }

    /// Decides about what a client would like to have whose claim is over, or was granted quietly.
    func consider(
        _ request: DelegationRequest, of client: Client, record: RecordReference? = nil
    ) {
        guard client.connection != nil else { return }
        let answer = delegations.policy.answer(
            request, of: client.id, waitsInRelays: client.ledger.waitsInRelays,
            isUncontested: isUncontested(request), at: MonotonicClock.now)
        switch answer {
        case .refuse: break
        case .delegate: delegate(request, to: client.id, record: record)
        case .beginRelay: beginRelay(request, client)
        }
    }

    /// Whether no claim and no presenter has to do with what a client would like to have.
    private func isUncontested(_ request: DelegationRequest) -> Bool {
        arbiter.isUncontested(request.path)
    }

    /// Delegates what a client would like to have, once what it had there before is recalled.
    func delegate(_ request: DelegationRequest, to id: ClientID, record: RecordReference?) {
        guard let client = clients[id],
            let former = delegations.obstacles(to: request, of: id, record: record, ledgers)
        else { return }
        let next = Work.delegate(request, to: id, record: record)
        if follow(recall(former), then: next) { return }
        guard isUncontested(request) else { return }
        delegations.delegate(request, to: id, client.ledger)
    }

    // MARK: Relays

    /// Begins a relay of all that have to do with a place, if they all take part.
    private func beginRelay(_ request: DelegationRequest, _ client: Client) {
        guard let contenders = arbiter.contenders(at: request.path) else { return }
        let owners = contenders.compactMap { claim in
            records.address(of: claim).map { (claim: claim, client: $0.client) }
        }
        guard owners.count == contenders.count,
            let members = delegations.policy.members(
                at: request, of: client.id, contenders: owners)
        else { return }
        for (id, slot) in members {
            guard delegations.isFree(slot, of: id), let member = clients[id],
                member.connection != nil, member.ledger.waitsInRelays, !processes.wasStopped(id)
            else { return }
        }
        follow(delegations.beginRelay(at: request.path, members, ledgers))
    }

    /// Lets members of relays have their turns where the claims are over that were granted here.
    func openRelays() {
        delegations.openRelays { arbiter.isUncontested($0) }
    }

    /// What is to be thought of a record, if it is one of a relay: that ends, because the arbiter
    /// has to do with it; nil if the record is looked at again, or nothing is left of it.
    func outsideOfRelays(
        _ snapshot: RecordSnapshot, _ look: RecordLook, _ client: Client
    ) -> RecordSnapshot? {
        let waits = snapshot.state == .asked && snapshot.flags.contains(.inRelay)
        guard snapshot.kind == .claim, waits || delegations.hasRelays && isNews(snapshot, client)
        else { return snapshot }
        if let relay = delegations.relay(at: client.ledger.place(ofClaim: look.record)),
            let found = delegations.endRelay(relay, ledgers)
        {
            let bound = min(look.bound, waits ? snapshot.filedAt : .max)
            if !follow([found], before: bound, then: .look(look)) {
                work.replace(by: [.look(look)])
            }
            work.replace(by: [.makeKnown(look)])
            return nil
        }
        guard waits else { return snapshot }
        // A client that has left the relay meanwhile has the record as it wants it.
        _ = try? client.ledger.care(for: look.record, presence.epoch)
        let now = client.ledger.snapshot(ofRecord: look.record.index)
        return now?.flags.contains(.inRelay) == true ? nil : now
    }

    /// Whether it is, or was, a claim that was not this server's to decide, or is one that it has
    /// not heard of.
    private func isNews(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
        switch snapshot.state {
        case .granted, .released: snapshot.flags.contains(.local)
        case .cancelled:
            records.known(at: snapshot.reference.index, of: client.id)?.generation
                != snapshot.reference.generation
        case .asked, .draft, .free: false
        }
    }
}
