// SPDX-License-Identifier: Apache-2.0
//
// Looking around from a place: which claims are in the way of a claim (Rules 2.1 to 2.9), and who
// presents what it concerns.

extension PlaceTree {
    /// The first claim that meets `claim`, by place and kind of access, and passes `test`.
    ///
    /// Purposes and order are the test's business. At each place the youngest come first; a claim
    /// that meets in several ways is tested once for each.
    func firstNeighbour(
        of claim: ClaimID, where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        for spot in spots[claim] ?? [] {
            if let found = firstNeighbour(of: claim, at: spot, where: test) { return found }
        }
        return nil
    }

    private func firstNeighbour(
        of claim: ClaimID, at spot: Spot, where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        let isWriting = spot.item.access.isWriting
        func ordinary(_ other: ClaimID) -> Bool { other != claim && test(other, .ordinary) }
        if let found = nodes[spot.line].line.last(facing: isWriting, where: ordinary) {
            return found
        }
        if let found = nodes[spot.node].inner.last(facing: isWriting, where: ordinary) {
            return found
        }
        // Someone may take this very place for one that is in no package: packages come and go.
        if spot.node != spot.line {
            let found = nodes[spot.node].line.last(facing: isWriting) { other in
                (spots[other] ?? []).contains { $0.node == spot.node } && ordinary(other)
            }
            if let found { return found }
        }
        // Rule 2.6, upwards: whoever deletes, moves or replaces a directory that contains the item.
        var node = spot.node
        while node != Self.root {
            node = nodes[node].parent
            if let found = nodes[node].domains.last(where: ordinary) { return found }
        }
        // Rule 2.6, downwards.
        guard spot.item.isDomain else { return nil }
        let inside: Meeting = spot.item.isMovedDirectory ? .insideMovedDirectory : .ordinary
        return firstClaim(below: spot.node) { $0 != claim && test($0, inside) }
    }

    private func firstClaim(below top: NodeID, where test: (ClaimID) -> Bool) -> ClaimID? {
        var ahead = nodes[top].children
        while let node = ahead.popLast() {
            guard nodes[node].claimsBelow > 0 else { continue }
            if let found = nodes[node].line.last(facing: true, where: test) { return found }
            if let found = nodes[node].inner.last(facing: true, where: test) { return found }
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

    /// The presenters of everything strictly inside `top`, but those at `excluded` places; ascending.
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

extension Occupants {
    /// The youngest claim, of those that a reader or a writer has to look at, that passes `test`.
    fileprivate func last(facing isWriting: Bool, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = writers.last(where: test) { return found }
        return isWriting ? readers.last(where: test) : nil
    }
}
