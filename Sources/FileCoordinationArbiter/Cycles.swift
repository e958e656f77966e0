// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait for themselves, by way of others (Rule 18.4). An edge leads from a claim that
// waits to each claim that must end first, and from a claim whose accessor runs to the claim that
// this accessor waits for, on its own thread or in its own task. Each of them has to be gone before
// the wait can end, so a circle is a deadlock, and nothing else is taken for one.

extension Arbiter {
    /// Fails one claim of a cycle, if there is any; the caller looks again.
    mutating func breakCycle(_ turn: inout Turn) {
        // Without a call inside an accessor that waits nobody waits for somebody who waits for him.
        for start in census.nestedWaiting where records[start]?.claim.blocksCaller == true {
            guard let cycle = cycle(through: start), let victim = victim(of: cycle) else {
                continue
            }
            let steps = cycle.compactMap { id in
                records[id].map { CycleStep(claim: $0.claim, stage: $0.stage) }
            }
            turn.emit(.failInCycle(victim, steps))
            conclude(victim, &turn)
            return turn.noteProgress()
        }
    }

    /// The youngest claim that waits in line; if there is none, the youngest that asks.
    private func victim(of cycle: [ClaimID]) -> ClaimID? {
        func youngest(_ stage: ClaimStage) -> ClaimID? {
            cycle.filter { records[$0]?.stage == stage }.max()
        }
        return youngest(.waiting) ?? youngest(.asking)
    }

    /// Claims of which each waits for the next, and the last for `start`, which is the first.
    private func cycle(through start: ClaimID) -> [ClaimID]? {
        var excuses = Excuses()
        var cameFrom: [ClaimID: ClaimID] = [:]
        var ahead = [start]
        while let id = ahead.popLast() {
            for next in successors(of: id, &excuses) {
                if next == start { return way(to: id, from: start, cameFrom) }
                if next != start, cameFrom[next] == nil {
                    cameFrom[next] = id
                    ahead.append(next)
                }
            }
        }
        return nil
    }

    private func way(
        to end: ClaimID, from start: ClaimID, _ cameFrom: [ClaimID: ClaimID]
    ) -> [ClaimID] {
        var way = [end]
        while let last = way.last, last != start, let former = cameFrom[last] { way.append(former) }
        return way.reversed()
    }

    /// The claims that must be over before `id` can be.
    private func successors(of id: ClaimID, _ excuses: inout Excuses) -> OrderedIDs<ClaimID> {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed: return []
        case .waiting: return blockers(of: record, &excuses)
        case .asking(let asking): return claimsAwaited(by: id, asking)
        case .granted:
            let waiting = Array(census.nestedWaiting) + Array(census.asking)
            return OrderedIDs(
                unique: waiting.filter { inner in
                    guard let claim = records[inner]?.claim else { return false }
                    return claim.blocksCaller && claim.client == record.claim.client
                        && claim.enclosing.contains(id)
                })
        }
    }
}
