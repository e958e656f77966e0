// SPDX-License-Identifier: Apache-2.0
//
// The table of delegations, and the events that wait for recalls. The server answers a recall that
// the arbiter begins in two steps: it reports each running claim that it found (`claimRecovered`)
// and then the end of the delegation (`delegationRecalled`). Until all recalls are answered, the
// arbiter holds back the event that caused them and all later ones, in order. Where the server
// recalls before it tells an event, the end of the delegation comes first, and the event last.

/// The delegations, and what waits for their recalls.
struct DelegationTable: Hashable, Sendable {
    /// Something that waits until all recalls are answered.
    enum Held: Hashable, Sendable {
        /// An event from the server.
        case event(Event)
        /// A delegation request that is about to be decided.
        case candidate(DelegationCandidate)
    }

    private(set) var index = DelegationIndex()
    /// Used for lookup only, never iterated.
    private var entries: [DelegationID: Delegation] = [:]
    /// The delegations of each client, ascending.
    private var byClient: [ClientID: OrderedIDs<DelegationID>] = [:]
    private var bySlot: [ClientID: [Int: DelegationID]] = [:]
    /// Queues in which the arbiter's own claims come first.
    private(set) var closedQueues: OrderedIDs<DelegationID> = []
    /// Recalls that the server has not answered yet.
    private(set) var recalling: OrderedIDs<DelegationID> = []
    /// What waits for these recalls, in order.
    private(set) var held: [Held] = []
    private var last: UInt64 = 0

    /// Whether no delegation exists and nothing waits for a recall.
    var isEmpty: Bool { entries.isEmpty && recalling.isEmpty && held.isEmpty }

    /// The number of valid delegations.
    var count: Int { entries.count }

    /// The numbers of all valid delegations, ascending.
    var ids: [DelegationID] { entries.keys.sorted() }

    /// All valid delegations, ascending; for invariant checks.
    var all: [Delegation] { ids.compactMap { entries[$0] } }

    subscript(id: DelegationID) -> Delegation? { entries[id] }

    /// Returns the delegations of a client, ascending.
    func delegations(of client: ClientID) -> OrderedIDs<DelegationID> { byClient[client] ?? [] }

    /// Returns the delegation in a slot of a client's ledger.
    func delegation(of client: ClientID, inSlot slot: Int) -> Delegation? {
        bySlot[client]?[slot].flatMap { entries[$0] }
    }

    /// Returns a number that the arbiter has not given to a delegation before.
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
        case .place(let client, _, _, _), .claim(let client, _):
            byClient[client, default: []].insert(delegation.id)
            index.insert(delegation.id, at: delegation.path)
        case .directory(let client, _):
            byClient[client, default: []].insert(delegation.id)
            index.insert(delegation.id, inside: delegation.path)
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
        case .place(let client, _, _, _), .directory(let client, _), .claim(let client, _):
            discard(id, of: client)
        case .queue(let members, _):
            for member in members { discard(id, of: member.client) }
            closedQueues.remove(id)
        }
        return delegation
    }

    private mutating func discard(_ id: DelegationID, of client: ClientID) {
        byClient[client, default: []].remove(id)
        if byClient[client]?.isEmpty == true { byClient[client] = nil }
    }

    /// Marks a queue as open, so that its members take turns.
    mutating func open(_ id: DelegationID) {
        guard case .queue(let members, _) = entries[id]?.holding else { return }
        entries[id]?.holding = .queue(members, isOpen: true)
        closedQueues.remove(id)
    }

    // MARK: Recalls

    /// Starts a recall: the delegation is removed, and the server must answer.
    mutating func beginRecall(_ id: DelegationID) -> Delegation? {
        guard let delegation = remove(id) else { return nil }
        recalling.insertOnce(id)
        return delegation
    }

    /// Records the answer to a recall, or that the server recalled the delegation on its own.
    mutating func endRecall(_ id: DelegationID) {
        remove(id)
        recalling.remove(id)
    }

    mutating func hold(_ item: Held) { held.append(item) }

    /// Puts an item that has to wait again before all others.
    mutating func holdFirst(_ item: Held) { held.insert(item, at: 0) }

    /// Removes and returns the next item that can continue; nil while a recall is pending.
    mutating func nextHeld() -> Held? {
        recalling.isEmpty && !held.isEmpty ? held.removeFirst() : nil
    }
}

/// A delegation request of a claim that is over or was granted without a report.
struct DelegationCandidate: Hashable, Sendable {
    let client: ClientID
    /// The item or the directory.
    let path: ItemPath
    let request: DelegationRequest
    let isWriting: Bool
    /// Whether the claim was granted only after a wait.
    let hasWaited: Bool
    /// Whether the claim did not use the item's contents, which may not be here (Rule 15.4).
    let isOfMetadata: Bool
    /// Whether the request is decided, and only the replaced delegations are still to be recalled.
    var isDecided = false

    /// Creates the request of a claim, or nil if the claim has none.
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
        isOfMetadata = !item.access.needsContents
    }
}
