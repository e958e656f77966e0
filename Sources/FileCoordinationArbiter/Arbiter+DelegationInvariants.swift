// SPDX-License-Identifier: Apache-2.0
//
// What is true of delegations between events: nothing is delegated where the arbiter has to decide,
// and nothing waits for a recall that the server does not know of.

extension Arbiter {
    /// The first invariant of delegations that does not hold, in words, or nil.
    var brokenDelegation: String? {
        guard !delegations.isEmpty else { return nil }
        if delegations.recalling.isEmpty, !delegations.held.isEmpty {
            return "something waits for no recall"
        }
        if mode == .recovering { return "something is delegated before the arbiter decides" }
        let all = delegations.all
        return brokenByClaim(all) ?? brokenByPresenter(all) ?? brokenByAnother(all)
    }

    /// No claim that the arbiter decided of meets what is delegated.
    private func brokenByClaim(_ all: [Delegation]) -> String? {
        for id in records.ids {
            guard let record = records[id] else { continue }
            // What ledgers say is so: it runs by the delegation itself.
            if record.grant?.source == .ledger { continue }
            for concerned in delegationsConcerned(by: record.territory) {
                // It comes before the turns of the queue.
                if delegations.closedQueues.contains(concerned) { continue }
                return "\(id) meets delegation \(concerned.rawValue), which stands"
            }
        }
        return nil
    }

    /// No presenter would have to be asked, or is told nothing of a write.
    private func brokenByPresenter(_ all: [Delegation]) -> String? {
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

    /// What two clients have at one place goes together.
    private func brokenByAnother(_ all: [Delegation]) -> String? {
        for delegation in all {
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
