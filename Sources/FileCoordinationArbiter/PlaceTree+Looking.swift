// SPDX-License-Identifier: Apache-2.0
//
// Looking around from a place: which claims are in the way of a claim (Rules 2.1 to 2.9), and who
// presents what it concerns.

extension PlaceTree {
    /// Which claims to look at.
    enum Scope {
        /// Those that were filed earlier, and those that hold their place whenever they were.
        case ahead
        /// Those that hold their place.
        case placed
        /// All.
        case all
    }

    /// The first claim that meets `claim`, by place and kind of access, and passes `test`.
    ///
    /// Purposes are the test's business. At each place the youngest come first; a claim
    /// that meets in several ways is tested once for each.
    func firstNeighbour(
        of claim: ClaimID, _ scope: Scope, where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        for spot in spots[claim] ?? [] where spot.takesPart {
            if let found = firstNeighbour(of: claim, scope, at: spot, where: test) { return found }
        }
        return nil
    }

    private func firstNeighbour(
        of claim: ClaimID, _ scope: Scope, at spot: Spot,
        where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        let view = View(claim: claim, scope: scope, isWriting: spot.item.access.isWriting)
        func ordinary(_ other: ClaimID) -> Bool { test(other, .ordinary) }
        if let found = view.last(of: nodes[spot.line].line, where: ordinary) { return found }
        if let found = view.last(of: nodes[spot.node].inner, where: ordinary) { return found }
        // Someone may take this very place for one that is in no package: packages come and go.
        if spot.node != spot.line {
            let found = view.last(of: nodes[spot.node].line) { other in
                (spots[other] ?? []).contains { $0.node == spot.node } && ordinary(other)
            }
            if let found { return found }
        }
        // Rule 2.6, upwards: whoever deletes, moves or replaces a directory that contains the item.
        var node = spot.node
        while node != Self.root {
            node = nodes[node].parent
            if let found = view.last(of: nodes[node].domains, where: ordinary) { return found }
        }
        // Rule 2.6, downwards.
        guard spot.item.isDomain else { return nil }
        let inside: Meeting = spot.item.isMovedDirectory ? .insideMovedDirectory : .ordinary
        return firstClaim(below: spot.node, view) { test($0, inside) }
    }

    private func firstClaim(
        below top: NodeID, _ view: View, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        var ahead = nodes[top].children
        while let node = ahead.popLast() {
            guard nodes[node].claimsBelow > 0 else { continue }
            if let found = view.last(of: nodes[node].line, where: test) { return found }
            if let found = view.last(of: nodes[node].inner, where: test) { return found }
            ahead.append(contentsOf: nodes[node].children)
        }
        return nil
    }

    /// The presenters of the place itself.
    func presenters(at spot: Spot) -> OrderedIDs<PresenterID> { nodes[spot.node].presenters }

    /// The presenters of directories that contain the place, the nearest first, with the number of
    /// components of their place.
    func presenters(above spot: Spot) -> [(depth: Int, presenters: OrderedIDs<PresenterID>)] {
        var result: [(depth: Int, presenters: OrderedIDs<PresenterID>)] = []
        var node = spot.node
        var depth = spot.item.path.depth
        while node != Self.root {
            node = nodes[node].parent
            depth -= 1
            if !nodes[node].presenters.isEmpty { result.append((depth, nodes[node].presenters)) }
        }
        return result
    }

    /// The presenters of everything strictly inside `top`, but those at `excluded` places;
    /// ascending.
    func presenters(below top: NodeID, except excluded: [NodeID] = []) -> [PresenterID] {
        var result: [PresenterID] = []
        var ahead = nodes[top].children
        while let node = ahead.popLast() {
            guard nodes[node].presentersBelow > 0 else { continue }
            if !excluded.contains(node) { result.append(contentsOf: nodes[node].presenters) }
            ahead.append(contentsOf: nodes[node].children)
        }
        return result.sorted()
    }

    /// The places on the way from `spot` up to its line, both excluded, that are plain directories.
    func plainDirectories(between spot: Spot) -> [NodeID] {
        guard spot.node != spot.line else { return [] }
        var result: [NodeID] = []
        var node = nodes[spot.node].parent
        var depth = spot.item.path.depth - 1
        while node != spot.line {
            if !spot.item.packageDepths.contains(depth) { result.append(node) }
            node = nodes[node].parent
            depth -= 1
        }
        return result
    }
}

/// How a claim looks at others.
private struct View {
    let claim: ClaimID
    let scope: PlaceTree.Scope
    let isWriting: Bool

    /// The youngest claim, of those that a reader or a writer has to look at, that passes `test`.
    func last(of occupants: Occupants, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: occupants.writers, where: test) { return found }
        return isWriting ? last(of: occupants.readers, where: test) : nil
    }

    func last(of filed: Filed, where test: (ClaimID) -> Bool) -> ClaimID? {
        switch scope {
        case .ahead:
            // The youngest that is ahead comes first: in a line of writers that is the one before.
            filed.all.prefix(below: claim).last(where: test)
                ?? filed.placed.suffix(above: claim).last(where: test)
        case .placed:
            filed.placed.last { $0 != claim && test($0) }
        case .all:
            filed.all.last { $0 != claim && test($0) }
        }
    }
}
