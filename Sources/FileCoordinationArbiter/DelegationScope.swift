// SPDX-License-Identifier: Apache-2.0
//
// Determines whether plain access to one item needs the arbiter. It does if there are claims, or
// presenters that would have to be asked. Otherwise the item can be delegated (Rules 2.1 to 2.6,
// 6.1, 6.7, 6.9, 7.3, 7.4).

/// Whether plain accesses to one item outside of packages need the arbiter.
struct DelegationScope: Hashable, Sendable {
    /// Whether a read would wait for no claim, no later writer waits, and no presenter would be
    /// asked.
    var toReads = true
    /// Whether these conditions hold for a write.
    var toWrites = true
    /// Whether a presenter must be told what a write changes.
    var tellsPresenters = false
}

extension PresenterMethods {
    /// The methods that a plain read may call (Rules 6.1, 6.9).
    static let askedByReads: Self = [.relinquishToReader, .save]
    /// The methods that a plain write may call; a merging one also asks to save.
    static let askedByWrites: Self = [.relinquishToWriter, .save]
    /// The methods by which a presenter of an item, or of a directory around it, is told about a
    /// write (Rules 7.3 to 7.5).
    static let isToldOfWrites: Self = [.itemDidChange, .subitemDidAppear, .subitemDidChange]
}

extension Arbiter {
    /// Returns whether accesses at a path need the arbiter.
    ///
    /// The purposes of presenters are ignored: an ordinary claim asks and tells them where it must.
    func delegationScope(_ path: ItemPath) -> DelegationScope {
        var result = DelegationScope()
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
        // A claim that excludes reads excludes writes, too.
        if !result.toReads { result.toWrites = false }
        return result
    }
}
