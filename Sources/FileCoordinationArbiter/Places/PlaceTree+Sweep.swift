// SPDX-License-Identifier: Apache-2.0
//
// A sweep over the tree for claims that may conflict with any of many given claims. It visits each
// queue once, regardless of the number of given claims: in a queue of thousands, each claim may
// conflict with all others, so a separate search for each would take quadratic time.

extension PlaceTree {
    /// The queues that a sweep has looked at; used for lookup only.
    struct Sweep {
        /// Nodes with all their queues.
        fileprivate var nodesSwept: Set<NodeID> = []
        /// Nodes with the queues of claims that cover everything below, whose ancestors are swept,
        /// too.
        fileprivate var ancestorsSwept: Set<NodeID> = []
        /// Nodes with everything below.
        fileprivate var treesSwept: Set<NodeID> = []
    }

    /// Visits every claim that may conflict with `claim`, and some that do not, except for claims
    /// in queues that this sweep has looked at before.
    func visitClaims(around claim: ClaimID, _ sweep: inout Sweep, _ visit: (ClaimID) -> Void) {
        for located in filings[claim]?.locatedItems ?? [] where located.takesPart {
            visitQueues(at: located.exclusionNode, &sweep, visit)
            visitQueues(at: located.node, &sweep, visit)
            visitCoveringClaims(above: located.node, &sweep, visit)
            if located.item.isDomain { visitQueues(below: located.node, &sweep, visit) }
        }
    }

    private func visitQueues(at node: NodeID, _ sweep: inout Sweep, _ visit: (ClaimID) -> Void) {
        guard sweep.nodesSwept.insert(node).inserted else { return }
        for claim in nodes[node].claims.all { visit(claim) }
    }

    private func visitCoveringClaims(
        above start: NodeID, _ sweep: inout Sweep, _ visit: (ClaimID) -> Void
    ) {
        var node = start
        while node != Self.root {
            node = nodes[node].parent
            guard sweep.ancestorsSwept.insert(node).inserted else { return }
            for reason in [FilingReason.domainReading, .domainWriting] {
                guard let queues = nodes[node].claims[reason] else { continue }
                for queued in queues.holding.all { visit(queued.claim) }
                for queued in queues.waiting.all { visit(queued.claim) }
            }
        }
    }

    private func visitQueues(below top: NodeID, _ sweep: inout Sweep, _ visit: (ClaimID) -> Void) {
        var ahead = [top]
        while let node = ahead.popLast() {
            guard nodes[node].claimsBelow > 0, sweep.treesSwept.insert(node).inserted else {
                continue
            }
            if node != top { visitQueues(at: node, &sweep, visit) }
            ahead.append(contentsOf: nodes[node].children)
        }
    }
}
