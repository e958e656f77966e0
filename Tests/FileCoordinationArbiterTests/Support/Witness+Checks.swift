// SPDX-License-Identifier: Apache-2.0
//
// The conditions that must hold after every event.

import FileCoordinationArbiter

extension Witness {
    /// Whether a presenter has relinquished, or is being asked to, for a claim that is not over.
    ///
    /// A claim that could not ask yet does not count.
    func isRelinquished(_ id: PresenterID, _ kind: Relinquishment) -> Bool {
        rules.claims.contains { claim in
            guard needs[claim.id]?[id]?.relinquish.contains(kind) == true else { return false }
            return isServed(claim.id, by: id)
                || open.contains { $0.presenter == id && $0.claim == claim.id }
        }
    }

    /// Whether a presenter has done everything that a claim needs of it.
    func isServed(_ claim: ClaimID, by id: PresenterID) -> Bool {
        guard let steps = needs[claim]?[id], let presenter = seen(id) else { return true }
        return steps.relinquish.allSatisfy(presenter.gone.contains)
            && !open.contains { $0.presenter == id && $0.claim == claim }
    }

    /// Rule 2.14 and its exceptions, for a claim that took its place in this event.
    func checkOrder(_ id: ClaimID, _ arrived: [ClaimID], before: Rulebook) -> String? {
        guard let claim = rules.claim(id), clock < Limits.readerChainForTests else { return nil }
        let asBefore = claim.asWaiting
        // An exception counts if it applied at any time in the event; what came later can end it.
        let moments = [before] + moments(before: id, arrived.filter { $0 != id }[...])
        for other in rules.claims where Rulebook.conflict(claim, other) {
            func canBypass(_ one: SeenClaim, from another: SeenClaim) -> Bool {
                moments.contains { rules in
                    rules.claim(another.id).map { rules.canBypass(one, from: $0) } ?? false
                }
            }
            switch other.stage {
            case .waiting:
                if other.id > id || Rulebook.isOnlyInsideMove(other, of: claim) {
                    continue
                }
                if !canBypass(asBefore, from: other) { return "\(id) overtook \(other.id)" }
            case .asking, .granted:
                if arrived.contains(other.id) {
                    if canBypass(asBefore, from: other) || canBypass(other.asWaiting, from: claim) {
                        continue
                    }
                    return "\(id) and \(other.id) took one place"
                }
                if other.isGranted || !canBypass(asBefore, from: other) {
                    return "\(id) took the place of \(other.id)"
                }
            }
        }
        return nil
    }

    /// The states that may have existed during the event: with each subset of the arrivals.
    private func moments(before id: ClaimID, _ arrived: ArraySlice<ClaimID>) -> [Rulebook] {
        guard let first = arrived.first else { return [rules.withoutArrival(of: id), rules] }
        let rest = moments(before: id, arrived.dropFirst())
        return rest + rest.map { $0.withoutArrival(of: first) }
    }

    private func isLoop(from start: ClaimID, to end: ClaimID) -> Bool {
        var seen: Set<ClaimID> = [end]
        var ahead = [start]
        while let id = ahead.popLast() {
            if id == end { return true }
            if seen.insert(id).inserted { ahead += rules.claim(id)?.bypassers ?? [] }
        }
        return false
    }

    func checkGrants(_ effects: [Effect]) -> String? {
        for effect in effects {
            guard case .grant(let id) = effect, let claim = rules.claim(id) else { continue }
            for other in rules.claims where other.isGranted {
                if Rulebook.conflict(claim, other) {
                    return "\(id) was granted while \(other.id) runs"
                }
            }
            for presenter in presenters where !isServed(id, by: presenter.registered.id) {
                return "\(id) was granted before \(presenter.registered.id) made way (Rule 2.19)"
            }
        }
        return nil
    }

    /// No claim waits for nothing, and no item stays relinquished without a claim.
    func checkQuiet(
        _ stage: (ClaimID) -> ClaimStage?, _ impediments: ((ClaimID) -> [Impediment])?
    ) -> String? {
        // Nothing is decided while claims of a former arbiter are being
        // recovered. When readers have kept a presenter out too long
        // (Rule 6.11), claims wait for more than the witness knows.
        if isRecovering || clock >= Limits.readerChainForTests { return nil }
        for claim in rules.claims {
            let obstacles = rules.obstacles(of: claim)
            switch claim.stage {
            case .granted:
                continue
            case .waiting:
                if obstacles.isEmpty { return "\(claim.id) waits for nothing: a lost wake-up" }
            case .asking:
                if obstacles.contains(where: { isLoop(from: $0, to: claim.id) }) {
                    return "\(claim.id) waits for itself"
                }
                if obstacles.isEmpty && claim.awaited.isEmpty {
                    return "\(claim.id) has every answer and is not granted"
                }
            }
            guard let impediments else { continue }
            let told = impediments(claim.id).compactMap { impediment -> ClaimID? in
                guard case .claim(let id) = impediment else { return nil }
                return id
            }
            if told != obstacles { return "\(claim.id) waits for \(obstacles), not for \(told)" }
        }
        for presenter in presenters {
            for kind in presenter.away {
                let isNeeded = needs.values.contains {
                    $0[presenter.registered.id]?.relinquish.contains(kind) == true
                }
                if !isNeeded { return "\(presenter.registered.id) did not get its item back" }
            }
        }
        return nil
    }
}

extension Arbiter {
    /// What debug builds assert, for release builds too.
    var brokenInvariantForTests: String? { brokenInvariant }
}

extension Limits {
    static var readerChainForTests: UInt64 { UInt64(readerChain / .nanoseconds(1)) }
}
