// SPDX-License-Identifier: Apache-2.0
//
// Carries out the arbiter's effects: tells the processes that they concern, and records them in the
// history.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    mutating func apply(_ effect: Effect) {
        switch effect {
        case .grant(let id): grant(id)
        case .fail(let id, _):
            record(.failed(id.key))
            forget(id)
        case .failInCycle(let id, let steps):
            coverage.count(.cycles)
            if steps.contains(where: { $0.presenter != nil }) { coverage.count(.presenterCycles) }
            // A claim that took its place and failed in
            // one event was not recorded at its place yet.
            for step in steps where step.stage == .asking { recordPlace(of: step.claim.id) }
            let links = steps.map { Link($0.claim.id.key, through: $0.presenter?.key) }
            record(.foundInCycle(id.key, links))
            forget(id)
        case .withdrawQuestions(let id):
            for index in presenters.indices { recall(id, index) }
        case .askToYield(let id, let claim, let steps): ask(id, claim, steps)
        case .reacquire(let id, let kind):
            if faults.losesReacquires { return }
            record(.reacquired(id.key, RequiredStep(kind)))
            if let index = index(id) { presenters[index].away.removeAll { $0 == kind } }
        case .notify(let id, let notice):
            coverage.count(.notices)
            if notice == .itemDidChange { delegations.owed.removeAll { $0 == id } }
        case .retarget(let id, let items):
            coverage.count(.retargets)
            if let index = index(id) { claims[index].filed.items = items }
        case .relocate(let id, let path, _):
            if let index = index(id) { presenters[index].registered.path = path }
            delegations.owed.removeAll { $0 == id }
        case .grantUnreported(let id, let delegation):
            coverage.count(.unreported)
            grant(id)
            if let index = index(id) {
                claims[index].isHidden = true
                claims[index].isTaken = true
            }
            delegations.unreported[delegation] = Unreported(
                claim: id, client: claim(id)?.filed.client)
        case .delegate(let delegation): delegate(delegation)
        case .recall(let id): recall(id)
        case .openQueue(let path, let members): openQueue(at: path, members)
        case .startQueue(let id): startQueue(id)
        }
    }

    private mutating func recordPlace(of id: ClaimID) {
        guard let index = index(id), claims[index].stage == .waiting else { return }
        claims[index].stage = .asking
        record(.holding(id.key))
    }

    private mutating func grant(_ id: ClaimID) {
        guard let index = index(id) else { return record(.granted(id.key, items: nil)) }
        coverage.count(.grants)
        recordPlace(of: id)
        if !claims[index].filed.enclosing.isEmpty { coverage.count(.nested) }
        claims[index].stage = .granted
        claims[index].isTaken = !dice.one(in: 4)
        let items = claims[index].filed.items.map { Item($0) }
        record(.granted(id.key, items: items.isEmpty ? nil : items))
    }

    private mutating func ask(_ id: PresenterID, _ claim: ClaimID, _ steps: YieldSteps) {
        coverage.count(.asked)
        recordPlace(of: claim)
        record(.asked(id.key, for: claim.key, RequiredStep.all(steps)))
        guard let index = index(id) else { return }
        presenters[index].questions.append(
            SimulatedPresenter.Question(claim: claim, steps: steps))
    }
}
