// SPDX-License-Identifier: Apache-2.0
//
// The table of delegations, and what waits for a recall. A recall is answered in two steps: the
// server reports each claim that it found running (`claimRecovered`), and then that the delegation
// is gone (`delegationRecalled`). Until all recalls are answered the arbiter holds back what caused
// them, and everything that came later, in their order.

/// What is delegated, and what waits for recalls.
struct DelegationTable: Hashable, Sendable {
    /// Something that waits until all recalls have been answered.
    enum Held: Hashable, Sendable {
        /// A fact that the arbiter was told.
        case event(Event)
        /// A request of which the arbiter has decided.
        case wish(DelegationWish)
    }

    private(set) var index = DelegationIndex()
    /// Only looked up, never gone through.
    private var entries: [DelegationID: Delegation] = [:]
    /// Whose they are; ascending.
    private var byClient: [ClientID: OrderedIDs<DelegationID>] = [:]
    private var bySlot: [ClientID: [Int: DelegationID]] = [:]
    private var byClaim: [ClaimID: DelegationID] = [:]
    /// Queues in which the arbiter's own claims come first.
    private(set) var closedQueues: OrderedIDs<DelegationID> = []
    /// Recalls that the server has not answered.
    private(set) var recalling: OrderedIDs<DelegationID> = []
    /// What waits for them.
    private(set) var held: [Held] = []
    private var last: UInt64 = 0

    /// Whether no client has anything, and nothing waits for a recall.
    var isEmpty: Bool { entries.isEmpty && recalling.isEmpty && held.isEmpty }

    /// All that stand, ascending; for checks.
    var all: [Delegation] { entries.keys.sorted().compactMap { entries[$0] } }

    subscript(id: DelegationID) -> Delegation? { entries[id] }

    /// What a client has, ascending.
    func delegations(of client: ClientID) -> OrderedIDs<DelegationID> { byClient[client] ?? [] }

    /// What a slot of a client says.
    func delegation(of client: ClientID, inSlot slot: Int) -> Delegation? {
        bySlot[client]?[slot].flatMap { entries[$0] }
    }

    /// The entry of a claim whose end no client reports.
    func delegation(ofClaim claim: ClaimID) -> DelegationID? { byClaim[claim] }

    /// A number that no delegation of the arbiter's own has had.
    mutating func makeID() -> DelegationID {
        last += 1
        return DelegationID(rawValue: last)
    }

    mutating func insert(_ delegation: Delegation) {
        entries[delegation.id] = delegation
        if let client = delegation.client, let slot = delegation.slot {
            bySlot[client, default: [:]][slot] = delegation.id
        }
        switch delegation.holding {
        case .place(let client, _, _, _):
            byClient[client, default: []].insert(delegation.id)
            index.insert(delegation.id, at: delegation.path)
        case .directory(let client, _):
            byClient[client, default: []].insert(delegation.id)
            index.insert(delegation.id, inside: delegation.path)
        case .claim(let client, let claim, _):
            byClient[client, default: []].insert(delegation.id)
            byClaim[claim] = delegation.id
            index.insert(delegation.id, at: delegation.path)
        case .queue(let members, let isOpen):
            for member in members { byClient[member.client, default: []].insertOnce(delegation.id) }
            if !isOpen { closedQueues.insertOnce(delegation.id) }
            index.insert(delegation.id, at: delegation.path)
        }
    }

    @discardableResult
    mutating func remove(_ id: DelegationID) -> Delegation? {
        guard let delegation = entries.removeValue(forKey: id) else { return nil }
        index.remove(id)
        if let client = delegation.client, let slot = delegation.slot {
            bySlot[client]?[slot] = nil
            if bySlot[client]?.isEmpty == true { bySlot[client] = nil }
        }
        switch delegation.holding {
        case .place(let client, _, _, _), .directory(let client, _): discard(id, of: client)
        case .claim(let client, let claim, _):
            discard(id, of: client)
            byClaim[claim] = nil
        case .queue(let members, _):
            for member in members { discard(id, of: member.client) }
            closedQueues.remove(id)
        }
        return delegation
    }

    private mutating func discard(_ id: DelegationID, of client: ClientID) {
        byClient[client]?.remove(id)
        if byClient[client]?.isEmpty == true { byClient[client] = nil }
    }

    /// Lets the members of a queue have their turns.
    mutating func open(_ id: DelegationID) {
        guard case .queue(let members, _) = entries[id]?.holding else { return }
        entries[id]?.holding = .queue(members, isOpen: true)
        closedQueues.remove(id)
    }

    // MARK: Recalls

    /// Begins a recall: the delegation counts no more, and the server is to answer.
    mutating func beginRecall(_ id: DelegationID) -> Delegation? {
        guard let delegation = remove(id) else { return nil }
        recalling.insertOnce(id)
        return delegation
    }

    /// Records an answer, or that the server has taken the delegation back by itself.
    mutating func endRecall(_ id: DelegationID) {
        remove(id)
        recalling.remove(id)
    }

    mutating func hold(_ item: Held) { held.append(item) }

    /// Puts back what has to wait again, before all others.
    mutating func holdFirst(_ item: Held) { held.insert(item, at: 0) }

    /// What can go on; nil while a recall is not answered.
    mutating func nextHeld() -> Held? {
        recalling.isEmpty && !held.isEmpty ? held.removeFirst() : nil
    }
}

/// A client's wish to have something delegated, when its claim is over or needs no report.
struct DelegationWish: Hashable, Sendable {
    let client: ClientID
    /// The item, or the directory.
    let path: ItemPath
    let request: DelegationRequest
    let isWriting: Bool
    /// Whether the claim was granted only after a wait.
    let hasWaited: Bool
    /// Whether only what was delegated before is still to be recalled.
    var isDecided = false

    /// The wish that a claim carries; nil for none.
    init?(_ claim: FiledClaim, hasWaited: Bool) {
        guard let request = claim.request, claim.kind == .access, claim.items.count == 1,
            claim.items[0].isDelegable
        else { return nil }
        let item = claim.items[0]
        if request.isForDirectory {
            guard item.path.depth > 1 else { return nil }
            path = item.path.prefix(depth: item.path.depth - 1)
        } else {
            path = item.path
        }
        client = claim.client
        self.request = request
        isWriting = item.access.isWriting
        self.hasWaited = hasWaited
    }
}
