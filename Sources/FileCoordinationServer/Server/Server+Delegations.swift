// SPDX-License-Identifier: Apache-2.0
//
// Recalls delegations before the arbiter decides. If an event concerns a delegated path, the server
// recalls the delegation first and tells the arbiter about the claims that run under it. The item
// of work that causes a recall queues those claims in its own place and itself behind them. When it
// is performed again, nothing is left to recall.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Returns a closure that finds a client's ledger, or nil if the client is gone.
    var ledgers: Delegations.Ledgers {
        { [clients] id in clients[id]?.ledger }
    }

    /// Recalls the delegations that events concern.
    ///
    /// - Parameters:
    ///   - events: the events, of which the arbiter has not been told yet.
    ///   - bound: the filing time of the claim that causes the recall.
    ///   - next: what to do after the arbiter has been told of the claims that were found.
    /// - Returns: whether claims were found; `next` is queued behind them then. Else the caller
    ///   continues by itself.
    @discardableResult
    mutating func recall(before events: [Event], bound: UInt64 = .max, then next: Work?) -> Bool {
        var recalled: [Recalled] = []
        for event in events {
            let ids = arbiter.recalls(before: event)
            guard !ids.isEmpty else { continue }
            for id in ids {
                recalled += [delegations.recall(id, ledgers)].compactMap { $0 }
                decide(.delegationRecalled(id))
            }
        }
        return follow(recalled, before: bound, then: next)
    }

    /// Queues the claims that a recall has found, and `next` behind them.
    ///
    /// - Parameters:
    ///   - recalled: what the recall has found.
    ///   - bound: the filing time of the claim that caused the recall.
    ///   - next: what to do after the arbiter has been told of the claims.
    /// - Returns: whether there were any; else the caller continues by itself.
    @discardableResult
    mutating func follow(
        _ recalled: [Recalled], before bound: UInt64 = .max, then next: Work? = nil
    ) -> Bool {
        if recalled.isEmpty { return false }
        for event in recalled.compactMap(\.queueClosed) { decide(event) }
        return put(recalled, before: bound, then: [next].compactMap { $0 })
    }

    private mutating func put(
        _ recalled: [Recalled], before bound: UInt64 = .max, then next: [Work]
    ) -> Bool {
        let (first, later) = Recalled.steps(for: recalled, before: bound)
        guard !first.isEmpty || !later.isEmpty else { return false }
        work.replace(by: first + next)
        work.insertInOrder(later)
        return true
    }

    /// Asks a client, through a flag in the record, to report the release of a claim that it
    /// granted by delegation.
    ///
    /// Returns false if the claim is not running any more.
    func requestReport(of record: RecordReference, _ client: Client) -> Bool {
        // The ledger of a client that tampers with it yields an error. The claim then counts as not
        // running.
        (try? client.ledger.requestReport(for: record, presence.epoch)) == true
    }

    // MARK: Carrying out

    /// Grants a claim whose release the client need not report.
    mutating func grantUnreported(_ claim: ClaimID, _ id: DelegationID) {
        guard let address = records.takeUnnumbered(claim), let client = clients[address.client]
        else { return work.append(.decide(.unreportedClaimEnded(claim))) }
        switch client.ledger.grant(address.record, presence.epoch, isUnreported: true) {
        case .granted: break
        case .grantedWantsMessage: send(.granted(address.record), to: client)
        case .refused:
            // The client has cancelled the claim concurrently and reports that next, or another
            // server has taken the role.
            if presence.isDeposed { presence.end(.deposed) }
        }
        delegations.addUnreported(id, claim, in: address.record, of: client.id)
    }

    /// Delegates a path or a directory to a client.
    ///
    /// If that is impossible, the arbiter is told that the delegation has been recalled.
    mutating func delegate(_ delegation: Delegation) {
        if let client = delegation.client.flatMap({ clients[$0] }), client.connection != nil,
            delegations.delegate(delegation, client.ledger)
        {
            return
        }
        work.append(.decide(.delegationRecalled(delegation.id)))
    }

    /// Recalls a delegation because the arbiter must decide about its path.
    ///
    /// The claims that run under it are reported to the arbiter first.
    mutating func recall(_ id: DelegationID) {
        let recalled = delegations.recall(id, ledgers)
        let next = [Work.decide(recalled?.queueClosed ?? .delegationRecalled(id))]
        if !put([recalled].compactMap { $0 }, then: next) { work.replace(by: next) }
    }

    // MARK: Ticket queues

    /// Starts a ticket queue for these clients at a path.
    mutating func openQueue(at path: ItemPath, _ members: [QueueMember]) {
        for member in members {
            guard let client = clients[member.client], client.connection != nil,
                !processes.wasStopped(client.id)
            else { return }
        }
        let (id, recalled) = delegations.beginTicketQueue(at: path, members, ledgers)
        _ = put(recalled, then: [])
        // The arbiter must learn of the new queue, and of queues that have ended meanwhile, before
        // it decides anything else.
        let begun = id.map { [Work.decide(.queueOpened($0, at: path, members))] } ?? []
        work.replace(by: begun + recalled.compactMap(\.queueClosed).map { .decide($0) })
    }

    /// Ends a record's ticket queue, if it belongs to one, because the arbiter must decide about
    /// the record.
    ///
    /// Returns the record as it is afterwards. Returns nil if the record is looked at again later,
    /// or if nothing is left of it.
    mutating func outsideOfTicketQueues(
        _ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client
    ) -> RecordSnapshot? {
        let waits = snapshot.state == .asked && snapshot.flags.contains(.inTicketQueue)
        guard snapshot.kind == .claim,
            waits || delegations.hasTicketQueues && isUnknownToArbiter(snapshot, client)
        else { return snapshot }
        if let ticketQueue = delegations.ticketQueue(
            at: client.ledger.place(ofClaim: check.record)),
            let found = delegations.endTicketQueue(ticketQueue, ledgers)
        {
            let bound = min(check.bound, waits ? snapshot.filedAt : .max)
            if !follow([found], before: bound, then: .check(check)) {
                work.replace(by: [.check(check)])
            }
            work.replace(by: [.makeKnown(check)])
            return nil
        }
        guard waits else { return snapshot }
        // A client that has left the ticket queue meanwhile has cleared the record's flag by
        // itself.
        _ = try? client.ledger.requestReport(for: check.record, presence.epoch)
        let now = client.ledger.snapshot(ofRecord: check.record.index)
        return now?.flags.contains(.inTicketQueue) == true ? nil : now
    }

    /// Returns whether the client granted, ended or cancelled the claim without this server, so
    /// that the arbiter does not know it yet.
    private func isUnknownToArbiter(_ snapshot: RecordSnapshot, _ client: Client) -> Bool {
        switch snapshot.state {
        case .granted, .released: snapshot.flags.contains(.unreported)
        case .cancelled:
            records.known(at: snapshot.reference.index, of: client.id)?.generation
                != snapshot.reference.generation
        case .asked, .draft, .free: false
        }
    }
}
