// SPDX-License-Identifier: Apache-2.0
//
// What presenters do: come and go, answer at once, late, or never, fail, and make calls of their
// own in their callbacks.

import CoordinationCheckers
import FileCoordinationArbiter

extension World {
    mutating func addPresenter() {
        guard presenters.count < faults.presenters, let client = dice.one(of: running) else {
            return
        }
        serial += 1
        coverage.count(.presenters)
        let methods: PresenterMethods =
            switch dice.below(5) {
            case 0: PresenterMethods(rawValue: UInt32(dice.below(1 << 18)))
            case 1: [.relinquishToReader, .relinquishToWriter, .itemDidChange]
            case 2: [.itemDidChange, .subitemDidChange]
            case 3: dice.one(in: 3) ? [] : [.relinquishToWriter, .itemDidChange]
            default: .all
            }
        let answerTimeout: Duration? =
            switch dice.below(4) {
            case 0: .seconds(5)
            case 1: .seconds(30)
            default: nil
            }
        let purpose = dice.one(in: 12) ? Purpose("common") : Purpose("presenter \(serial)")
        let registered = RegisteredPresenter(
            id: PresenterID(rawValue: serial), client: client, purpose: purpose,
            path: dice.one(in: 12) ? nil : dice.one(of: faults.places)?.path,
            methods: methods, answerTimeout: answerTimeout)
        let manner = dice.one(of: SimulatedPresenter.Manner.allCases) ?? .prompt
        presenters.append(SimulatedPresenter(registered: registered, manner: manner))
        tell(.presenterAdded(registered), .presenterAdded(Presenter(registered)))
    }

    mutating func removePresenter() {
        let own = presenters.filter { isRunning($0.client) }
        guard let id = dice.one(of: own)?.id else { return }
        coverage.count(.removals)
        presenters.removeAll { $0.id == id }
        tell(.presenterRemoved(id), .presenterRemoved(id.key))
    }

    /// A presenter says by itself where its item is (Rule 5.5).
    mutating func placePresenter() {
        let unplaced = presenters.indices.filter {
            presenters[$0].registered.path == nil && isRunning(presenters[$0].client)
        }
        guard let index = dice.one(of: unplaced), let place = dice.one(of: faults.places) else {
            return
        }
        presenters[index].registered.path = place.path
        let id = presenters[index].id
        tell(
            .presenterRelocated(id, place.path),
            .presenterRelocated(id.key, place.path.description))
    }

    // MARK: Answers

    /// Presenters that could answer something now.
    var answerable: [SimulatedPresenter] {
        presenters.filter { !answerableQuestions(of: $0).isEmpty && isRunning($0.client) }
    }

    /// What a presenter could answer now.
    private func answerableQuestions(
        of presenter: SimulatedPresenter
    ) -> [SimulatedPresenter.Question] {
        guard let occupant = presenter.occupant, claim(occupant) != nil else {
            return presenter.questions
        }
        guard let occupied = presenter.occupiedQuestion else { return [] }
        return presenter.questions.filter { $0.claim != occupied }
    }

    mutating func answer(failing: Bool) {
        guard let presenter = dice.one(of: answerable) else { return }
        switch presenter.manner {
        case .prompt: break
        case .slow: guard dice.one(in: 6) else { return }
        case .silent: return
        }
        answer(presenter, failing: failing)
    }

    mutating func answer(_ presenter: SimulatedPresenter, failing: Bool = false) {
        guard let index = index(presenter.id),
            let question = dice.one(of: answerableQuestions(of: presenter))
        else { return }
        coverage.count(failing ? .refused : .answered)
        relinquish(question, index)
        presenters[index].questions.removeAll { $0.claim == question.claim }
        let failure = failing ? PresenterFailure(payload: [1]) : nil
        tell(
            .presenterAnswered(presenter.id, for: question.claim, failure: failure),
            .answered(presenter.id.key, for: question.claim.key, succeeds: !failing))
    }

    /// Answers a question that no claim waits for any more.
    mutating func answerLate() {
        let late = presenters.indices.filter {
            !presenters[$0].forgotten.isEmpty && isRunning(presenters[$0].client)
        }
        guard let index = dice.one(of: late) else { return }
        let claim = presenters[index].forgotten.removeFirst()
        // A mailbox has not been asked again as long as it does not answer.
        guard !presenters[index].questions.contains(where: { $0.claim == claim }) else { return }
        coverage.count(.late)
        let id = presenters[index].id
        // The server may have withdrawn the question, or given it another number (Rule 18.3).
        let isWithdrawn = claim.rawValue.isMultiple(of: 2)
        tell(
            isWithdrawn
                ? .presenterAnsweredLate(id) : .presenterAnswered(id, for: claim, failure: nil))
    }

    // MARK: Calls

    /// A presenter makes a call in its callback: to save, say; with its own purpose it is let past
    /// the claim that it is asked for (Rule 2.16), with another it waits for itself (Rule 18.4).
    mutating func callBack() {
        let free = answerable.filter { $0.occupant.map { claim($0) == nil } ?? true }
        guard let presenter = dice.one(of: free), let place = presenter.registered.path,
            let question = dice.one(of: presenter.questions)
        else { return }
        let isOwn = !faults.isCareless || dice.one(in: 2)
        if isOwn { coverage.count(.saveBacks) }
        let purpose = isOwn ? presenter.registered.purpose : Purpose("callback \(serial + 1)")
        let item = Place(place).item(dice.one(in: 4) ? .reading([]) : .writing(.plain))
        let call = file(presenter.client, purpose, [item])
        if let index = index(presenter.id), claim(call) != nil {
            presenters[index].occupant = call
            presenters[index].occupiedQuestion = dice.one(in: 2) ? question.claim : nil
        }
    }

    /// A call is made on a presenter's own queue, which is occupied until it returns.
    mutating func occupy() {
        let free = presenters.filter { $0.occupant == nil && isRunning($0.client) }
        guard let presenter = dice.one(of: free), claims.count < faults.claims else { return }
        let call = file(presenter.client, purpose(of: presenter.client), items())
        if let index = index(presenter.id), claim(call) != nil {
            presenters[index].occupant = call
            presenters[index].occupiedQuestion = nil
        }
    }
}
