// SPDX-License-Identifier: Apache-2.0
//
// Looking around from a place: which claims are in the way of a claim (Rules 2.1 to 2.9, 2.23), and
// who presents what it concerns.

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

    /// Whether nobody is where these items are: no claim of any purpose would have to do with a
    /// claim on them, and no presenter with it; as a rule it is so.
    ///
    /// An item in a package is looked at more closely elsewhere.
    func isDeserted(_ spots: [Spot]) -> Bool {
        spots.allSatisfy { spot in
            guard spot.takesPart, spot.item.packageDepths.isEmpty,
                nodes[spot.node].presenters.isEmpty
            else { return false }
            if spot.item.isDomain, !nodes[spot.node].isEmpty { return false }
            let isWriting = spot.item.access.isWriting
            if isWriting {
                guard nodes[spot.node].occupants.isEmpty else { return false }
            } else {
                guard nodes[spot.node].occupants[.lineWriting] == nil,
                    nodes[spot.node].occupants[.innerWriting] == nil
                else { return false }
            }
            var node = spot.node
            while node != Self.root {
                node = nodes[node].parent
                if nodes[node].occupants[.domainWriting] != nil { return false }
                if isWriting, nodes[node].occupants[.domainReading] != nil { return false }
            }
            return true
        }
    }

    /// The first claim of another purpose that meets `claim`, by place and kind of access, and
    /// passes `test`.
    ///
    /// At each place the youngest of those that wait come first, then those that hold their place;
    /// a claim that meets in several ways is tested once for each.
    ///
    /// - Parameter grantedAfter: the youngest claim that had been filed when a claim was granted;
    ///   nil: it is not. Those that were filed later, and wait where one of the same purpose as
    ///   `claim` writes, are not tested: they wait for that one.
    func firstNeighbour(
        of claim: ClaimID, _ scope: Scope, grantedAfter: (ClaimID) -> ClaimID? = { _ in nil },
        where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        guard let filing = filings[claim] else { return nil }
        for spot in filing.spots where spot.takesPart {
            let own = FiledID(claim: claim, purpose: filing.purpose)
            let view = View(
                claim: own, bound: bound(of: own, at: spot, grantedAfter), scope: scope,
                isWriting: spot.item.access.isWriting)
            if let found = firstNeighbour(at: spot, view, where: test) { return found }
        }
        return nil
    }

    /// The claim before which those that wait at the place are looked at.
    private func bound(
        of claim: FiledID, at spot: Spot, _ grantedAfter: (ClaimID) -> ClaimID?
    ) -> FiledID {
        guard let writer = nodes[spot.line].occupants[.lineWriting]?.placed.all.first,
            writer.purpose == claim.purpose, let youngest = grantedAfter(writer.claim),
            youngest < claim.claim
        else { return claim }
        return FiledID(
            claim: ClaimID(rawValue: youngest.rawValue + 1), purpose: claim.purpose)
    }

    private func firstNeighbour(
        at spot: Spot, _ view: View, where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        func ordinary(_ other: ClaimID) -> Bool { test(other, .ordinary) }
        if let found = view.lastOfOwnLine(at: nodes[spot.line].occupants, where: ordinary) {
            return found
        }
        if let found = view.lastInside(nodes[spot.node].occupants, where: ordinary) {
            return found
        }
        // Someone may take this very place for one that is in no package: packages come and go.
        if spot.node != spot.line {
            let found = view.lastOfLine(at: nodes[spot.node].occupants) { other in
                filings[other]?.spots.contains { $0.node == spot.node } == true && ordinary(other)
            }
            if let found { return found }
        }
        // Rules 2.6, 2.23, upwards: claims that delete, move or replace a directory which contains
        // the item, or that cover what is inside.
        var node = spot.node
        while node != Self.root {
            node = nodes[node].parent
            if let found = view.lastCovering(nodes[node].occupants, where: ordinary) {
                return found
            }
        }
        // Rules 2.6, 2.23, downwards.
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
            let occupants = nodes[node].occupants
            if let found = view.lastOfLine(at: occupants, where: test) { return found }
            if let found = view.lastInside(occupants, where: test) { return found }
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
        guard nodes[top].presentersBelow > 0 else { return [] }
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
    let claim: FiledID
    /// Of those that wait in its line, it looks at those before this one.
    let bound: FiledID
    let scope: PlaceTree.Scope
    let isWriting: Bool

    /// Of those in its line: a reader looks at no readers.
    func lastOfOwnLine(at occupants: Occupants, where test: (ClaimID) -> Bool) -> ClaimID? {
        lastOfLine(at: occupants, before: bound, where: test)
    }

    /// Of those whose line is this place.
    func lastOfLine(at occupants: Occupants, where test: (ClaimID) -> Bool) -> ClaimID? {
        lastOfLine(at: occupants, before: claim, where: test)
    }

    private func lastOfLine(
        at occupants: Occupants, before bound: FiledID, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        let writer = occupants.last(.lineWriting, in: scope, of: bound, where: test)
        guard writer == nil, isWriting else { return writer }
        return occupants.last(.lineReading, in: scope, of: bound, where: test)
    }

    /// Of those who are here, with a line further up.
    func lastInside(_ occupants: Occupants, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: .innerWriting, in: occupants, where: test) { return found }
        return isWriting ? last(of: .innerReading, in: occupants, where: test) : nil
    }

    /// Of those that are concerned with everything below.
    func lastCovering(_ occupants: Occupants, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: .domainWriting, in: occupants, where: test) { return found }
        return isWriting ? last(of: .domainReading, in: occupants, where: test) : nil
    }

    private func last(
        of reason: FilingReason, in occupants: Occupants, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        occupants.last(reason, in: scope, of: claim, where: test)
    }
}
