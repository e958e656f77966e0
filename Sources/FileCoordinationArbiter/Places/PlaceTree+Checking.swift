// SPDX-License-Identifier: Apache-2.0
//
// Searches of the tree: which claims conflict with a claim (Rules 2.1 to 2.9, 2.23), and which
// presenters it concerns.

extension PlaceTree {
    /// Which claims a search considers.
    enum Scope {
        /// Waiting claims that were filed earlier, and all claims that hold their position.
        case ahead
        /// Claims that hold their position.
        case holding
        /// All claims.
        case all
    }

    /// Whether no claim of any purpose conflicts with a claim on these items and no presenter is
    /// concerned; this is the common case.
    ///
    /// Returns false for items in packages, which need the full search.
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
                guard !nodes[located.node].claims.has(.nodeWriting),
                    !nodes[located.node].claims.has(.innerWriting)
                else { return false }
            }
            var node = located.node
            while node != Self.root {
                node = nodes[node].parent
                if nodes[node].claims.has(.domainWriting) { return false }
                if isWriting, nodes[node].claims.has(.domainReading) { return false }
            }
            return true
        }
    }

    /// Finds the first claim of another purpose that conflicts with `claim` and passes `test`.
    ///
    /// At each node, the youngest waiting claims come first, then those that hold their position. A
    /// claim that conflicts in several ways is tested once for each.
    ///
    /// - Parameters:
    ///   - claim: the claim whose neighbors are tested.
    ///   - scope: which claims are tested.
    ///   - grantedAfter: returns the youngest claim at the time of a grant; nil for a claim that is
    ///     not granted. Waiting claims that are younger than that, in a queue where a claim of the
    ///     same purpose as `claim` is writing, are not tested, because they wait for that writer.
    ///   - test: gets a conflicting claim, and how it meets `claim`.
    /// - Returns: the claim for which `test` returned true; nil if there is none.
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

    /// Returns the claim before which waiting claims at the exclusion node are considered.
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
        // Another claim may treat this item as outside of any package, because packages come and
        // go.
        if located.node != located.exclusionNode {
            let found = view.lastOfNode(at: nodes[located.node].claims) { other in
                filings[other]?.locatedItems.contains { $0.node == located.node } == true
                    && ordinary(other)
            }
            if let found { return found }
        }
        // Rules 2.6, 2.23, upwards: claims that delete, move or replace a directory that contains
        // the item, or that cover its contents.
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

    /// Returns the presenters of the item itself.
    func presenters(at located: LocatedItem) -> OrderedIDs<PresenterID> {
        nodes[located.node].presenters
    }

    /// Returns the presenters of directories that contain the item, nearest first, with the depth
    /// of their paths.
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

    /// Returns the presenters strictly below `top`, except for those at `excluded` nodes,
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

    /// Returns the plain directories between an item and its exclusion node, both excluded.
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

/// A search on behalf of one claim.
private struct View {
    let claim: QueuedClaim
    /// Waiting claims in the claim's own queue are considered only before this one.
    let bound: QueuedClaim
    let scope: PlaceTree.Scope
    let isWriting: Bool

    /// Finds a claim in the own queue.
    ///
    /// A reader ignores readers.
    func lastOfOwnNode(at claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        lastOfNode(at: claims, before: bound, where: test)
    }

    /// Finds a claim whose exclusion node is this one.
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

    /// Finds a claim of an item here whose exclusion node is further up.
    func lastInside(_ claims: NodeClaims, where test: (ClaimID) -> Bool) -> ClaimID? {
        if let found = last(of: .innerWriting, in: claims, where: test) { return found }
        return isWriting ? last(of: .innerReading, in: claims, where: test) : nil
    }

    /// Finds a claim that covers everything below this node.
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
