// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for each other, found in one search from all claims at which a new cycle may
// begin (Tarjan's algorithm, without recursion). A search of its own for each of thousands of calls
// that wait in one queue would look at the whole queue thousands of times, even if there is no
// cycle.

extension Arbiter {
    /// Returns a number for each claim that is in a cycle and is reached from `starts`: the same
    /// number for claims that wait for each other.
    ///
    /// The result is used for lookup only.
    func waitComponents(among starts: [ClaimID], _ waits: inout IndirectWaits) -> [ClaimID: Int] {
        var search = ComponentSearch()
        for start in starts where search.isNew(start) {
            search.enter(start, nearestEdges(from: start, &waits))
            while let next = search.step() {
                // No cycle contains a claim that reaches no target.
                guard mayReachTarget(next, &waits) else { continue }
                search.enter(next, nearestEdges(from: next, &waits))
            }
        }
        return search.componentNumbers
    }
}

/// A depth-first search for claims that wait for each other.
private struct ComponentSearch {
    /// A claim on the path of the search.
    private struct Visit {
        let claim: ClaimID
        let order: Int
        /// The claims that it waits for and that have not been looked at.
        var ahead: [ClaimID]
        /// The lowest order of a claim on the path that is reached from here.
        var lowest: Int
        var waitsForItself = false
    }

    /// The claims found, with a number for those that wait for each other.
    private(set) var componentNumbers: [ClaimID: Int] = [:]
    /// When each claim was visited; used for lookup only.
    private var orders: [ClaimID: Int] = [:]
    private var path: [Visit] = []
    /// The visited claims whose componentNumbers are not complete, in the order of the visits.
    private var open: [ClaimID] = []
    /// The same claims; used for lookup only.
    private var isOpen: Set<ClaimID> = []

    /// Whether a claim was not visited yet.
    func isNew(_ claim: ClaimID) -> Bool { orders[claim] == nil }

    /// Visits a claim that waits for these.
    mutating func enter(_ claim: ClaimID, _ edges: [ClaimID]) {
        let order = orders.count
        orders[claim] = order
        open.append(claim)
        isOpen.insert(claim)
        path.append(Visit(claim: claim, order: order, ahead: edges, lowest: order))
    }

    /// Returns the next claim to visit, or nil when all that were reached are complete.
    mutating func step() -> ClaimID? {
        while var visit = path.popLast() {
            guard let next = visit.ahead.popLast() else {
                leave(visit)
                continue
            }
            if next == visit.claim { visit.waitsForItself = true }
            if let order = orders[next], isOpen.contains(next) {
                visit.lowest = min(visit.lowest, order)
            }
            path.append(visit)
            if isNew(next) { return next }
        }
        return nil
    }

    private mutating func leave(_ visit: Visit) {
        if let last = path.indices.last {
            path[last].lowest = min(path[last].lowest, visit.lowest)
        }
        guard visit.lowest == visit.order else { return }
        let isKnot = open.last != visit.claim || visit.waitsForItself
        while let claim = open.popLast() {
            isOpen.remove(claim)
            if isKnot { componentNumbers[claim] = visit.order }
            if claim == visit.claim { return }
        }
    }
}
