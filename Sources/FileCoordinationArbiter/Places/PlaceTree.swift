// SPDX-License-Identifier: Apache-2.0
//
// An index of claims and presenters by path, with one node for each path component (see
// `PlaceTree+Nodes`). A claim is at the node of each of its items and at the exclusion node, the
// node of the package that contains the item; a presenter is at its own node. Claims that may
// conflict are found in a few nodes: the cost depends on the depth of the path and on the claims
// there, never on the number of claims elsewhere.

/// An index of claims and presenters by path.
struct PlaceTree: Sendable {
    /// The nodes of one item of a claim.
    struct LocatedItem: Sendable {
        let node: NodeID
        let exclusionNode: NodeID
        let item: AccessItem
        /// Whether other claims can conflict with it: false for a batch (Rule 14.3).
        let takesPart: Bool
    }

    /// The entry of a claim.
    struct Filing: Sendable {
        let purpose: Purpose
        var locatedItems: [LocatedItem]
        var holdsPosition: Bool
    }

    var nodes = NodeTable()
    /// The presenters that provide the contents of what is inside their directories; few.
    var providers: OrderedIDs<PresenterID> = []
    private(set) var filings: [ClaimID: Filing] = [:]

    // MARK: Claims

    mutating func insert(_ claim: FiledClaim, at locatedItems: [LocatedItem], holdsPosition: Bool) {
        let filing = Filing(
            purpose: claim.purpose, locatedItems: locatedItems, holdsPosition: holdsPosition)
        let id = QueuedClaim(claim: claim.id, purpose: filing.purpose)
        for located in locatedItems {
            forEachList(of: located) { $0.insert(id, holdsPosition: holdsPosition) }
            // Counted at the item's node; the exclusion node is an ancestor of it or the same.
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

    /// Moves a claim to the nodes of other items.
    mutating func refile(_ claim: FiledClaim, items: [AccessItem]) {
        guard let former = filings[claim.id] else { return }
        remove(claim.id)
        insert(claim, at: locatedItems(of: claim.kind, items), holdsPosition: former.holdsPosition)
    }

    /// Returns the nodes of these items; creates those that are missing.
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

    /// Returns the nodes of a claim's own items, without the paths to which it has moved some.
    func ownLocatedItems(of claim: FiledClaim) -> ArraySlice<LocatedItem> {
        (filings[claim.id]?.locatedItems ?? []).prefix(claim.items.count)
    }

    /// Records that a claim holds its position now.
    mutating func place(_ claim: ClaimID) { refile(claim, holdsPosition: true) }

    /// Records that a claim waits in the queue again.
    mutating func displace(_ claim: ClaimID) { refile(claim, holdsPosition: false) }

    private mutating func refile(_ claim: ClaimID, holdsPosition: Bool) {
        guard var filing = filings[claim], filing.holdsPosition != holdsPosition else { return }
        filing.holdsPosition = holdsPosition
        filings[claim] = filing
        let id = QueuedClaim(claim: claim, purpose: filing.purpose)
        for located in filing.locatedItems {
            forEachList(of: located) {
                $0.remove(id, holdsPosition: !holdsPosition)
                $0.insert(id, holdsPosition: holdsPosition)
            }
        }
    }

    /// Changes every queue in which an item of a claim is.
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

/// All trees count as equal.
///
/// The tree contains nothing beyond the claims and presenters, which are compared elsewhere, and
/// its node numbers depend on history, which must not matter.
extension PlaceTree: Hashable {
    static func == (lhs: Self, rhs: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
