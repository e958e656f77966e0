// SPDX-License-Identifier: Apache-2.0
//
// The claims of one place, in lines: by what they do there, and whether they hold their place or
// still wait for it. Claims of one purpose never wait for each other (Rule 2.10), and many of them
// may follow each other in a line; so each line knows where its runs of one purpose begin, and
// a claim that looks for others steps over a run of its own purpose at once.

/// A claim in a line.
struct QueuedClaim: Hashable, Sendable, Comparable {
    let claim: ClaimID
    let purpose: Purpose

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.claim < rhs.claim }
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.claim == rhs.claim }
    func hash(into hasher: inout Hasher) { hasher.combine(claim) }
}

/// Claims in the order in which they were filed.
struct ClaimQueue: Sendable {
    private(set) var all: OrderedIDs<QueuedClaim> = []
    /// The first ones of the runs of one purpose.
    private var heads: OrderedIDs<QueuedClaim> = []

    var isEmpty: Bool { all.isEmpty }

    /// How many runs there are.
    var runCount: Int { heads.count }

    mutating func insert(_ id: QueuedClaim) {
        let next = all.first(above: id)
        let former = all.contains(id) ? id : all.last(below: id)
        all.insert(id)
        if former?.purpose != id.purpose { heads.insert(id) }
        guard let next else { return }
        updateHead(next, after: id)
    }

    mutating func remove(_ id: QueuedClaim) {
        // Of a claim with two items at one place something may be left.
        guard all.remove(id), !all.contains(id) else { return }
        heads.remove(id)
        if let next = all.first(above: id) { updateHead(next, after: all.last(below: id)) }
    }

    /// Whether a run begins with `id`, which has `former` before it now.
    private mutating func updateHead(_ id: QueuedClaim, after former: QueuedClaim?) {
        if former?.purpose == id.purpose { heads.remove(id) } else { heads.insertOnce(id) }
    }

    /// The youngest claim of another purpose than `id`, filed before it, that passes `test`.
    func last(before id: QueuedClaim, where test: (ClaimID) -> Bool) -> ClaimID? {
        isEmpty ? nil : last(before: all.firstIndex(notBelow: id), for: id, where: test)
    }

    /// The youngest claim of another purpose than `id` that passes `test`.
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
                // The head of this run is the last one that is not above it.
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

/// What a claim does at a place where it is filed.
enum FilingReason: UInt8, CaseIterable, Sendable {
    /// Reads, and its line is this place: L(x) is here.
    case nodeReading
    /// Writes, likewise.
    case nodeWriting
    /// Reads this place, and its line is a package further up.
    case innerReading
    /// Writes, likewise.
    case innerWriting
    /// Reads everything below, too (Rule 2.23).
    case domainReading
    /// Writes everything below, too: also who deletes, moves or replaces this directory.
    case domainWriting
}

/// Claims that are filed at one place for one reason.
struct NodeQueues: Sendable {
    let reason: FilingReason
    /// Those in stage 1.
    private(set) var waiting = ClaimQueue()
    /// Those that hold their place: a claim in line looks at no others that came after it.
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

/// The claims of one place.
struct NodeClaims: Sendable {
    /// By reason; only what there is, or was a moment ago.
    private var queues: [NodeQueues] = []

    /// Whether no claim is filed here.
    var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }

    /// Whether no claim here covers everything below.
    var hasNoDomain: Bool { self[.domainReading] == nil && self[.domainWriting] == nil }

    /// Those that are filed for this reason, if any are.
    subscript(reason: FilingReason) -> NodeQueues? {
        for entry in queues where entry.reason == reason && !entry.isEmpty { return entry }
        return nil
    }

    /// The youngest claim of those who are here for this reason, and in this scope for `claim`,
    /// that is of another purpose and passes `test`.
    ///
    /// Those that wait come first.
    func last(
        _ reason: FilingReason, in scope: PlaceTree.Scope, of claim: QueuedClaim,
        where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        for index in queues.indices where queues[index].reason == reason {
            switch scope {
            case .ahead:
                // Of those that wait only who came before; so in a line of writers each waits for
                // one.
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

    /// The numbers of all claims, in no order that means anything; each claim at least once.
    var all: [ClaimID] {
        queues.flatMap { $0.holding.all.map(\.claim) + $0.waiting.all.map(\.claim) }
    }
}
