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
        case holding
        /// All.
        case all
    }

    /// Whether these items are uncontended: no claim of any purpose conflicts with a claim on them,
    /// and no presenter concerns it; as a rule it is so.
    ///
    /// An item in a package is looked at more closely elsewhere.
    func isDeserted(_ locatedItems: [LocatedItem]) -> Bool {
        locatedItems.allSatisfy { located in
            guard located.takesPart, located.item.packageDepths.isEmpty,
                nodes[located.node].presenters.isEmpty
            else { return false }
            if located.item.isDomain, !nodes[located.node].isEmpty { return false }
            let isWriting = located.item.access.isWriting
            if isWriting {
                guard nodes[located.node].claims.isEmpty else { return false }
            } else {
                guard nodes[located.node].claims[.nodeWriting] == nil,
                    nodes[located.node].claims[.innerWriting] == nil
                else { return false }
            }
            var node = located.node
            while node != Self.root {
                node = nodes[node].parent
                if nodes[node].claims[.domainWriting] != nil { return false }
                if isWriting, nodes[node].claims[.domainReading] != nil { return false }
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
        for located in filing.locatedItems where located.takesPart {
            let own = QueuedClaim(claim: claim, purpose: filing.purpose)
            let view = View(
                claim: own, bound: bound(of: own, at: located, grantedAfter), scope: scope,
                isWriting: located.item.access.isWriting)
            if let found = firstNeighbour(at: located, view, where: test) { return found }
        }
        return nil
    }

    /// The claim before which those that wait at the place are looked at.
    private func bound(
        of claim: QueuedClaim, at located: LocatedItem, _ grantedAfter: (ClaimID) -> ClaimID?
    ) -> QueuedClaim {
        guard let writer = nodes[located.exclusionNode].claims[.nodeWriting]?.holding.all.first,
            writer.purpose == claim.purpose, let youngest = grantedAfter(writer.claim),
            youngest < claim.claim
        else { return claim }
        return QueuedClaim(
            claim: ClaimID(rawValue: youngest.rawValue + 1), purpose: claim.purpose)
    }

    private func firstNeighbour(
        at located: LocatedItem, _ view: View, where test: (ClaimID, Meeting) -> Bool
    ) -> ClaimID? {
        func ordinary(_ other: ClaimID) -> Bool { test(other, .ordinary) }
        if let found = view.lastOfOwnNode(at: nodes[located.exclusionNode].claims, where: ordinary)
        {
            return found
        }
        if let found = view.lastInside(nodes[located.node].claims, where: ordinary) {
            return found
        }
        // Someone may take this very place for one that is in no package: packages come and go.
        if located.node != located.exclusionNode {
            let found = view.lastOfNode(at: nodes[located.node].claims) { other in
                filings[other]?.locatedItems.contains { $0.node == located.node } == true
                    && ordinary(other)
            }
            if let found { return found }
        }
        // Rules 2.6, 2.23, upwards: claims that delete, move or replace a directory which contains
        // the item, or that cover what is inside.
        var node = located.node
        while node != Self.root {
            node = nodes[node].parent
            if let found = view.lastCovering(nodes[node].claims, where: ordinary) {
                return found
            }
        }
        // Rules 2.6, 2.23, downwards.
        guard located.item.isDomain else { return nil }
        let inside: Meeting = located.item.isMovedDirectory ? .insideMovedDirectory : .ordinary
        return firstClaim(below: located.node, view) { test($0, inside) }
    }

    private func firstClaim(
        below top: NodeID, _ view: View, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        var ahead = nodes[top].children
        while let node = ahead.popLast() {
            guard nodes[node].claimsBelow > 0 else { continue }
            let claims = nodes[node].claims
            if let found = view.lastOfNode(at: claims, where: test) { return found }
            if let found = view.lastInside(claims, where: test) { return found }
            ahead.append(contentsOf: nodes[node].children)
        }
        return nil
    }

    /// The presenters of the place itself.
    func presenters(at located: LocatedItem) -> OrderedIDs<PresenterID> {
        nodes[located.node].presenters
    }

    /// The presenters of directories that contain the place, the nearest first, with the number of
    /// components of their place.
    func presenters(above located: LocatedItem) -> [(
        depth: Int, presenters: OrderedIDs<PresenterID>
    )] {
        var result: [(depth: Int, presenters: OrderedIDs<PresenterID>)] = []
        var node = located.node
        var depth = located.item.path.depth
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

    /// The places on the way from `located` up to its line, both excluded, that are plain
    /// directories.
    func plainDirectories(between located: LocatedItem) -> [NodeID] {
        guard located.node != located.exclusionNode else { return [] }
        var result: [NodeID] = []
        var node = nodes[located.node].parent
        var depth = located.item.path.depth - 1
        while node != located.exclusionNode {
            if !located.item.packageDepths.contains(depth) { result.append(node) }
            node = nodes[node].parent
            depth -= 1
        }
        return result
    }
}

/// How a claim looks at others.
private struct View {
    let claim: QueuedClaim
    /// Of those that wait in its line, it looks at those before this one.
    let bound: QueuedClaim
    let scope: PlaceTree.Scope
    let isWriting: Bool

    /// Of those in its line: a reader looks at no readers.
    func lastOfOwnNode(at claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        lastOfNode(at: claims, before: bound, where: test)
    }

    /// Of those whose line is this place.
    func lastOfNode(at claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        lastOfNode(at: claims, before: claim, where: test)
    }

    private func lastOfNode(
        at claims: NodeClaims, before bound: QueuedClaim, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        let writer = claims.last(.nodeWriting, in: scope, of: bound, where: test)
        guard writer == nil, isWriting else { return writer }
        return claims.last(.nodeReading, in: scope, of: bound, where: test)
    }

    /// Of those who are here, with a line further up.
    func lastInside(_ claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: .innerWriting, in: claims, where: test) { return found }
        return isWriting ? last(of: .innerReading, in: claims, where: test) : nil
    }

    /// Of those that are concerned with everything below.
    func lastCovering(_ claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: .domainWriting, in: claims, where: test) { return found }
        return isWriting ? last(of: .domainReading, in: claims, where: test) : nil
    }

    private func last(
        of reason: FilingReason, in claims: NodeClaims, where test: (ClaimID) -> Bool
    ) -> ClaimID? {
        claims.last(reason, in: scope, of: claim, where: test)
    }
}
