// SPDX-License-Identifier: Apache-2.0
//
// What can happen next, apart from new claims: claims end or are given up, processes stop and die,
// time passes.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    /// Lets something happen.
    mutating func step() {
        pass(UInt64(dice.within(1...2_000_000)))
        guard let choice = dice.index(weighing: faults.weights),
            let action = Action(rawValue: choice)
        else { return }
        guard !isRecalling || action.isPossibleDuringRecalls else { return answerRecall() }
        if !delegations.openQueues.isEmpty, dice.one(in: 2) {
            // For a while, only members of a ticket queue use its path.
            takeTurn()
        } else if !delegations.queues.isEmpty, delegations.openQueues.isEmpty, !dice.one(in: 4) {
            end()
        } else {
            perform(action)
        }
        if !isRecalling { tellBlocked() }
    }

    private mutating func perform(_ action: Action) {
        switch action {
        case .file: file()
        case .nest: nest()
        case .end: end()
        case .cancel: cancel()
        case .answer: answer(failing: false)
        case .failToAnswer: answer(failing: true)
        case .answerLate: answerLate()
        case .callBack: callBack()
        case .occupy: occupy()
        case .move: move()
        case .announce: announce()
        case .addPresenter: addPresenter()
        case .removePresenter: removePresenter()
        case .placePresenter: placePresenter()
        case .die: die()
        case .stop: stop()
        case .resume: resume()
        case .withdraw: withdraw()
        case .jump:
            coverage.count(.clockJumps)
            pass(UInt64(dice.within(1...40)) * 1_000_000_000)
        case .stepBack: tell(.clockAdvanced(to: instant - .nanoseconds(dice.below(900_000_000))))
        case .restart: restart()
        case .crash: isCrashing = true
        case .claimLocally: claimLocally()
        case .takeTurn: takeTurn()
        case .answerRecall: answerRecall()
        case .receiveReport: receiveReport()
        case .seeEnd: seeEndOfUnreported()
        }
    }

    // MARK: Claims

    /// Claims whose accessor could return now.
    var finishable: [SimulatedClaim] {
        claims.filter {
            $0.isGranted && isRunning($0.filed.client) && !isHeldUp($0.id)
                && ($0.isHidden || !isRecalling)
        }
    }

    private mutating func end() {
        if let claim = dice.one(of: finishable) { end(claim) }
    }

    mutating func end(_ claim: SimulatedClaim) {
        let outcomes = claim.filed.items.map { _ in
            ItemOutcome(rawValue: UInt8(dice.below(ItemOutcome.allCases.count))) ?? .changed
        }
        if claim.isHidden { return endHidden(claim, outcomes) }
        departing = [claim]
        forget(claim.id)
        owe(claim, outcomes)
        tell(.claimEnded(claim.id, outcomes: outcomes), .ended(claim.id.key))
    }

    private mutating func cancel() {
        let waiting = claims.filter { !$0.isGranted && isRunning($0.filed.client) }
        guard let claim = dice.one(of: waiting) else { return }
        coverage.count(.cancelled)
        forget(claim.id)
        tell(.claimCancelled(claim.id), .cancelled(claim.id.key))
    }

    private mutating func move() {
        guard let claim = dice.one(of: finishable), let item = dice.one(of: claim.filed.items)
        else { return }
        makeKnown(claim.id)
        guard !isRecalling else { return }
        var moves: [ItemMove] = []
        for _ in 0...(dice.one(in: 4) ? 1 : 0) {
            let old = dice.one(in: 4) ? dice.one(of: Place.all) : Place(item.path)
            guard let old, let new = dice.one(of: Place.all) else { continue }
            moves.append(ItemMove(from: old, to: new))
        }
        coverage.count(.moves)
        announce(.moved(moves), by: claim, .moved(by: claim.id.key, moves.map { Move($0) }))
    }

    private mutating func announce() {
        guard let claim = dice.one(of: finishable), let item = claim.filed.items.first else {
            return
        }
        makeKnown(claim.id)
        guard !isRecalling else { return }
        let news = VersionNews(.gained, identifier: [1])
        announce(.versionChanged(item.path, news), by: claim, nil)
    }

    private mutating func announce(
        _ announcement: Announcement, by claim: SimulatedClaim, _ fact: Fact?
    ) {
        guard let index = index(claim.id) else { return }
        claims[index].isTaken = true
        claims[index].heard.append(announcement)
        for outer in claim.filed.enclosing.compactMap({ self.index($0) }) {
            claims[outer].isAroundMover = true
        }
        for moved in [index] + claim.filed.enclosing.compactMap({ self.index($0) }) {
            claims[moved].movedBefore = arbiter.movedItems(of: claims[moved].id)
        }
        tell(.claimAnnounced(claim.id, announcement), fact)
    }

    // MARK: Processes

    private mutating func die() {
        let slot = dice.below(clients.count)
        let dead = clients[slot].id
        // The arbiter has not been told yet of events that wait for a recall.
        let isKnown =
            claims.contains { $0.filed.client == dead && !$0.isHidden }
            || presenters.contains { $0.client == dead }
        guard !isRecalling || !isKnown else { return }
        clients[slot] = newborn()
        removeClient(dead)
    }

    mutating func removeClient(_ dead: ClientID) {
        coverage.count(.deaths)
        tellOfHidden(dead)
        let left = claims.filter { $0.filed.client == dead }
        departing = left.filter(\.isGranted)
        // A member that dies in its turn does not pass it on.
        for claim in left { delegations.openQueues.removeAll { $0 == claim.queue } }
        for claim in left { forget(claim.id) }
        presenters.removeAll { $0.client == dead }
        tell(.clientDied(dead), .died(dead.key))
    }

    /// Before the death, the arbiter is told what the dead process's records say: claims whose end
    /// is to be reported, and claims that a recall is about to find.
    private mutating func tellOfHidden(_ dead: ClientID) {
        let reports = delegations.reports.filter { $0.claim.filed.client == dead }
        for report in reports { tellReport(of: report.claim.id) }
        for claim in claims where claim.filed.client == dead && claim.isHidden {
            if claim.isReported || isRecalling { makeKnown(claim.id) }
        }
        delegations.standing.removeAll { $0.client == dead }
    }

    private mutating func stop() {
        let running = clients.indices.filter { !clients[$0].isStopped }
        guard let slot = dice.one(of: running) else { return }
        clients[slot].isStopped = true
        let client = clients[slot].id
        coverage.count(.stops)
        tell(.clientStopped(client), .stopped(client.key))
    }

    private mutating func resume() {
        let stopped = clients.indices.filter { clients[$0].isStopped }
        if let slot = dice.one(of: stopped) { resume(slot) }
    }

    mutating func resume(_ slot: Int) {
        clients[slot].isStopped = false
        let client = clients[slot].id
        tell(.clientContinued(client), .continued(client.key))
    }

    /// A grant that a stopped process has not taken up is taken back.
    private mutating func withdraw() {
        let untaken = claims.indices.filter {
            claims[$0].isGranted && !claims[$0].isTaken && !isRunning(claims[$0].filed.client)
                && !isHeldUp(claims[$0].id)
        }
        guard let index = dice.one(of: untaken) else { return }
        coverage.count(.withdrawn)
        let id = claims[index].id
        claims[index].stage = .waiting
        tell(.grantWithdrawn(id), .returned(id.key))
    }
}

extension Action {
    /// Whether the action can happen while the arbiter waits for the answer to a recall: actions of
    /// clients that do not wait for the arbiter, and actions that cause such waits.
    fileprivate var isPossibleDuringRecalls: Bool {
        switch self {
        case .file, .end, .claimLocally, .takeTurn, .answerRecall, .addPresenter, .die, .restart,
            .crash, .jump:
            true
        case .nest, .cancel, .answer, .failToAnswer, .answerLate, .callBack, .occupy, .move,
            .announce, .removePresenter, .placePresenter, .stop, .resume, .withdraw, .stepBack,
            .receiveReport, .seeEnd:
            false
        }
    }
}
