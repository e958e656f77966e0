// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's death, and what the next one is told: what the parties have written down
// themselves (Rule 18.7). It may die at any instant, also when it has done only a part of what one
// event leads to; then the rest is lost, and the event, if it is still to be seen, is told again.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    /// What the next arbiter finds besides the parties that are there.
    private struct Remains {
        /// An accessor that had returned.
        var ended: (claim: SimulatedClaim, outcomes: [ItemOutcome])?
        /// Something that was made known, and of which nothing has come yet.
        var unheard: (claim: ClaimID, announcement: Announcement)?
        /// The announcing claim and the claims around it: the next arbiter gets their items'
        /// places from before the announcement.
        var placedAsBefore: [ClaimID] = []
        /// Claims that ran in a process that has died.
        var orphans: [SimulatedClaim] = []
    }

    /// The arbiter leaves or dies between two events.
    mutating func restart() {
        coverage.count(.restarts)
        now += 1
        recover(Remains())
    }

    /// The arbiter dies after all recalls were answered, before it has carried out what follows.
    mutating func restartAmidRecalls() {
        coverage.count(.crashes)
        recover(Remains())
    }

    /// The arbiter dies when it has done a part of what an event leads to.
    mutating func crash(
        during event: Event, _ fact: Fact?, _ effects: [Effect], isHeld: Bool
    ) {
        coverage.count(.crashes)
        var remains = Remains()
        var done = Array(effects.prefix(dice.below(effects.count + 1)))
        // An announcement is written down with everything that moves, or not at all.
        if case .claimAnnounced(let id, let announcement) = event {
            let isWritten = !isHeld && dice.one(in: 2)
            done = effects.filter { effect in
                switch effect {
                case .relocate, .retarget: isWritten
                default: false
                }
            }
            if isWritten {
                note(fact, decided: effects, done: done)
            } else {
                remains.unheard = (id, announcement)
                if let index = index(id) {
                    claims[index].heard.removeLast()
                    remains.placedAsBefore = [id] + claims[index].filed.enclosing
                }
            }
        } else {
            note(fact, decided: effects, done: done)
        }
        for effect in done { apply(effect) }
        if done.count < effects.count || dice.one(in: 2) {
            if case .claimEnded(_, let outcomes) = event, let claim = departing.first {
                remains.ended = (claim, outcomes)
            }
            if case .clientDied = event { remains.orphans = departing }
        }
        recover(remains)
    }

    /// Records what has happened and what the arbiter
    /// has decided, although few processes were told.
    ///
    /// If a claim was to get its position because another claim had failed, and no client was told,
    /// the claim still waits. In that case, the history gets only the positions that were carried
    /// out. The others were decided by an arbiter that has died.
    private mutating func note(_ fact: Fact?, decided: [Effect], done: [Effect]) {
        if let fact { record(fact) }
        if decided.count(where: \.isFailure) == done.count(where: \.isFailure) { recordPlaces() }
    }

    /// Another arbiter takes over.
    private mutating func recover(_ remains: Remains) {
        var remains = remains
        keepHeld(&remains)
        discardQuestions()
        record(.arbiterReplaced)
        forgetDelegations()
        let former = arbiter
        arbiter = Arbiter(recovering: true, policy: faults.policy)
        inform(.clockAdvanced(to: instant))
        for index in dice.shuffled(Array(presenters.indices)) {
            var presenter = presenters[index].registered
            presenter.relinquished = Relinquishments(presenters[index].away)
            inform(.presenterAdded(presenter))
        }
        let running =
            claims.filter(\.isGranted) + remains.orphans + delegations.reports.map(\.claim)
            + (remains.ended.map { [$0.claim] } ?? [])
        for claim in running.sorted(by: { $0.id < $1.id }) {
            var filed = claim.filed
            if claim.isAroundMover {
                let moved =
                    remains.placedAsBefore.contains(claim.id)
                    ? claim.movedBefore : former.movedItems(of: claim.id)
                filed.movedItems = moved ?? MovedItems()
            }
            inform(.claimRecovered(filed))
            for announcement in claim.heard where !claim.isAroundMover {
                inform(.claimReminded(claim.id, announcement))
            }
        }
        for index in claims.indices where !claims[index].isGranted {
            claims[index].stage = .waiting
            inform(.claimFiled(claims[index].filed))
        }
        if let (id, announcement) = remains.unheard, let index = index(id) {
            claims[index].heard.append(announcement)
            if case .moved(let moves) = announcement {
                record(.moved(by: id.key, moves.map { Move($0) }))
            }
            inform(.claimAnnounced(id, announcement))
        }
        if let (claim, outcomes) = remains.ended {
            inform(.claimEnded(claim.id, outcomes: outcomes))
        }
        for (claim, outcomes) in delegations.reports {
            inform(.claimEnded(claim.id, outcomes: outcomes))
        }
        delegations.reports = []
        // Recorded at the same instant: no arbiter decides anything before it.
        follow(arbiter.handle(.recoveryFinished))
        if let orphan = remains.orphans.first {
            follow(arbiter.handle(.clientDied(orphan.filed.client)))
        }
        for client in clients where client.isStopped {
            follow(arbiter.handle(.clientStopped(client.id)))
        }
        for index in presenters.indices { presenters[index].blockers = [:] }
        tellBlocked()
    }

    /// Events that the former arbiter was told and held back are told to the next arbiter again.
    private mutating func keepHeld(_ remains: inout Remains) {
        for event in delegations.deferred {
            if let (claim, announcement) = event.announced {
                // It is recorded when the next arbiter is told.
                guard let index = index(claim) else { continue }
                remains.unheard = (claim, announcement)
                if claims[index].heard.last == announcement { claims[index].heard.removeLast() }
            } else if let fact = event.fact {
                record(fact)
            }
        }
        delegations.deferred = []
    }

    /// Something that is told before anything is decided.
    private mutating func inform(_ event: Event) {
        coverage.count(.events)
        for effect in arbiter.handle(event) { apply(effect) }
    }

    /// Presenters forget what they were asked; what some have done of it already stays done.
    private mutating func discardQuestions() {
        for index in presenters.indices {
            for question in presenters[index].questions where dice.one(in: 2) {
                record(
                    .answered(
                        presenters[index].id.key, for: question.claim.key, succeeds: true))
                relinquish(question, index)
            }
            presenters[index].forgotten += presenters[index].questions.map(\.claim)
            presenters[index].questions = []
        }
    }

    /// Records in the presenter's process what the presenter has relinquished.
    mutating func relinquish(_ question: SimulatedPresenter.Question, _ index: Int) {
        for kind in question.steps.relinquish where !presenters[index].away.contains(kind) {
            presenters[index].away.append(kind)
        }
    }
}

extension Effect {
    fileprivate var isFailure: Bool {
        switch self {
        case .fail, .failInCycle: true
        case .grant, .withdrawQuestions, .askToYield, .reacquire, .notify, .retarget, .relocate,
            .grantUnreported, .delegate, .recall, .openQueue, .startQueue:
            false
        }
    }
}
