// SPDX-License-Identifier: Apache-2.0
//
// New claims: of coordinators with and without a presenter, with several items, batches, inside
// accessors.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    mutating func file() {
        guard claims.count < faults.claims, let client = dice.one(of: running) else { return }
        let kind: ClaimKind = dice.one(in: 12) ? .preparation : .access
        let items = items()
        file(
            client, purpose(of: client), items, kind: kind, blocksCaller: !dice.one(in: 4),
            request: request(of: client, for: items))
    }

    /// What a client asks for with a claim: it has a slot for each place, and one for each
    /// directory.
    private mutating func request(
        of client: ClientID, for items: [AccessItem]
    ) -> DelegationRequest? {
        guard faults.delegates, items.count == 1,
            let place = Place.all.firstIndex(where: { $0.path == items[0].path })
        else { return nil }
        let directory = items[0].path.prefix(depth: max(0, items[0].path.depth - 1))
        let slot = Place.all.firstIndex { $0.path == directory }
        if let slot, dice.one(in: 5) {
            return DelegationRequest(slot: 100 + slot, forDirectory: true)
        }
        var request = DelegationRequest(slot: place)
        request.excludesLocalClaims = !claims.contains { claim in
            claim.isHidden && claim.filed.client == client
                && claim.filed.items.contains { $0.path == items[0].path }
        }
        return request
    }

    var running: [ClientID] { clients.filter { !$0.isStopped }.map(\.id) }

    /// Files a claim; returns its serial number.
    @discardableResult
    mutating func file(
        _ client: ClientID, _ purpose: Purpose, _ items: [AccessItem], inside: [ClaimID] = [],
        kind: ClaimKind = .access, blocksCaller: Bool = true, request: DelegationRequest? = nil
    ) -> ClaimID {
        serial += 1
        coverage.count(.claims)
        if kind == .preparation { coverage.count(.batches) }
        var filed = FiledClaim(
            id: ClaimID(rawValue: serial), client: client, purpose: purpose, items: items,
            enclosing: inside, kind: kind, blocksCaller: blocksCaller, request: request,
            mayGoUnreported: faults.delegates && !isOfPresenter(purpose) && !dice.one(in: 4),
            precedesQueue: isBeforeQueue(client, items))
        filed.former = takeFormer(of: client)
        claims.append(SimulatedClaim(filed: filed))
        tell(.claimFiled(filed), .filed(Claim(filed)))
        return filed.id
    }

    /// Whether a presenter's coordinator files the claim; its ends are always reported.
    private func isOfPresenter(_ purpose: Purpose) -> Bool {
        presenters.contains { $0.registered.purpose == purpose }
    }

    /// Whether a member of a queue that is not open yet
    /// files a claim that it had begun to file before.
    private func isBeforeQueue(_ client: ClientID, _ items: [AccessItem]) -> Bool {
        guard items.count == 1, items[0].access == .writing(.plain) else { return false }
        return delegations.queues.contains { id, members in
            delegations.queuePaths[id] == items[0].path && !delegations.openQueues.contains(id)
                && members.contains { $0.client == client }
        }
    }

    /// A call inside an accessor, with the same coordinator or another one.
    mutating func nest() {
        guard claims.count < faults.claims + 2, let outer = dice.one(of: finishable) else {
            return
        }
        makeKnown(outer.id)
        guard !isRecalling else { return }
        if let index = index(outer.id) { claims[index].isTaken = true }
        let purpose =
            dice.one(in: 3) ? purpose(of: outer.filed.client) : outer.filed.purpose
        let alive = outer.filed.enclosing.filter { claim($0) != nil }
        file(
            outer.filed.client, purpose, dice.one(in: 3) ? outer.filed.items : items(),
            inside: alive + [outer.id], blocksCaller: !dice.one(in: 5))
    }

    /// Mostly the purpose of a coordinator of its own.
    mutating func purpose(of client: ClientID) -> Purpose {
        let own = presenters.filter { $0.client == client }
        switch dice.below(8) {
        case 0: return Purpose("common")
        case 1: return Purpose("client \(client.rawValue)")
        case 2, 3: if let presenter = dice.one(of: own) { return presenter.registered.purpose }
        default: break
        }
        return Purpose("call \(serial + 1)")
    }

    mutating func items() -> [AccessItem] {
        if faults.isPlain, !dice.one(in: 8) {
            let access: Access = dice.below(10) < faults.reads ? .reading([]) : .writing(.plain)
            return dice.one(of: faults.places).map { [$0.item(access)] } ?? []
        }
        let count =
            switch dice.below(16) {
            case 0: 0
            case 1: 3
            case 2, 3, 4: 2
            default: 1
            }
        return (0..<count).compactMap { _ in
            dice.one(of: faults.places)?.item(access())
        }
    }

    mutating func access() -> Access {
        if dice.below(10) < faults.reads {
            let options: ReadingOptions = dice.one(in: 3) ? .withoutChanges : []
            return .reading(dice.one(in: 6) ? options.union(.includingContents) : options)
        }
        guard dice.one(in: 2) else {
            return .writing(dice.one(in: 6) ? .includingContents : .plain)
        }
        // One option as a rule, sometimes any set of them (Rule 2.8b).
        let bits = dice.one(in: 3) ? dice.below(1 << 5) : 1 << dice.below(5)
        let options = WritingOptions(rawValue: UInt8(bits))
        return .writing(dice.one(in: 8) ? options.union(.includingContents) : options)
    }
}
