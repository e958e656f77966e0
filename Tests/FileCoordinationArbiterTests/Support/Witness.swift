// SPDX-License-Identifier: Apache-2.0
//
// The witness sees what goes into an arbiter and what comes out, and says what is wrong with it. It
// knows the rules (``Rulebook``, ``RequiredStepTable``) and nothing of how the arbiter works.

import FileCoordinationArbiter
import InstantLiterals

/// An onlooker that complains when a history breaks a rule.
struct Witness: Hashable {
    /// One presenter, as the onlooker knows it.
    struct SeenPresenter: Hashable {
        var registered: RegisteredPresenter
        /// The kinds in which it was asked to relinquish and has not got its item back.
        var away: [Relinquishment] = []
        /// The kinds in which it has answered that it relinquished.
        var gone: [Relinquishment] = []
    }

    var rules = Rulebook()
    var presenters: [SeenPresenter] = []
    /// The packages on the way to a presenter's place, as far as a move has told.
    var packages: [PresenterID: [Int]] = [:]
    /// The presenters that were asked to accommodate the deletion of their item, for each claim.
    private(set) var accommodated: [ClaimID: [PresenterID]] = [:]
    /// The steps that each claim needed of each presenter when it took its place.
    private(set) var needs: [ClaimID: [PresenterID: YieldSteps]] = [:]
    /// The steps that an asking claim needed before its
    /// items moved, until it asks at the new paths.
    var neededBefore: [ClaimID: [PresenterID: YieldSteps]] = [:]
    /// Questions that are not answered.
    private(set) var open: [Question] = []
    private(set) var youngest: UInt64 = 0
    private(set) var clock: UInt64 = 0
    private(set) var isRecovering: Bool

    init(recovering: Bool = false) { isRecovering = recovering }

    struct Question: Hashable {
        let presenter: PresenterID
        let claim: ClaimID
        let steps: YieldSteps
    }

    /// Checks one event and its effects; returns a complaint, or nil if all is well.
    mutating func observe(_ event: Event, _ effects: [Effect], _ arbiter: Arbiter) -> String? {
        observe(
            event, effects, stage: arbiter.stage(of:),
            impediments: { arbiter.impediments(of: $0) })
            ?? arbiter.brokenInvariantForTests
    }

    /// The same for a history that no arbiter need have made.
    mutating func observe(
        _ event: Event, _ effects: [Effect], stage: (ClaimID) -> ClaimStage?,
        impediments: ((ClaimID) -> [Impediment])? = nil
    ) -> String? {
        var before = rules
        let expected = expectation(of: event)
        note(event)
        // Items have their new paths before any claim takes a place in this event.
        if case .claimAnnounced = event { before = rules }
        var complaint = check(expected, effects)
        for (index, effect) in effects.enumerated() where complaint == nil {
            complaint = note(effect, event, Array(effects[..<index]))
        }
        if complaint == nil { complaint = recordPlaces(before: before, stage, impediments) }
        return complaint ?? checkGrants(effects) ?? checkQuiet(stage, impediments)
    }

    /// Whether nothing is left of anything.
    var isQuiet: Bool {
        rules.claims.isEmpty && open.isEmpty && presenters.allSatisfy { $0.away.isEmpty }
    }

    // MARK: What happened

    private mutating func note(_ event: Event) {
        switch event {
        case .claimFiled(let claim):
            guard rules.claim(claim.id) == nil else { return }
            var seen = SeenClaim(filed: claim)
            seen.retarget(redirected(claim))
            rules.claims.append(seen)
            rules.claims.sort { $0.id < $1.id }
            youngest = max(youngest, claim.id.rawValue)
        case .claimRecovered(let claim):
            guard rules.claim(claim.id) == nil else { return }
            let stage = SeenClaim.Stage.granted(youngest: claim.id.rawValue)
            var seen = SeenClaim(filed: claim, stage: stage)
            seen.itemsMovedOut = claim.movedItems.others
            for (number, item) in claim.movedItems.own.enumerated() { seen.moved[number] = item }
            rules.claims.append(seen)
            rules.claims.sort { $0.id < $1.id }
            youngest = max(youngest, claim.id.rawValue)
            letPast(claim.id)
            for presenter in presenters { adoptRelinquishments(of: presenter, for: claim.id) }
        case .claimAnnounced(let claim, let announcement):
            if case .moved(let moves) = announcement { follow(ExpectedMoves(moves), by: claim) }
        case .claimReminded(let claim, let announcement):
            if case .moved(let moves) = announcement { remind(ExpectedMoves(moves), of: [claim]) }
        case .claimEnded(let claim, _), .claimCancelled(let claim):
            forget(claim)
        case .presenterAdded(let presenter):
            guard !presenters.contains(where: { $0.registered.id == presenter.id }) else { return }
            presenters.append(
                SeenPresenter(
                    registered: presenter, away: Array(presenter.relinquished),
                    gone: Array(presenter.relinquished)))
            rules.purposes[presenter.id] = presenter.purpose
            if let seen = seen(presenter.id), !seen.gone.isEmpty { adoptRelinquishments(of: seen) }
        case .presenterRelocated(let presenter, let path):
            change(presenter) { $0.registered.path = path }
            packages[presenter] = nil
        case .presenterMoved(let presenter, let path):
            change(presenter) { $0.registered.path = path }
            packages[presenter] = nil
        case .presenterRemoved(let presenter):
            forget(presenter)
        case .presenterAnswered(let presenter, let claim, let failure):
            answered(presenter, claim, failure)
        case .clientDied(let client):
            for seen in presenters where seen.registered.client == client {
                forget(seen.registered.id)
            }
            for claim in rules.claims where claim.filed.client == client { forget(claim.id) }
        case .presenterBlocked:
            // Only cycles follow from this event, and each cycle names its steps itself.
            break
        case .presenterAnsweredLate:
            // The effects depend on deadlines, which the witness does not model.
            break
        case .presenterDismissed:
            preconditionFailure("The simulation's checkers know about no user, not this")
        case .clientStopped, .clientContinued, .grantWithdrawn:
            preconditionFailure("The simulation's checkers know about stopped processes, not this")
        case .delegationRecalled, .queueOpened, .queueClosed:
            preconditionFailure("The simulation's checkers know about delegations, not this")
        case .clockAdvanced(let time):
            clock = max(clock, time.nanoseconds)
        case .recoveryFinished:
            isRecovering = false
            for presenter in presenters { adoptRelinquishments(of: presenter) }
        }
    }

    private mutating func answered(
        _ presenter: PresenterID, _ claim: ClaimID, _ failure: PresenterFailure?
    ) {
        guard let index = open.firstIndex(where: { $0.presenter == presenter && $0.claim == claim })
        else { return }
        let question = open.remove(at: index)
        if failure == nil { change(presenter) { $0.gone += question.steps.relinquish } }
        refreshAwaited()
    }

    private mutating func forget(_ claim: ClaimID) {
        rules.claims.removeAll { $0.id == claim }
        needs[claim] = nil
        neededBefore[claim] = nil
        accommodated[claim] = nil
        open.removeAll { $0.claim == claim }
        for index in rules.claims.indices {
            rules.claims[index].bypassers.removeAll { $0 == claim }
        }
    }

    /// Makes all conflicting claims that ask wait for `id`, which passed them.
    mutating func letPast(
        _ id: ClaimID, unless isSparing: (SeenClaim) -> Bool = { _ in false }
    ) {
        guard let claim = rules.claim(id) else { return }
        for index in rules.claims.indices {
            let other = rules.claims[index]
            guard other.isAsking, Rulebook.conflict(claim, other), !isSparing(other),
                !claim.bypassers.contains(other.id), !other.bypassers.contains(id)
            else { continue }
            rules.claims[index].bypassers.append(id)
            rules.claims[index].bypassers.sort()
        }
    }

    /// Records that running claims, or only one, need what a presenter was found to have done.
    private mutating func adoptRelinquishments(
        of presenter: SeenPresenter, for only: ClaimID? = nil
    ) {
        if isRecovering { return }
        let id = presenter.registered.id
        for claim in rules.claims where claim.isGranted && (only == nil || claim.id == only) {
            let table = RequiredStepTable.needs(of: claim.everywhere, [presenter.registered])
            guard let steps = table[id], needs[claim.id]?[id] == nil else { continue }
            let held = steps.relinquish.filter(presenter.gone.contains)
            if !held.isEmpty {
                needs[claim.id, default: [:]][id] = YieldSteps(relinquish: Relinquishments(held))
            }
        }
    }

    private mutating func forget(_ presenter: PresenterID) {
        presenters.removeAll { $0.registered.id == presenter }
        rules.purposes[presenter] = nil
        packages[presenter] = nil
        open.removeAll { $0.presenter == presenter }
        for claim in rules.claims.map(\.id) {
            needs[claim]?[presenter] = nil
            neededBefore[claim]?[presenter] = nil
        }
        refreshAwaited()
    }

    mutating func change(_ id: PresenterID, _ body: (inout SeenPresenter) -> Void) {
        guard let index = presenters.firstIndex(where: { $0.registered.id == id }) else { return }
        body(&presenters[index])
    }

    func seen(_ id: PresenterID) -> SeenPresenter? { presenters.first { $0.registered.id == id } }

    // MARK: What was done about it

    private mutating func note(_ effect: Effect, _ event: Event, _ earlier: [Effect]) -> String? {
        switch effect {
        case .grant(let id):
            guard let claim = rules.claim(id) else { return "\(id) is granted but is not there" }
            if claim.isGranted { return "\(id) is granted twice" }
        case .failInCycle(let id, let steps):
            guard let claim = rules.claim(id) else { return "\(id) fails but is not there" }
            if claim.isGranted { return "\(id) fails in a cycle though it runs (Rule 18.4)" }
            guard steps.contains(where: { $0.claim.id == id }) else {
                return "\(id) fails for a cycle that it is not in (Rule 18.4)"
            }
            forget(id)
        case .fail(let id, _):
            guard case .presenterAnswered(_, id, .some) = event else {
                return "\(id) fails though no presenter failed it (Rule 9.1)"
            }
            forget(id)
        case .askToYield(let id, let claim, let steps):
            guard let presenter = seen(id), let asker = rules.claim(claim) else {
                return "\(id) is asked for \(claim), but one of them is not there"
            }
            if steps.isEmpty { return "\(id) is asked for nothing" }
            if presenter.registered.purpose == asker.filed.purpose {
                return "\(id) is asked for its own purpose (Rule 4.5)"
            }
            if steps.relinquish.contains(where: presenter.away.contains) {
                return "\(id) is asked to relinquish twice (Rule 6.11)"
            }
            if open.contains(where: { $0.presenter == id && $0.claim == claim }) {
                return "\(id) is asked twice for \(claim)"
            }
            if steps.accommodateDeletion { accommodated[claim, default: []].append(id) }
            change(id) { $0.away += steps.relinquish }
            open.append(Question(presenter: id, claim: claim, steps: steps))
        case .reacquire(let id, let kind):
            guard let presenter = seen(id) else { return "\(id) has gone, but gets its item back" }
            guard presenter.away.contains(kind) else { return "\(id) reacquires what it has" }
            if isRelinquished(id, kind) && clock < Limits.readerChainForTests {
                return "\(id) reacquires while a claim needs it away (Rule 8.3)"
            }
            change(id) { seen in
                seen.away.removeAll { $0 == kind }
                seen.gone.removeAll { $0 == kind }
            }
        case .notify(let id, _):
            guard seen(id) != nil else { return "\(id) has gone, but hears something" }
            let isLate = earlier.contains { earlier in
                guard case .reacquire(id, _) = earlier else { return false }
                return true
            }
            if isLate { return "\(id) hears of a write after it had its item back (Rule 7.2)" }
        case .retarget, .relocate, .withdrawQuestions:
            break
        case .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
            return "something is delegated that no client asked for"
        }
        return nil
    }

    /// Finds the claims that took a place in this event, and checks whether they were allowed to.
    private mutating func recordPlaces(
        before: Rulebook, _ stage: (ClaimID) -> ClaimStage?,
        _ impediments: ((ClaimID) -> [Impediment])?
    ) -> String? {
        for claim in rules.claims where claim.isAsking { askAtNewPlaces(claim) }
        var arrived: [ClaimID] = []
        for index in rules.claims.indices {
            let claim = rules.claims[index]
            switch (claim.stage, stage(claim.id)) {
            case (_, nil):
                return "\(claim.id) has vanished"
            case (.waiting, .waiting), (.asking, .asking), (.granted, .granted):
                continue
            case (.waiting, .asking):
                rules.claims[index].stage = .asking
                arrived.append(claim.id)
            case (.waiting, .granted):
                rules.claims[index].stage = .granted(youngest: youngest)
                arrived.append(claim.id)
            case (.asking, .granted):
                rules.claims[index].stage = .granted(youngest: youngest)
            case (.asking, .waiting), (.granted, .waiting), (.granted, .asking):
                return "\(claim.id) went backwards"
            }
        }
        for id in arrived {
            if let claim = rules.claim(id) {
                needs[id] = RequiredStepTable.needs(of: claim.filed, presenters.map(\.registered))
            }
        }
        refreshAwaited()
        // If two claims arrive in one event, the witness cannot always see
        // which came first. It believes the arbiter, and
        // ``checkOrder(_:_:before:)`` checks whether that order is possible.
        for id in arrived {
            letPast(id) { other in
                arrived.contains(other.id) && impediments?(other.id).contains(.claim(id)) != true
            }
        }
        for id in arrived {
            if let complaint = checkOrder(id, arrived, before: before) { return complaint }
        }
        return nil
    }

    /// Once a claim whose items have moved waits for nothing else, adds what it needs of presenters
    /// at the new places (Rule 11.6).
    private mutating func askAtNewPlaces(_ claim: SeenClaim) {
        guard let before = neededBefore[claim.id], claim.bypassers.isEmpty,
            !before.contains(where: { isAwaited($0, for: claim.id, $1) })
        else { return }
        neededBefore[claim.id] = nil
        let table = RequiredStepTable.needs(of: claim.filed, presenters.map(\.registered))
        for presenter in presenters.map(\.registered.id) {
            guard let steps = table[presenter]?.without(before[presenter] ?? YieldSteps()),
                !steps.isEmpty
            else { continue }
            needs[claim.id, default: [:]][presenter, default: YieldSteps()].add(steps)
        }
    }

    /// Whether a presenter has yet to take some of these steps for a claim.
    ///
    /// It may have been asked for others in the event that is being looked at.
    private func isAwaited(
        _ id: PresenterID, for claim: ClaimID, _ steps: YieldSteps
    ) -> Bool {
        guard let presenter = seen(id) else { return false }
        return !steps.relinquish.allSatisfy(presenter.gone.contains)
            || open.contains { question in
                question.presenter == id && question.claim == claim
                    && question.steps.without(steps) != question.steps
            }
    }

    private mutating func refreshAwaited() {
        for index in rules.claims.indices {
            let claim = rules.claims[index].id
            rules.claims[index].awaited = []
            guard case .asking = rules.claims[index].stage else { continue }
            rules.claims[index].awaited = presenters.map(\.registered.id).filter { id in
                !isServed(claim, by: id)
            }
        }
    }
}
