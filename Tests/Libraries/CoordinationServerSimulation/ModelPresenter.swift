// SPDX-License-Identifier: Apache-2.0
//
// Presenters of a client: each is registered by a record, asked by messages, and answers when the
// world says so, or never. What it has given away is in its record, for the next server.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationWire

/// A presenter of a client.
final class ModelPresenter {
    unowned let client: ModelClient
    let key: PresenterKey
    let registered: RegisteredPresenter
    let record: RecordReference
    /// Where its item is, as far as a server would tell it.
    var path: ItemPath?
    /// Whether the history knows of its registration.
    var isNoted = false
    var notedAt: UInt64 = 0
    var isGone = false
    /// What it was asked, and has not answered.
    var questions: [(claim: UInt64, steps: YieldSteps)] = []
    /// Whether it has not answered a question that was withdrawn or lost (Rule 18.3).
    var isLate = false
    /// Whether its item has changed since it was told so last.
    var isOwed = false

    init(
        _ client: ModelClient, _ key: PresenterKey, _ registered: RegisteredPresenter,
        _ record: RecordReference
    ) {
        self.client = client
        self.key = key
        self.registered = registered
        self.record = record
        path = registered.path
    }

    /// Discards questions of these numbers; it goes on with what it has begun for them.
    func discardQuestions(_ isOver: (UInt64) -> Bool) {
        if questions.contains(where: { isOver($0.claim) }) { isLate = true }
        questions.removeAll { isOver($0.claim) }
    }
}

extension ModelClient {
    /// Registers a presenter.
    func present(_ dice: inout Dice) {
        guard presenters.count < 2, let text = dice.one(of: world.schedule.places) else { return }
        let kinds: [PresenterMethods] = [
            [], [.itemDidChange], [.itemDidChange], [.itemDidChange, .itemDidMove],
            [.itemDidChange, .subitemDidChange],
            [.relinquishToReader, .relinquishToWriter, .itemDidChange], [.relinquishToWriter],
            [.save, .itemDidChange], .all,
        ]
        let isListener = world.schedule.isTold && !dice.one(in: 8)
        let methods = isListener ? [.itemDidChange] : kinds[dice.below(kinds.count)]
        let number = world.makeKey()
        let body = PresenterBody(
            purpose: Array("p\(number)".utf8), path: Array(text.utf8), methods: methods)
        world.coverage.count(.presenters)
        begin("\(name)p\(number)") { [unowned self] activity in
            let record = try ledger.write(kind: .presenter, body: body.encodeChecked())
            let registered = RegisteredPresenter(
                id: PresenterID(rawValue: number), client: ClientID(rawValue: 0),
                purpose: Purpose(bytes: body.purpose), path: ItemPath(text), methods: methods)
            let presenter = ModelPresenter(self, PresenterKey(number), registered, record)
            presenters.append(presenter)
            world.note("\(name)p\(number): presents \(text), record \(record.index)")
            let index = Int(record.index)
            _ = try await activity.run(
                FileClaim(record: index, free: ledger.word(of: record)))
            try await say(.filed(record), activity)
            _ = try await activity.run(
                AwaitGrant(record: index, generation: record.generation))
        }
    }

    /// Removes a presenter.
    func withdraw(_ dice: inout Dice) {
        guard let presenter = dice.one(of: presenters.filter { $0.isNoted && !$0.isGone }) else {
            return
        }
        presenter.isGone = true
        presenters.removeAll { $0 === presenter }
        begin("\(name)p\(presenter.key)×") { [unowned self] activity in
            world.record(.presenterRemoved(presenter.key))
            let (index, generation) = (Int(presenter.record.index), presenter.record.generation)
            if try await !activity.run(CancelClaim(record: index, generation: generation)) {
                _ = try await activity.run(ReleaseClaim(record: index, generation: generation))
            }
            ledger.markEnded(presenter.record)
            try await say(.ended(presenter.record), activity)
        }
    }

    // MARK: Answering

    /// A presenter answers what it was asked, or refuses.
    func answer(_ dice: inout Dice) throws {
        answerLate()
        guard let presenter = dice.one(of: presenters.filter { !$0.questions.isEmpty }) else {
            return
        }
        answer(presenter, isRefusing: dice.one(in: 8))
    }

    /// A presenter answers, if one was asked anything.
    func answerAnything() throws -> Bool {
        if answerLate() { return true }
        guard let presenter = presenters.first(where: { !$0.questions.isEmpty }) else {
            return false
        }
        answer(presenter, isRefusing: false)
        return true
    }

    /// A presenter answers a question that was withdrawn or lost.
    @discardableResult
    private func answerLate() -> Bool {
        guard isConnected, let presenter = presenters.first(where: \.isLate) else { return false }
        presenter.isLate = false
        world.coverage.count(.answeredLate)
        announce(
            .answered(
                presenter: presenter.record, claim: PresenterAnswer.noQuestion,
                failure: nil))
        return true
    }

    private func answer(_ presenter: ModelPresenter, isRefusing: Bool) {
        let (claim, steps) = presenter.questions.removeFirst()
        // If no server reads the refusal, the next server asks again, and gets another answer.
        let isRefusing = isRefusing && isHeard
        world.coverage.count(isRefusing ? .refused : .answered)
        // Relinquishing cannot be refused.
        if steps.relinquish.contains(.reader) {
            ledger.setRelinquished(presenter.record, reader: true)
        }
        if steps.relinquish.contains(.writer) {
            ledger.setRelinquished(presenter.record, writer: true)
        }
        world.record(
            .answered(presenter.key, for: world.keysBySerial[claim], succeeds: !isRefusing))
        let record = presenter.record
        if isRefusing {
            if let key = world.keysBySerial[claim], world.refusals[key] == nil {
                world.refusals[key] = world.now
            }
            announce(.answered(presenter: record, claim: claim, failure: Array("{}".utf8)))
        } else {
            announce(.madeWay([PresenterAnswer(presenter: record, claim: claim)]))
        }
    }

    // MARK: Hearing

    func receive(_ delivery: Delivery) {
        guard
            let presenter = presenters.first(where: {
                $0.record == delivery.presenter
            })
        else { return }
        world.note("\(name)p\(presenter.key): hears \(delivery.message)")
        switch delivery.message {
        case .ask(let claim, let steps):
            world.coverage.count(.asked)
            // Said again on a new connection: it is the same question.
            presenter.questions.removeAll { $0.claim == claim }
            presenter.questions.append((claim, steps))
            world.recordRegistration(presenter)
            // A question that is asked again has a number of its own.
            if world.keysBySerial[claim] == nil,
                let serial = world.server?.view.claim(ofQuestion: claim)
            {
                world.keysBySerial[claim] = world.keysBySerial[serial]
            }
            if let key = world.keysBySerial[claim], world.refusals[key] != nil {
                world.filedAgain.insert(key)
            }
            world.record(
                .asked(presenter.key, for: world.keysBySerial[claim], RequiredStep.all(steps)))
            if let key = world.keysBySerial[claim] { world.askedFor.insert(key) }
        case .withdrawQuestion(let claim): presenter.discardQuestions { $0 == claim }
        case .reacquire(let kind):
            switch kind {
            case .reader: ledger.setRelinquished(presenter.record, reader: false)
            case .writer: ledger.setRelinquished(presenter.record, writer: false)
            }
            world.record(.reacquired(presenter.key, RequiredStep(kind)))
        case .notice(let notice):
            world.coverage.count(.notices)
            if notice == .itemDidChange { presenter.isOwed = false }
        // No plain program runs in this world, and no presenter asks who made a change.
        case .relocated, .plainNotice, .followed, .noticeBy, .relocatedBy: break
        }
    }
}
