// SPDX-License-Identifier: Apache-2.0
//
// The invariants of the arbiter between events. Debug builds check them after each event, but for
// those of other people's programs.

extension Arbiter {
    /// Stops a debug build if an invariant does not hold.
    func assertInvariants() {
        assert(
            !checksInvariants || records.count > Limits.claimsCheckedAfterEveryEvent
                || registry.count > Limits.presentersCheckedAfterEveryEvent
                || delegations.count > Limits.delegationsCheckedAfterEveryEvent
                || brokenInvariant == nil,
            brokenInvariant ?? "")
    }

    /// Describes the first invariant that does not hold, or is nil.
    package var brokenInvariant: String? {
        brokenClaim ?? brokenPossession ?? brokenExclusion ?? brokenBooks ?? brokenDelegation
    }

    /// Every waiting claim waits for something that exists and refers back to it.
    private var brokenClaim: String? {
        for id in records.ids {
            guard let record = records[id] else { continue }
            switch record.state {
            case .filed:
                if mode == .serving { return "\(id) was never looked at" }
            case .waiting(let other):
                guard records[other]?.watchers.contains(id) == true else {
                    return "\(id) waits behind \(other), which does not know"
                }
                var waits = IndirectWaits()
                guard blockers(of: record, &waits).contains(other) else {
                    return "\(id) waits behind \(other) without need: a lost wake-up"
                }
            case .skipped:
                if !isStopped(record.claim.client) { return "\(id) is skipped, and runs" }
            case .asking(let asking):
                if asking.awaited.isEmpty && asking.bypassers.isEmpty {
                    return "\(id) asks no presenter and waits for no claim"
                }
                for bypasser in asking.bypassers
                where records[bypasser]?.passed.contains(id) != true {
                    return "\(id) waits for \(bypasser), which does not know"
                }
                for answer in asking.awaited
                where registry[answer.presenter]?.isAwaited(by: id, answer.question) != true {
                    return "\(id) awaits \(answer.presenter), which does not know"
                }
                for deadline in asking.awaited.compactMap(\.deadline)
                where nextDeadline.map({ deadline < $0 }) ?? true {
                    return "\(id) waits for no answer after \(deadline), which it will not be told"
                }
            case .granted:
                if record.askedBeforeMove != nil { return "\(id) did not ask at its new path" }
            }
        }
        return nil
    }

    /// No presenter stays relinquished unless a claim needs that.
    private var brokenPossession: String? {
        for id in registry.ids {
            guard let record = registry[id] else { continue }
            for kind in Relinquishment.allCases {
                let claims: OrderedIDs<ClaimID>
                switch record[kind] {
                case .kept: continue
                case .relinquishing(let claim): claims = [claim]
                case .relinquished(let those, _): claims = those
                }
                if claims.isEmpty && mode == .serving { return "\(id) is relinquished for none" }
                for claim in claims where records[claim]?.relinquished.contains(id) != true {
                    return "\(id) is relinquished for \(claim), which does not know"
                }
            }
        }
        return nil
    }

    /// No two conflicting claims run, and the tree finds the same conflicts as the rules.
    private var brokenExclusion: String? {
        let all = records.ids.compactMap { records[$0] }
        for record in all {
            for other in all where other.claim.id != record.claim.id {
                let rule = meeting(of: record.territory, with: other.territory)
                if rule != meetingByPlace(of: record.claim, with: other.claim) {
                    return "\(record.claim.id) and \(other.claim.id): tree and rules disagree"
                }
                // Claims found in ledgers run, even if they should not.
                let bothGranted =
                    record.grant?.source == .arbiter && other.grant?.source == .arbiter
                // An accessor can move its item to a path where another claim runs; the arbiter
                // cannot prevent that.
                let isOwnFault = meeting(of: record.claim, with: other.claim) != nil
                if bothGranted && isOwnFault {
                    return "\(record.claim.id) and \(other.claim.id) run and exclude each other"
                }
            }
        }
        return nil
    }

    private func meetingByPlace(of claim: FiledClaim, with other: FiledClaim) -> Meeting? {
        guard claim.purpose != other.purpose else { return nil }
        var result: Meeting?
        _ = tree.firstNeighbour(of: claim.id, .all) { id, meeting in
            if id == other.id, result != .ordinary { result = meeting }
            return false
        }
        return result
    }

    /// The purpose index has exactly the entries that the claims require.
    private var brokenBooks: String? {
        var expected = PurposeIndex()
        for id in records.ids {
            guard let record = records[id] else { continue }
            expected.enter(record.claim, record.state)
            for answer in record.asking?.awaited ?? [] {
                if let asked = registry[answer.presenter] {
                    expected.beginAwaiting(asked.registration.purpose, of: answer.presenter)
                }
                switch answer.question {
                case .put: break
                case .postponed: expected.addPostponed(1)
                }
                if let call = answer.blockedBy { expected.beginBlocking(call) }
            }
        }
        for id in registry.ids {
            guard let asked = registry[id]?.registration else { continue }
            if unresponsive.contains(id) { expected.enterUnresponsive(asked) }
            for late in registry[id]?.lateCalls ?? [] { expected.beginBlocking(late.call) }
        }
        if expected != purposeIndex { return "the purpose index is wrong" }
        let isEmpty = records.isEmpty && registry.isEmpty
        guard isEmpty else { return nil }
        var rest = tree
        rest.sweep()
        let isNothingLeft = rest.nodes.count == 1 && rest.filings.isEmpty && clientStates.isEmpty
        return isNothingLeft ? nil : "something was left behind"
    }
}
