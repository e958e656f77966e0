// SPDX-License-Identifier: Apache-2.0
//
// What stands in the way of plain access to one item: claims that the arbiter knows there, and
// presenters that would have to be asked. Where nothing does, the access need not be decided by the
// arbiter (Rules 2.1 to 2.6, 6.1, 6.7, 6.9, 7.3, 7.4).

/// Whether plain accesses to one item, outside of any package, need the arbiter.
struct Openness: Hashable, Sendable {
    /// A read waits for no claim, no later claim of another kind waits at the place, and no
    /// presenter would be asked.
    var toReads = true
    /// The same of a write.
    var toWrites = true
    /// Whether a presenter is to be told of what a write changes.
    var tellsPresenters = false
}

extension PresenterMethods {
    /// What a plain read asks for (Rules 6.1, 6.9).
    static let askedByReads: Self = [.relinquishToReader, .save]
    /// What a plain write asks for; one that merges asks for saving, too.
    static let askedByWrites: Self = [.relinquishToWriter, .save]
    /// By what a presenter of an item, or of a directory that contains it, is told of a write
    /// (Rules 7.3 to 7.5).
    static let isToldOfWrites: Self = [.itemDidChange, .subitemDidAppear, .subitemDidChange]
}

extension Arbiter {
    /// What stands in the way at a place.
    ///
    /// Whose purpose a presenter has is not looked at: it is asked and told by an ordinary claim.
    func openness(_ path: ItemPath) -> Openness {
        var result = Openness()
        let way = tree.nodes(towards: path)
        for node in way {
            let claims = tree.nodes[node].claims
            if claims[.domainWriting] != nil { result.toReads = false }
            if claims[.domainReading] != nil { result.toWrites = false }
            for id in tree.nodes[node].presenters {
                guard let methods = registry[id]?.registration.methods else { continue }
                if !methods.isDisjoint(with: .isToldOfWrites) { result.tellsPresenters = true }
            }
        }
        if way.count == path.depth + 1, let node = way.last {
            let claims = tree.nodes[node].claims
            if claims[.nodeWriting] != nil || claims[.innerWriting] != nil {
                result.toReads = false
            }
            if !claims.isEmpty { result.toWrites = false }
            for id in tree.nodes[node].presenters {
                guard let methods = registry[id]?.registration.methods else { continue }
                if !methods.isDisjoint(with: .askedByReads) { result.toReads = false }
                if !methods.isDisjoint(with: .askedByWrites) { result.toWrites = false }
            }
        }
        // A claim that keeps reads away keeps writes away.
        if !result.toReads { result.toWrites = false }
        return result
    }
}
