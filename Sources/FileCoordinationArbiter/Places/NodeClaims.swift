// SPDX-License-Identifier: Apache-2.0
//
// The claims at one node of the tree, in queues by the kind of their access and by whether they
// hold their position or wait. Claims of one purpose never wait for each other (Rule 2.10), and
// many of them may be consecutive in a queue. Each queue therefore remembers where its runs of one
// purpose begin, so that a search skips a run of its own purpose in one step.

/// A claim in a queue.
struct QueuedClaim: Hashable, Sendable, Comparable {
    let claim: ClaimID
    let purpose: Purpose

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.claim < rhs.claim }
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.claim == rhs.claim }
    func hash(into hasher: inout Hasher) { hasher.combine(claim) }
}

/// Claims in filing order.
struct ClaimQueue: Sendable {
    private(set) var all: OrderedIDs<QueuedClaim> = []
    /// The first claim of each run of one purpose.
    private(set) var heads: OrderedIDs<QueuedClaim> = []

    var isEmpty: Bool { all.isEmpty }

    mutating func insert(_ id: QueuedClaim) {
        let next = all.first(above: id)
        let former = all.contains(id) ? id : all.last(below: id)
        all.insert(id)
        if former?.purpose != id.purpose { heads.insert(id) }
        guard let next else { return }
        updateHead(next, after: id)
    }

    mutating func remove(_ id: QueuedClaim) {
        // A claim with two items at this node may still have one here.
        guard all.remove(id), !all.contains(id) else { return }
        heads.remove(id)
        if let next = all.first(above: id) { updateHead(next, after: all.last(below: id)) }
    }

    /// Updates whether a run begins with `id`, which now follows `former`.
    private mutating func updateHead(_ id: QueuedClaim, after former: QueuedClaim?) {
        if former?.purpose == id.purpose { heads.remove(id) } else { heads.insertOnce(id) }
    }

    /// Returns the youngest claim before `id`, of another purpose, that passes `test`.
    func last(before id: QueuedClaim, where test: (ClaimID) -> Bool) -> ClaimID? {
        isEmpty ? nil : last(before: all.firstIndex(notBelow: id), for: id, where: test)
    }

    /// Returns the youngest claim of another purpose than `id` that passes `test`.
    func last(for id: QueuedClaim, where test: (ClaimID) -> Bool) -> ClaimID? {
        isEmpty ? nil : last(before: all.endIndex, for: id, where: test)
    }

    private func last(
        before bound: OrderedIDs<QueuedClaim>.Index, for id: QueuedClaim,
        where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        var place = bound
        while place > all.startIndex {
            let before = all.index(before: place)
            let other = all[before]
            if other.purpose == id.purpose {
                // The head of this run is the last head that is not after `other`.
                let head = heads.contains(other) ? other : heads.last(below: other) ?? other
                place = all.firstIndex(notBelow: head)
            } else {
                if test(other.claim) { return other.claim }
                place = before
            }
        }
        return nil
    }
}

/// How a claim concerns a node.
enum FilingReason: UInt8, CaseIterable, Sendable {
    /// It reads, and this node is its exclusion node.
    case nodeReading
    /// It writes, and this node is its exclusion node.
    case nodeWriting
    /// It reads the item of this node, and its exclusion node is a package further up.
    case innerReading
    /// It writes the item of this node, and its exclusion node is a package further up.
    case innerWriting
    /// It also reads everything below (Rule 2.23).
    case domainReading
    /// It also writes everything below, or deletes, moves or replaces this directory.
    case domainWriting
}

/// The claims that concern a node in one way.
struct NodeQueues: Sendable {
    let reason: FilingReason
    /// The claims in stage 1.
    private(set) var waiting = ClaimQueue()
    /// The claims that hold their position.
    ///
    /// Kept apart, because a waiting claim examines all of these, but only older ones of those in
    /// stage 1.
    private(set) var holding = ClaimQueue()

    init(_ reason: FilingReason) { self.reason = reason }

    var isEmpty: Bool { waiting.isEmpty && holding.isEmpty }

    mutating func insert(_ id: QueuedClaim, holdsPosition: Bool) {
        if holdsPosition { holding.insert(id) } else { waiting.insert(id) }
    }

    mutating func remove(_ id: QueuedClaim, holdsPosition: Bool) {
        if holdsPosition { holding.remove(id) } else { waiting.remove(id) }
    }
}

/// All claims at one node.
struct NodeClaims: Sendable {
    /// One entry for each reason; entries may be empty.
    private var queues: [NodeQueues] = []

    /// Whether there is no claim at this node.
    var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }

    /// Whether no claim at this node covers everything below.
    var hasNoDomain: Bool { !has(.domainReading) && !has(.domainWriting) }

    /// Whether claims are here for this reason.
    func has(_ reason: FilingReason) -> Bool {
        queues.contains { $0.reason == reason && !$0.isEmpty }
    }

    /// Returns the claims that are here for this reason, or nil if there are none.
    subscript(reason: FilingReason) -> NodeQueues? {
        for entry in queues where entry.reason == reason && !entry.isEmpty { return entry }
        return nil
    }

    /// Returns the youngest claim here for this reason, and in this scope of `claim`, that is of
    /// another purpose and passes `test`.
    ///
    /// Waiting claims are searched first.
    func last(
        _ reason: FilingReason, in scope: PlaceTree.Scope, of claim: QueuedClaim,
        where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        for index in queues.indices where queues[index].reason == reason {
            switch scope {
            case .ahead:
                // Of the waiting claims, only those before `claim` count. So in a queue of writers,
                // each waits for one.
                if let found = queues[index].waiting.last(before: claim, where: test) {
                    return found
                }
            case .all:
                if let found = queues[index].waiting.last(for: claim, where: test) { return found }
            case .holding: break
            }
            return queues[index].holding.last(for: claim, where: test)
        }
        return nil
    }

    mutating func update(_ reason: FilingReason, _ change: (inout NodeQueues) -> Void) {
        if let index = queues.firstIndex(where: { $0.reason == reason }) {
            change(&queues[index])
        } else {
            var entry = NodeQueues(reason)
            change(&entry)
            queues.append(entry)
        }
    }

    /// All claims here, in no particular order, each at least once.
    var all: [ClaimID] {
        queues.flatMap { $0.holding.all.map(\.claim) + $0.waiting.all.map(\.claim) }
    }
}
