// SPDX-License-Identifier: Apache-2.0
//
// Which claims wait for which through chains of claims. The exceptions (Rules 2.16, 2.17) and the
// search for cycles (Rule 18.4) need that, but only for a few targets: accessors that wait for a
// claim made inside them, claims that ask a presenter, calls that keep a presenter from answering.
//
// So the search goes backwards from these targets first, in one sweep over the tree that ignores
// the exceptions, and collects every claim that could reach one. In most cases there are few. For
// those alone it then determines what they wait for, oldest first: a claim waits for what each of
// its blockers waits for, and the blockers' sets are complete by then. Nothing is recursive,
// because a queue may be longer than a thread's stack is deep.

/// The indirect waits among the claims that could reach a target, valid until a wait changes.
struct IndirectWaits {
    /// Whether the claims have been collected.
    fileprivate var isCollected = false
    /// The number of each collected claim; used for lookup only.
    fileprivate var numbers: [ClaimID: Int] = [:]
    /// The collected claims by number.
    ///
    /// Those that hold their position come first, then the others, oldest first, so a claim waits
    /// only for claims with smaller numbers.
    fileprivate var claims: [ClaimID] = []
    /// What each claim waits for directly or indirectly, for the first so many claims.
    fileprivate var reached: [ClaimSet] = []
    /// Claims that each one waits for directly, without those that it also waits for through
    /// another one of these.
    fileprivate var nearest: [[ClaimID]] = []
    /// The claims that wait for answers of presenters of a purpose; used for lookup only.
    fileprivate var askers: [Purpose: ClaimSet] = [:]
}

extension Arbiter {
    /// Whether `id` could wait for a target, if there were no exceptions.
    func mayReachTarget(_ id: ClaimID, _ waits: inout IndirectWaits) -> Bool {
        collect(&waits)
        return waits.numbers[id] != nil
    }

    /// Whether `id` asks a presenter of this purpose, or waits for a claim that does.
    func isOrWaitsForAsker(
        _ id: ClaimID, of purpose: Purpose, _ waits: inout IndirectWaits
    ) -> Bool {
        guard let number = complete(id, &waits) else { return false }
        let askers = askers(of: purpose, &waits)
        return askers.contains(number) || !askers.isDisjoint(with: waits.reached[number])
    }

    /// Whether `id` is one of these targets, or waits for one.
    func isOrWaits(_ id: ClaimID, forAnyOf targets: [ClaimID], _ waits: inout IndirectWaits)
        -> Bool
    {
        guard let number = complete(id, &waits) else { return false }
        return targets.contains { target in
            guard let target = waits.numbers[target] else { return false }
            return target == number || waits.reached[number].contains(target)
        }
    }

    /// Returns claims that `id` waits for directly and through which it waits for all others that
    /// could reach a target.
    func nearestBlockers(of id: ClaimID, _ waits: inout IndirectWaits) -> [ClaimID] {
        complete(id, &waits).map { waits.nearest[$0] } ?? []
    }

    private func askers(of purpose: Purpose, _ waits: inout IndirectWaits) -> ClaimSet {
        if let known = waits.askers[purpose] { return known }
        var result = ClaimSet()
        for presenter in OrderedIDs(unique: purposeIndex.awaited(purpose)) {
            for claim in registry[presenter]?.awaitedBy ?? [] {
                if let number = waits.numbers[claim] { result.insert(number) }
            }
        }
        waits.askers[purpose] = result
        return result
    }

    // MARK: Forwards

    /// Determines what `id` waits for; returns its number, or nil if it cannot reach a target.
    private func complete(_ id: ClaimID, _ waits: inout IndirectWaits) -> Int? {
        collect(&waits)
        guard let number = waits.numbers[id] else { return nil }
        while waits.reached.count <= number { completeNext(&waits) }
        return number
    }

    private func completeNext(_ waits: inout IndirectWaits) {
        let number = waits.reached.count
        var reached = ClaimSet()
        var nearest: [ClaimID] = []
        func add(_ id: ClaimID, _ other: Int, _ waits: IndirectWaits) {
            reached.insert(other)
            reached.formUnion(waits.reached[other])
            nearest.append(id)
        }
        let id = waits.claims[number]
        if let record = records[id] {
            switch record.state {
            case .filed, .waiting:
                _ = tree.firstNeighbour(of: id, .ahead) { other, meeting in
                    // A claim that is already reached through a later blocker need not be examined.
                    guard let place = waits.numbers[other], place < number,
                        !reached.contains(place),
                        isInTheWay(other, of: record, meeting, &waits)
                    else { return false }
                    add(other, place, waits)
                    return false
                }
            case .asking(let asking):
                for other in claimsAwaited(by: id, asking).reversed() {
                    guard let place = waits.numbers[other], place < number,
                        !reached.contains(place)
                    else { continue }
                    add(other, place, waits)
                }
            case .skipped, .granted: break
            }
        }
        waits.reached.append(reached)
        waits.nearest.append(nearest)
    }

    // MARK: Backwards

    /// Collects the claims that could reach a target, and numbers them.
    private func collect(_ waits: inout IndirectWaits) {
        guard !waits.isCollected else { return }
        waits.isCollected = true
        var search = BackwardSearch()
        addTargets(to: &search)
        while let id = search.ahead.popLast() {
            if let record = records[id] { addWaiters(for: record, to: &search) }
        }
        number(search.found, &waits)
    }

    /// The claims that a search has found so far.
    private struct BackwardSearch {
        /// Used for lookup only.
        private var known: Set<ClaimID> = []
        private(set) var found: [ClaimID] = []
        var ahead: [ClaimID] = []
        var sweep = PlaceTree.Sweep()

        mutating func add(_ id: ClaimID) {
            guard known.insert(id).inserted else { return }
            found.append(id)
            ahead.append(id)
        }
    }

    private func addTargets(to search: inout BackwardSearch) {
        for nested in [purposeIndex.nestedWaiting, purposeIndex.nestedAsking] {
            for id in nested {
                for outer in records[id]?.claim.outerClaims ?? []
                where records[outer]?.grant != nil && isAwaited(outer) {
                    search.add(outer)
                }
            }
        }
        // Used for lookup only.
        var known: Set<Purpose> = []
        for id in purposeIndex.waitingWhileAwaited {
            guard let purpose = records[id]?.claim.purpose, known.insert(purpose).inserted else {
                continue
            }
            for presenter in OrderedIDs(unique: purposeIndex.awaited(purpose)) {
                for asker in registry[presenter]?.awaitedBy ?? [] { search.add(asker) }
            }
        }
        for id in OrderedIDs(unique: purposeIndex.blocking) where records[id] != nil {
            search.add(id)
        }
    }

    /// Adds all claims that may wait for `record` directly, and perhaps some others.
    private func addWaiters(for record: ClaimState, to search: inout BackwardSearch) {
        let claim = record.claim
        var waiters: [ClaimID] = Array(record.passed)
        tree.visitClaims(around: claim.id, &search.sweep) { waiters.append($0) }
        // Rule 6.11
        for presenter in record.relinquished {
            waiters += registry[presenter]?.postponedFor ?? []
        }
        // Accessors wait for the calls made inside them, and claims for presenters that a call
        // keeps from answering.
        if claim.holdsUpAccessor, record.grant == nil { waiters += claim.outerClaims }
        if purposeIndex.blocking.contains(claim.id) {
            for presenter in clientStates[claim.client]?.presenters ?? [] {
                waiters += registry[presenter]?.awaitedBy ?? []
            }
        }
        let outer = claim.outerClaims
        for id in waiters {
            guard let waiter = records[id], waiter.grant == nil || outer.contains(id) else {
                continue
            }
            search.add(id)
        }
    }

    private func number(_ found: [ClaimID], _ waits: inout IndirectWaits) {
        var granted: [ClaimID] = []
        var asking: [ClaimID] = []
        var waiting: [ClaimID] = []
        for id in found {
            switch records[id]?.state {
            case .granted: granted.append(id)
            case .asking: asking.append(id)
            case .filed, .waiting, .skipped: waiting.append(id)
            case nil: continue
            }
        }
        waits.claims = granted + awaitedFirst(asking) + waiting.sorted()
        for (number, id) in waits.claims.enumerated() { waits.numbers[id] = number }
    }

    /// Returns claims in stage 2 in an order in which each one comes after those that it waits for.
    private func awaitedFirst(_ asking: [ClaimID]) -> [ClaimID] {
        // Used for lookup only.
        let wanted = Set(asking)
        var known: Set<ClaimID> = []
        var result: [ClaimID] = []
        var ahead = asking.map { (id: $0, isDone: false) }
        while let (id, isDone) = ahead.popLast() {
            if isDone {
                result.append(id)
            } else if known.insert(id).inserted, let state = records[id]?.asking {
                ahead.append((id, true))
                for other in claimsAwaited(by: id, state)
                where wanted.contains(other) && !known.contains(other) {
                    ahead.append((other, false))
                }
            }
        }
        return result
    }
}
