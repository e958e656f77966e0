// SPDX-License-Identifier: Apache-2.0
//
// Where claims and presenters are. One node per path component (see `PlaceTree+Nodes`); a claim is
// filed at its item's node and at the node of the package that holds it, a presenter at its node.
// What a claim might meet is then found by looking at a few nodes: the cost is the depth
// of the path and what is found there, never the number of claims elsewhere.

/// An index of claims and presenters by place.
struct PlaceTree: Sendable {
    /// Where one item of a claim is filed.
    struct LocatedItem: Sendable {
        let node: NodeID
        let exclusionNode: NodeID
        let item: AccessItem
        /// Whether others meet it here: not a batch (Rule 14.3).
        let takesPart: Bool
    }

    /// Where a claim is filed, and how.
    struct Filing: Sendable {
        let purpose: Purpose
        var locatedItems: [LocatedItem]
        var holdsPosition: Bool
    }

    var nodes = NodeTable()
    private(set) var filings: [ClaimID: Filing] = [:]

    // MARK: Claims

    mutating func insert(_ claim: FiledClaim, at locatedItems: [LocatedItem], holdsPosition: Bool) {
        let filing = Filing(
            purpose: claim.purpose, locatedItems: locatedItems, holdsPosition: holdsPosition)
        let id = QueuedClaim(claim: claim.id, purpose: filing.purpose)
        for located in locatedItems {
            forEachList(of: located) { $0.insert(id, holdsPosition: holdsPosition) }
            // Counted at the item's node, from which the line's node is on the way up.
            count(from: located.node, claims: 1, presenters: 0)
        }
        filings[claim.id] = filing
    }

    mutating func remove(_ claim: ClaimID) {
        guard let filing = filings.removeValue(forKey: claim) else { return }
        let id = QueuedClaim(claim: claim, purpose: filing.purpose)
        for located in filing.locatedItems {
            forEachList(of: located) { $0.remove(id, holdsPosition: filing.holdsPosition) }
            count(from: located.node, claims: -1, presenters: 0)
            leave(located.node)
        }
    }

    /// Files a claim at other places: its items have moved.
    mutating func refile(_ claim: FiledClaim, items: [AccessItem]) {
        guard let former = filings[claim.id] else { return }
        remove(claim.id)
        insert(claim, at: locatedItems(of: claim.kind, items), holdsPosition: former.holdsPosition)
    }

    /// Where these items are to be filed.
    mutating func locatedItems(of kind: ClaimKind, _ items: [AccessItem]) -> [LocatedItem] {
        var locatedItems: [LocatedItem] = []
        locatedItems.reserveCapacity(items.count)
        for item in items {
            var exclusionNode = Self.root
            var node = Self.root
            var depth = 0
            item.path.forEachComponent { name in
                node = child(name, of: node)
                depth += 1
                if depth == item.exclusionDepth { exclusionNode = node }
            }
            locatedItems.append(
                LocatedItem(
                    node: node, exclusionNode: exclusionNode, item: item, takesPart: kind.takesPart)
            )
        }
        return locatedItems
    }

    /// Where the items of a claim are filed, without those places to which it has moved some.
    func ownLocatedItems(of claim: FiledClaim) -> ArraySlice<LocatedItem> {
        (filings[claim.id]?.locatedItems ?? []).prefix(claim.items.count)
    }

    /// Records that a claim holds its place from now on.
    mutating func place(_ claim: ClaimID) { refile(claim, holdsPosition: true) }

    /// Records that a claim is in the queue again.
    mutating func displace(_ claim: ClaimID) { refile(claim, holdsPosition: false) }

    private mutating func refile(_ claim: ClaimID, holdsPosition: Bool) {
        guard let filing = filings[claim], filing.holdsPosition != holdsPosition else { return }
        filings[claim]?.holdsPosition = holdsPosition
        let id = QueuedClaim(claim: claim, purpose: filing.purpose)
        for located in filing.locatedItems {
            forEachList(of: located) {
                $0.remove(id, holdsPosition: !holdsPosition)
                $0.insert(id, holdsPosition: holdsPosition)
            }
        }
    }

    /// Everywhere where an item of a claim is filed.
    private mutating func forEachList(of located: LocatedItem, _ change: (inout NodeQueues) -> Void)
    {
        guard located.takesPart else { return }
        let isWriting = located.item.access.isWriting
        nodes[located.exclusionNode].claims.update(isWriting ? .nodeWriting : .nodeReading, change)
        if located.exclusionNode != located.node {
            nodes[located.node].claims.update(isWriting ? .innerWriting : .innerReading, change)
        }
        guard located.item.isDomain else { return }
        nodes[located.node].claims.update(isWriting ? .domainWriting : .domainReading, change)
    }

    // MARK: Presenters

    mutating func insert(_ presenter: PresenterID, at path: ItemPath) {
        var node = Self.root
        path.forEachComponent { node = child($0, of: node) }
        nodes[node].presenters.insertOnce(presenter)
        count(from: node, claims: 0, presenters: 1)
    }

    mutating func remove(_ presenter: PresenterID, at path: ItemPath) {
        guard let node = node(of: path), nodes[node].presenters.remove(presenter) else { return }
        count(from: node, claims: 0, presenters: -1)
        leave(node)
    }

    private mutating func count(from start: NodeID, claims: Int32, presenters: Int32) {
        var node = start
        while true {
            nodes[node].claimsBelow += claims
            nodes[node].presentersBelow += presenters
            if node == Self.root { return }
            node = nodes[node].parent
        }
    }
}

/// The tree says nothing that the claims and presenters do not say, so it takes no part in
/// comparing two arbiters: node numbers depend on the past, and the past makes no difference.
extension PlaceTree: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
