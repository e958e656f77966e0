// SPDX-License-Identifier: Apache-2.0
//
// Searches by path, for paths that are not an item of a claim, such as the target of a move.

extension PlaceTree {
    /// Returns the presenters of a path.
    func presenters(at path: ItemPath) -> OrderedIDs<PresenterID> {
        node(of: path).map { nodes[$0].presenters } ?? []
    }

    /// Returns the presenters of directories that contain a path, nearest first, with the depth of
    /// their paths.
    func presenters(
        containing path: ItemPath
    ) -> [(depth: Int, presenters: OrderedIDs<PresenterID>)] {
        nodes(towards: path).prefix(path.depth).enumerated().reversed().compactMap { depth, node in
            nodes[node].presenters.isEmpty ? nil : (depth, nodes[node].presenters)
        }
    }

    /// Returns the presenters of a path and of everything inside it, ascending.
    func presenters(atOrBelow path: ItemPath) -> [PresenterID] {
        guard let top = node(of: path) else { return [] }
        return (nodes[top].presenters + presenters(below: top)).sorted()
    }

    /// Returns the claims with an item at a path or inside it, or with their exclusion node there.
    ///
    /// A claim may be listed several times.
    func claims(atOrBelow path: ItemPath) -> [ClaimID] {
        guard let top = node(of: path) else { return [] }
        var result: [ClaimID] = []
        var ahead = [top]
        while let node = ahead.popLast() {
            guard nodes[node].claimsBelow > 0 else { continue }
            result.append(contentsOf: nodes[node].claims.all)
            ahead.append(contentsOf: nodes[node].children)
        }
        return result
    }

    /// Returns the claims that hold their position and concern this path's node or one of its
    /// ancestors.
    func placedClaims(onTheWayTo path: ItemPath) -> [ClaimID] {
        nodes(towards: path).flatMap { node in
            FilingReason.allCases.flatMap { reason in
                nodes[node].claims[reason]?.holding.all.map(\.claim) ?? []
            }
        }
    }
}
