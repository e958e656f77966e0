// SPDX-License-Identifier: Apache-2.0
//
// Connects delegations with the arbiter: what is recalled because of an event, the arbiter is told
// of before that event. The item that recalls puts what was found in its own place, and itself
// behind it; when its turn comes again there is nothing left to recall.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Gives a client's ledger, while the client is there.
    var ledgers: Delegations.Ledgers {
        { [clients] id in clients[id]?.ledger }
    }

    /// Recalls what an event concerns; returns whether claims were found that the arbiter is told
    /// of first: then `next` is done afterwards.
    ///
    /// - Parameter bound: when the claim was filed for whose sake it is recalled.
    func recall(before events: [Event], bound: UInt64 = .max, then next: Work) -> Bool {
        var recalled: [Recalled] = []
        for event in events {
            let ids = arbiter.recalls(before: event)
            guard !ids.isEmpty else { continue }
            if case .claimFiled(let claim) = event {
                decide(.delegationsContested(ids, by: claim.client))
            }
            for id in ids {
                recalled += [delegations.recall(id, ledgers)].compactMap { $0 }
                decide(.delegationRecalled(id))
            }
        }
        return follow(recalled, before: bound, then: next)
    }

    /// Has the arbiter be told of what was found, and then `next` done; false if nothing was found,
    /// and then `next` is the caller's to do.
    ///
    /// - Parameter bound: when the claim was filed for whose sake it was recalled.
    @discardableResult
    func follow(
        _ recalled: [Recalled], before bound: UInt64 = .max, then next: Work? = nil
    ) -> Bool {
        let ended = delegations.ended
        delegations.ended = []
        for event in ended { decide(event) }
        return put(recalled, before: bound, then: [next].compactMap { $0 })
    }

    private func put(
        _ recalled: [Recalled], before bound: UInt64 = .max, then next: [Work]
    ) -> Bool {
        let (first, later) = Recalled.steps(for: recalled, before: bound)
        guard !first.isEmpty || !later.isEmpty else { return false }
        work.replace(by: first + next)
        work.insertInOrder(later)
        return true
    }

    /// Has a client tell of the release of a claim that was granted by delegation; false if it does
    /// not run.
    func requestReport(of record: RecordReference, _ client: Client) -> Bool {
        // In a ledger that its client tampers with nothing runs that counts.
        (try? client.ledger.requestReport(for: record, presence.epoch)) == true
    }

    // MARK: Carrying out

    /// Grants a claim whose end its client need not report.
    func grantUnreported(_ claim: ClaimID, _ id: DelegationID) {
        guard let address = records.takeUnnumbered(claim), let client = clients[address.client]
        else { return work.append(.decide(.unreportedClaimEnded(claim))) }
        switch client.ledger.grant(address.record, presence.epoch, isUnreported: true) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(WireRecord(address.record)), to: client)
        case .refused:
            // It was cancelled a moment ago, and says so next; or another server reigns.
            if presence.isDeposed { presence.end(.deposed) }
        }
        delegations.addUnreported(id, claim, in: address.record, of: client.id)
    }

    /// Delegates a place or a directory.
    func delegate(_ delegation: Delegation) {
        if let client = delegation.client.flatMap({ clients[$0] }), client.connection != nil,
            delegations.delegate(delegation, client.ledger)
        {
            return
        }
        work.append(.decide(.delegationRecalled(delegation.id)))
    }

    /// Takes a delegation back because the arbiter wants to decide; it is told first of what runs
    /// there.
    func recall(_ id: DelegationID) {
        let isQueue = delegations.ticketQueues.number(of: id) != nil
        let recalled = [delegations.recall(id, ledgers)].compactMap { $0 }
        let answer = isQueue ? delegations.ended.popLast() : nil
        let next = [Work.decide(answer ?? .delegationRecalled(id))]
        if !put(recalled, then: next) { work.replace(by: next) }
    }

    // MARK: Ticket queues

    /// Begins a ticket queue of these clients at a place, if they all take part.
    func openQueue(at path: ItemPath, _ members: [QueueMember]) {
        for member in members {
            guard let client = clients[member.client], client.connection != nil,
                client.ledger.waitsInTicketQueues, !processes.wasStopped(client.id)
            else { return }
        }
        let (id, recalled) = delegations.beginTicketQueue(at: path, members, ledgers)
        let ended = delegations.ended
        delegations.ended = []
        _ = put(recalled, then: [])
        // Before anything else is decided, here or where another one has ended.
        let begun = id.map { [Work.decide(.queueOpened($0, at: path, members))] } ?? []
        work.replace(by: begun + ended.map { .decide($0) })
    }

    /// What is to be thought of a record, if it is one of a ticket queue: that ends, because the
    /// arbiter must decide about it; nil if the record is looked at again, or nothing is left of
    /// it.
    func outsideOfTicketQueues(
        _ snapshot: RecordSnapshot, _ look: RecordLook, _ client: Client
    ) -> RecordSnapshot? {
        let waits = snapshot.state == .asked && snapshot.flags.contains(.inTicketQueue)
        guard snapshot.kind == .claim,
            waits || delegations.hasTicketQueues && isNews(snapshot, client)
        else { return snapshot }
        if let ticketQueue = delegations.ticketQueue(at: client.ledger.place(ofClaim: look.record)),
            let found = delegations.endTicketQueue(ticketQueue, ledgers)
        {
            let bound = min(look.bound, waits ? snapshot.filedAt : .max)
            if !follow([found], before: bound, then: .look(look)) {
                work.replace(by: [.look(look)])
            }
            work.replace(by: [.makeKnown(look)])
            return nil
        }
        guard waits else { return snapshot }
        // A client that has left the ticket queue meanwhile has the record as it wants it.
        _ = try? client.ledger.requestReport(for: look.record, presence.epoch)
        let now = client.ledger.snapshot(ofRecord: look.record.index)
        return now?.flags.contains(.inTicketQueue) == true ? nil : now
    }

    /// Whether it is, or was, a claim that was not this server's to decide, or is one that it has
    /// not been told of.
    private func isNews(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
        switch snapshot.state {
        case .granted, .released: snapshot.flags.contains(.unreported)
        case .cancelled:
            records.known(at: snapshot.reference.index, of: client.id)?.generation
                != snapshot.reference.generation
        case .asked, .draft, .free: false
        }
    }
}
