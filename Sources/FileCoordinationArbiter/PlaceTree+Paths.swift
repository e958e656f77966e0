// SPDX-License-Identifier: Apache-2.0
//
// Looking at a place by its path: for what is not the item of a claim, such as where an item has
// been moved to.

extension PlaceTree {
    /// The presenters of a place.
    func presenters(at path: ItemPath) -> OrderedIDs<PresenterID> {
        node(of: path).map { nodes[$0].presenters } ?? []
    }

    /// The presenters of directories that contain a place, the nearest first, with the number of
    /// components of their place.
    func presenters(
        containing path: ItemPath
    ) -> [(depth: Int, presenters: OrderedIDs<PresenterID>)] {
        nodes(towards: path).prefix(path.depth).enumerated().reversed().compactMap { depth, node in
            nodes[node].presenters.isEmpty ? nil : (depth, nodes[node].presenters)
        }
    }

    /// The presenters of a place and of everything inside it; ascending.
    func presenters(atOrBelow path: ItemPath) -> [PresenterID] {
        guard let top = node(of: path) else { return [] }
        return (nodes[top].presenters + presenters(below: top)).sorted()
    }

    /// The claims with an item at a place or inside it, or with a package there; some are listed
    /// several times.
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

    /// The claims that hold their place and are filed at this one or at a directory that contains
    /// it.
    func placedClaims(onTheWayTo path: ItemPath) -> [ClaimID] {
        nodes(towards: path).flatMap { node in
            FilingReason.allCases.flatMap { reason in
                nodes[node].claims[reason]?.holding.all.map(\.claim) ?? []
            }
        }
    }
}
