// SPDX-License-Identifier: Apache-2.0
//
// Where claims and presenters are. One node per path component (see `PlaceTree+Nodes`); a claim is
// filed at its item's node and at the node of the package that holds it, a presenter at its node.
// What a claim might have to do with is then found by looking at a few nodes: the cost is the depth
// of the path and what is found there, never the number of claims elsewhere.

/// An index of claims and presenters by place.
struct PlaceTree: Sendable {
    /// Where one item of a claim is filed.
    struct Spot: Sendable {
        let node: NodeID
        let line: NodeID
        let item: AccessItem
        /// Whether others meet it here: not a batch (Rule 14.3).
        let takesPart: Bool
    }

    /// Where a claim is filed, and how.
    struct Filing: Sendable {
        let purpose: Purpose
        var spots: [Spot]
        var isPlaced: Bool
    }

    var nodes = NodeTable()
    private(set) var filings: [ClaimID: Filing] = [:]

    // MARK: Claims

    mutating func insert(_ claim: FiledClaim, at spots: [Spot], isPlaced: Bool) {
        let filing = Filing(purpose: claim.purpose, spots: spots, isPlaced: isPlaced)
        let id = FiledID(claim: claim.id, purpose: filing.purpose)
        for spot in spots {
            forEachList(of: spot) { $0.insert(id, isPlaced: isPlaced) }
            // Counted at the item's node, from which the line's node is on the way up.
            count(from: spot.node, claims: 1, presenters: 0)
        }
        filings[claim.id] = filing
    }

    mutating func remove(_ claim: ClaimID) {
        guard let filing = filings.removeValue(forKey: claim) else { return }
        let id = FiledID(claim: claim, purpose: filing.purpose)
        for spot in filing.spots {
            forEachList(of: spot) { $0.remove(id, isPlaced: filing.isPlaced) }
            count(from: spot.node, claims: -1, presenters: 0)
            leave(spot.node)
        }
    }

    /// Files a claim at other places: its items have moved.
    mutating func refile(_ claim: FiledClaim, items: [AccessItem]) {
        guard let former = filings[claim.id] else { return }
        remove(claim.id)
        insert(claim, at: spots(of: claim.kind, items), isPlaced: former.isPlaced)
    }

    /// Where these items are to be filed.
    mutating func spots(of kind: ClaimKind, _ items: [AccessItem]) -> [Spot] {
        var spots: [Spot] = []
        spots.reserveCapacity(items.count)
        for item in items {
            var line = Self.root
            var node = Self.root
            var depth = 0
            item.path.forEachComponent { name in
                node = child(name, of: node)
                depth += 1
                if depth == item.lineDepth { line = node }
            }
            spots.append(Spot(node: node, line: line, item: item, takesPart: kind.takesPart))
        }
        return spots
    }

    /// Where the items of a claim are filed, without those places to which it has moved some.
    func ownSpots(of claim: FiledClaim) -> ArraySlice<Spot> {
        (filings[claim.id]?.spots ?? []).prefix(claim.items.count)
    }

    /// Notes that a claim holds its place from now on.
    mutating func place(_ claim: ClaimID) { refile(claim, isPlaced: true) }

    /// Notes that a claim is in line again.
    mutating func displace(_ claim: ClaimID) { refile(claim, isPlaced: false) }

    private mutating func refile(_ claim: ClaimID, isPlaced: Bool) {
        guard let filing = filings[claim], filing.isPlaced != isPlaced else { return }
        filings[claim]?.isPlaced = isPlaced
        let id = FiledID(claim: claim, purpose: filing.purpose)
        for spot in filing.spots {
            forEachList(of: spot) {
                $0.remove(id, isPlaced: !isPlaced)
                $0.insert(id, isPlaced: isPlaced)
            }
        }
    }

    /// Everywhere where an item of a claim is filed.
    private mutating func forEachList(of spot: Spot, _ change: (inout Filed) -> Void) {
        guard spot.takesPart else { return }
        let isWriting = spot.item.access.isWriting
        nodes[spot.line].occupants.update(isWriting ? .lineWriting : .lineReading, change)
        if spot.line != spot.node {
            nodes[spot.node].occupants.update(isWriting ? .innerWriting : .innerReading, change)
        }
        guard spot.item.isDomain else { return }
        nodes[spot.node].occupants.update(isWriting ? .domainWriting : .domainReading, change)
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
