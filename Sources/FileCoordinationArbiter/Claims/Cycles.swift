// SPDX-License-Identifier: Apache-2.0
//
// Finds deadlocks: claims that wait for themselves through others (Rule 18.4). In the graph of
// waits, an edge leads
//
// - from a waiting claim to each claim that must end first,
// - from a claim whose accessor is running to the claim that this accessor waits for, on its own
//   thread, in its own task, or in a command that it runs and waits for,
// - from a claim that waits for a presenter's answer to the claim that keeps the presenter from
//   answering: a call made in the presenter's callback, or one that occupies the presenter's queue.
//
// Each edge must be resolved before the wait can end, so a cycle is a deadlock. Nothing else is
// treated as one.

extension Arbiter {
    /// Records that a presenter cannot answer the question for `claim` before `call`, a call of its
    /// own process, is granted or over.
    ///
    /// Does nothing if it has no such question.
    mutating func block(_ presenter: PresenterID, for claim: ClaimID, by call: ClaimID?) {
        guard let record = registry[presenter] else { return }
        let client = record.registration.client
        let blockedBy = call.flatMap { records[$0] }
            .flatMap { $0.claim.client == client ? $0.claim.id : nil }
        guard let answer = records[claim]?.asking?.awaited[presenter] else {
            return setLateCall(record.isLate(for: claim) ? blockedBy : nil, of: record, for: claim)
        }
        setLateCall(nil, of: record, for: claim)
        switch answer.question {
        case .put: break
        case .postponed: return
        }
        guard blockedBy != answer.blockedBy else { return }
        if let former = answer.blockedBy { purposeIndex.endBlocking(former) }
        if let blockedBy { purposeIndex.beginBlocking(blockedBy) }
        records[claim]?.updateAsking { asking in
            var answer = answer
            answer.blockedBy = blockedBy
            asking.awaited.insert(answer)
        }
    }

    /// Records what keeps a presenter from an answer that its claim has not waited for.
    private mutating func setLateCall(
        _ call: ClaimID?, of record: PresenterRecord, for claim: ClaimID
    ) {
        let former = record.lateCalls.first { $0.asker == claim }?.call
        guard call != former else { return }
        if let former { purposeIndex.endBlocking(former) }
        if let call { purposeIndex.beginBlocking(call) }
        let presenter = record.registration.id
        registry[presenter]?.lateCalls.removeAll { $0.asker == claim }
        if let call { registry[presenter]?.lateCalls.append(.init(asker: claim, call: call)) }
    }

    /// Records that a presenter has answered a claim that may have continued before.
    mutating func discardLateCall(of presenter: PresenterID, for claim: ClaimID) {
        if let record = registry[presenter] { setLateCall(nil, of: record, for: claim) }
    }

    /// Records that a presenter has no late answer to give any more.
    mutating func discardLateCalls(of presenter: PresenterID) {
        for late in registry[presenter]?.lateCalls ?? [] {
            discardLateCall(of: presenter, for: late.asker)
        }
    }

    /// Records that a claim is over and keeps no presenter from answering any more.
    mutating func endBlocking(_ call: FiledClaim) {
        for presenter in clientStates[call.client]?.presenters ?? [] {
            for late in registry[presenter]?.lateCalls ?? [] where late.call == call.id {
                discardLateCall(of: presenter, for: late.asker)
            }
            for claim in registry[presenter]?.awaitedBy ?? []
            where records[claim]?.asking?.awaited[presenter]?.blockedBy == call.id {
                block(presenter, for: claim, by: nil)
            }
        }
    }

    /// Records that no question for a claim is blocked any more, because the claim asks no more.
    mutating func unblockQuestions(for claim: ClaimID) {
        guard !purposeIndex.blocking.isEmpty else { return }
        for answer in records[claim]?.asking?.awaited ?? [] where answer.blockedBy != nil {
            block(answer.presenter, for: claim, by: nil)
        }
    }

    /// Fails one claim of a cycle, if there is one.
    ///
    /// The caller then repeats the search.
    mutating func breakCycle(_ reevaluations: inout ReevaluationQueue) {
        // Without a call that waits inside an accessor or blocks a presenter, waits cannot form a
        // cycle.
        guard purposeIndex.mayCloseCycle else { return }
        // A claim that holds its position may wait, too: for one that was let past it, or for one
        // at a path to which its items have moved. A new cycle contains a wait that has just begun.
        let nested =
            reevaluations.mayHaveNewWaits
            ? Array(purposeIndex.nestedWaiting) + Array(purposeIndex.nestedAsking)
            : Array(reevaluations.nested)
        let blocking =
            reevaluations.mayHaveNewWaits ? OrderedIDs(unique: purposeIndex.blocking) : []
        let starts = (nested.filter(isInsideAwaited) + blocking)
            .filter { records[$0] != nil && mayReachTarget($0, &reevaluations.indirectWaits) }
        guard !starts.isEmpty else { return }
        let componentNumbers = waitComponents(among: starts, &reevaluations.indirectWaits)
        for start in starts {
            guard let component = componentNumbers[start] else { continue }
            guard
                let cycle = cycle(
                    through: start, in: component, componentNumbers, &reevaluations.indirectWaits),
                let victim = victim(of: cycle)
            else {
                continue
            }
            // The cycle as seen by the failing claim, which comes first.
            let start = cycle.firstIndex { $0.claim.id == victim } ?? 0
            reevaluations.emit(.failInCycle(victim, Array(cycle[start...] + cycle[..<start])))
            finish(victim, &reevaluations)
            return reevaluations.markProgress()
        }
    }

    /// Whether a claim waits for an accessor that surrounds this one.
    ///
    /// Otherwise no path leads back to it.
    private func isInsideAwaited(_ id: ClaimID) -> Bool {
        records[id]?.claim.outerClaims.contains(where: isAwaited) ?? false
    }

    /// Returns the youngest claim of the cycle that waits in the queue, or else the youngest that
    /// asks.
    private func victim(of cycle: [CycleStep]) -> ClaimID? {
        func youngest(_ stage: ClaimStage) -> ClaimID? {
            cycle.filter { $0.stage == stage }.map(\.claim.id).max()
        }
        return youngest(.waiting) ?? youngest(.asking)
    }

    /// A claim that must end first, and the presenter that is the reason, if there is one.
    private struct Edge {
        let claim: ClaimID
        var presenter: PresenterID?
    }

    /// Returns a cycle through `start`: each claim waits for the next, and the last for `start`,
    /// which comes first.
    ///
    /// All claims of the cycle are in the same component.
    private func cycle(
        through start: ClaimID, in component: Int, _ componentNumbers: [ClaimID: Int],
        _ waits: inout IndirectWaits
    ) -> [CycleStep]? {
        /// For each claim found: the claim before it on the path, and the presenter between them.
        ///
        /// Used for lookup only.
        var cameFrom: [ClaimID: (claim: ClaimID, presenter: PresenterID?)] = [:]
        var ahead = [start]
        while let id = ahead.popLast() {
            for edge in edges(from: id, &waits)
            where cameFrom[edge.claim] == nil && componentNumbers[edge.claim] == component {
                cameFrom[edge.claim] = (id, edge.presenter)
                if edge.claim == start { return way(to: start, cameFrom) }
                ahead.append(edge.claim)
            }
        }
        return nil
    }

    private func way(
        to start: ClaimID, _ cameFrom: [ClaimID: (claim: ClaimID, presenter: PresenterID?)]
    ) -> [CycleStep] {
        var way: [CycleStep] = []
        var id = start
        while let (former, presenter) = cameFrom[id], let record = records[former] {
            way.append(
                CycleStep(claim: record.claim, stage: record.stage, presenter: presenter))
            id = former
            if id == start { break }
        }
        return way.reversed()
    }

    /// Returns the claims that must end before `id` can.
    private func edges(from id: ClaimID, _ waits: inout IndirectWaits) -> [Edge] {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed, .skipped: return []
        case .waiting: return blockers(of: record, &waits).map { Edge(claim: $0) }
        case .asking(let asking):
            return claimsAwaited(by: id, asking).map { Edge(claim: $0) }
                + edges(throughPresentersOf: asking)
        case .granted:
            return innerCalls(of: record).map { Edge(claim: $0) }
        }
    }

    /// Returns the calls for which the accessor of a granted claim waits.
    private func innerCalls(of record: ClaimState) -> [ClaimID] {
        let id = record.claim.id
        return purposeIndex.inner(of: id).filter { inner in
            guard let claim = records[inner]?.claim else { return false }
            // A process knows the claims around its own ones. Claims of other processes are known
            // through the commands that made them.
            return claim.surrounding.contains(id) || claim.client == record.claim.client
        }
    }

    /// Returns the calls that keep presenters from answering a claim.
    private func edges(throughPresentersOf asking: ClaimState.Asking) -> [Edge] {
        guard !purposeIndex.blocking.isEmpty else { return [] }
        return asking.awaited.flatMap { edges(through: $0) }
    }

    /// Returns claims that must end before `id` can: enough of them to reach every other one.
    func nearestEdges(from id: ClaimID, _ waits: inout IndirectWaits) -> [ClaimID] {
        guard let record = records[id] else { return [] }
        switch record.state {
        case .filed, .skipped: return []
        case .waiting: return nearestBlockers(of: id, &waits)
        case .asking(let asking):
            return nearestBlockers(of: id, &waits)
                + edges(throughPresentersOf: asking).map(\.claim)
        case .granted: return innerCalls(of: record)
        }
    }

    /// Returns the calls that keep a presenter from answering.
    private func edges(through answer: AwaitedAnswer) -> [Edge] {
        let presenter = answer.presenter
        let calls: [ClaimID?] =
            switch answer.question {
            case .put: [answer.blockedBy]
            // It is asked when it has answered the claims for which it is relinquishing.
            case .postponed(let steps):
                relinquishing(presenter, steps.relinquish).map { claim in
                    records[claim]?.asking?.awaited[presenter]?.blockedBy
                        ?? lateCall(of: presenter, for: claim)
                }
            }
        return calls.compactMap { call in
            guard let call, records[call]?.grant == nil else { return nil }
            return Edge(claim: call, presenter: presenter)
        }
    }

    /// The call that keeps a presenter from an answer that the claim has not waited for.
    private func lateCall(of presenter: PresenterID, for claim: ClaimID) -> ClaimID? {
        registry[presenter]?.lateCalls.first { $0.asker == claim }?.call
    }

    /// Returns the claims for which a presenter is relinquishing its item now.
    private func relinquishing(
        _ presenter: PresenterID, _ kinds: Relinquishments
    ) -> [ClaimID] {
        kinds.compactMap { kind in
            switch registry[presenter]?[kind] {
            case .relinquishing(let claim): claim
            case .kept, .relinquished, nil: nil
            }
        }
    }
}

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
    fileprivate(set) var isCollected = false
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

// Claims that wait for each other, found in one search from all claims at which a new cycle may
// begin (Tarjan's algorithm, without recursion). A search of its own for each of thousands of calls
// that wait in one queue would look at the whole queue thousands of times, even if there is no
// cycle.

extension Arbiter {
    /// Returns a number for each claim that is in a cycle and is reached from `starts`: the same
    /// number for claims that wait for each other.
    ///
    /// The result is used for lookup only.
    func waitComponents(among starts: [ClaimID], _ waits: inout IndirectWaits) -> [ClaimID: Int] {
        var search = ComponentSearch()
        for start in starts where search.isNew(start) {
            search.enter(start, nearestEdges(from: start, &waits))
            while let next = search.step() {
                // No cycle contains a claim that reaches no target.
                guard mayReachTarget(next, &waits) else { continue }
                search.enter(next, nearestEdges(from: next, &waits))
            }
        }
        return search.componentNumbers
    }
}

/// A depth-first search for claims that wait for each other.
private struct ComponentSearch {
    /// A claim on the path of the search.
    private struct Visit {
        let claim: ClaimID
        let order: Int
        /// The claims that it waits for and that have not been looked at.
        var ahead: [ClaimID]
        /// The lowest order of a claim on the path that is reached from here.
        var lowest: Int
        var waitsForItself = false
    }

    /// The claims found, with a number for those that wait for each other.
    private(set) var componentNumbers: [ClaimID: Int] = [:]
    /// When each claim was visited; used for lookup only.
    private var orders: [ClaimID: Int] = [:]
    private var path: [Visit] = []
    /// The visited claims whose componentNumbers are not complete, in the order of the visits.
    private var open: [ClaimID] = []
    /// The same claims; used for lookup only.
    private var isOpen: Set<ClaimID> = []

    /// Whether a claim was not visited yet.
    func isNew(_ claim: ClaimID) -> Bool { orders[claim] == nil }

    /// Visits a claim that waits for these.
    mutating func enter(_ claim: ClaimID, _ edges: [ClaimID]) {
        let order = orders.count
        orders[claim] = order
        open.append(claim)
        isOpen.insert(claim)
        path.append(Visit(claim: claim, order: order, ahead: edges, lowest: order))
    }

    /// Returns the next claim to visit, or nil when all that were reached are complete.
    mutating func step() -> ClaimID? {
        while var visit = path.popLast() {
            guard let next = visit.ahead.popLast() else {
                leave(visit)
                continue
            }
            if next == visit.claim { visit.waitsForItself = true }
            if let order = orders[next], isOpen.contains(next) {
                visit.lowest = min(visit.lowest, order)
            }
            path.append(visit)
            if isNew(next) { return next }
        }
        return nil
    }

    private mutating func leave(_ visit: Visit) {
        if let last = path.indices.last {
            path[last].lowest = min(path[last].lowest, visit.lowest)
        }
        guard visit.lowest == visit.order else { return }
        let isKnot = open.last != visit.claim || visit.waitsForItself
        while let claim = open.popLast() {
            isOpen.remove(claim)
            if isKnot { componentNumbers[claim] = visit.order }
            if claim == visit.claim { return }
        }
    }
}
