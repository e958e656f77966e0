// SPDX-License-Identifier: Apache-2.0
//
// The invariants of delegations between events: nothing is delegated where the arbiter has to
// decide, and nothing waits for a recall that the server does not know of. Debug builds and
// simulations check them.

extension Arbiter {
    /// Describes the first invariant of delegations that does not hold, or is nil.
    var brokenDelegation: String? {
        guard !delegations.isEmpty else { return nil }
        if delegations.recalling.isEmpty, !delegations.held.isEmpty {
            return "something waits for no recall"
        }
        if mode == .recovering { return "something is delegated before the arbiter decides" }
        return brokenByClaim() ?? brokenByPresenter() ?? brokenByAnother()
    }

    /// No claim that the arbiter has decided on conflicts with a delegation.
    private func brokenByClaim() -> String? {
        for id in records.ids {
            guard let record = records[id] else { continue }
            // A claim found in a ledger was granted by its client, under the delegation itself.
            if record.grant?.source == .ledger { continue }
            for concerned in delegationsConcerned(by: record.territory) {
                // The claim precedes the turns of the queue.
                if delegations.closedQueues.contains(concerned) { continue }
                return "\(id) meets delegation \(concerned.rawValue), which stands"
            }
        }
        return nil
    }

    /// No presenter would have to be asked under a delegation, or miss a write under one.
    private func brokenByPresenter() -> String? {
        for id in registry.ids {
            guard let presenter = registry[id]?.registration, let path = presenter.path else {
                continue
            }
            for concerned in self.concerned(byPresenterAt: path, presenter.methods) {
                return "\(id) is passed over by delegation \(concerned.rawValue)"
            }
        }
        return nil
    }

    /// Delegations of different clients at one path are compatible.
    private func brokenByAnother() -> String? {
        for delegation in delegations.all {
            guard case .place = delegation.holding else { continue }
            for id in delegations.index.overlapping(delegation.path) where id != delegation.id {
                guard let other = delegations[id], other.client != delegation.client else {
                    continue
                }
                if !delegation.isForReadingOnly || !other.isForReadingOnly {
                    return "two clients have \(delegation.path), and one of them writes"
                }
            }
        }
        return nil
    }
}
