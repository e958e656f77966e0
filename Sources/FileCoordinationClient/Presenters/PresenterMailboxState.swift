// SPDX-License-Identifier: Apache-2.0
//
// The state machine of a presenter's mailbox: what the presenter has been asked, how far it has
// got, and what to do next. It takes facts and returns actions, without queues and locks. Questions
// are handled side by side; notices and reacquirers do not wait for them.
//
// It never examines reacquirers and failures, so tests use strings for them.

package import FileCoordinationArbiter

/// The decisions of one presenter's mailbox.
package struct PresenterMailboxState<Reacquirer: Sendable, Failure: Sendable>: Sendable {
    /// An action for the mailbox, in the order of the decisions.
    package enum Action: Sendable {
        /// Add an operation to the presenter's queue.
        case deliver(PresenterDelivery<Reacquirer>)
        /// Answer the question for this claim.
        case answer(claim: UInt64, Failure?)
        /// Tell the server that the presenter has answered, though no claim waits for that any
        /// more.
        case answerLate
        /// Tell the session whether the presenter has relinquished its item for this kind of
        /// access.
        case relinquishmentChanged(Relinquishment, Bool)
        /// Drop the presenter's lease, so that the plain program that waits for it continues.
        case letPlainWriterGo
        /// Drop the presenter's lease, because a claim needs the item; or set it again.
        case guardLifted(Bool)
    }

    private let methods: PresenterMethods
    private var isRemoved = false
    /// Whether changes since the end of the former server may not have been told.
    ///
    /// So from the end of a connection to the next server's welcome.
    private(set) var mayHaveMissedChanges = false
    /// The questions without an answer, in the order in which they were asked.
    var questions: [PresenterQuestion] = []
    private var reader = RelinquishmentLifecycle<Reacquirer>()
    private(set) var writer = RelinquishmentLifecycle<Reacquirer>()
    var writers: RelinquishedWriters = []
    /// The calls of discarded questions that the presenter has not answered yet.
    ///
    /// Used for lookup only.
    var lateCalls: Set<PresenterCallID> = []
    /// Whether the presenter has answered anything since the last welcome of a server.
    var hasAnswered = false
    var unread = UnreadNotices()
    private var lastCall: UInt64 = 0

    /// Creates the state of a presenter that has its item and was asked nothing.
    package init(methods: PresenterMethods) { self.methods = methods }

    subscript(kind: Relinquishment) -> RelinquishmentLifecycle<Reacquirer> {
        get {
            switch kind {
            case .reader: reader
            case .writer: writer
            }
        }
        set {
            switch kind {
            case .reader: reader = newValue
            case .writer: writer = newValue
            }
        }
    }

    // MARK: Messages from the server

    /// Handles a question for a claim.
    package mutating func asked(claim: UInt64, steps: YieldSteps) -> [Action] {
        asked(.claim(claim), steps)
    }

    mutating func asked(_ asker: PresenterQuestion.Asker, _ steps: YieldSteps) -> [Action] {
        guard !isRemoved else { return [] }
        unread.endRepeating()
        questions.append(
            PresenterQuestion(asker: asker, steps: implementedSteps(of: steps)[...]))
        return beginQuestions()
    }

    /// Handles a notice.
    package mutating func noticed(_ notice: PresenterNotice) -> [Action] {
        guard !isRemoved, methods.contains(notice.method),
            let notice = unread.add(notice, canTellOfAll: methods.contains(.itemDidChange))
        else { return [] }
        return [.deliver(.notify(notice))]
    }

    /// Handles the end of the last access for which the presenter relinquished.
    package mutating func reacquired(_ kind: Relinquishment) -> [Action] {
        unread.endRepeating()
        if kind == .writer {
            // The presenter has its item back after the last writer (Rule 8.3).
            let hadClaims = writers.contains(.claims)
            writers.remove(.claims)
            guard !writers.contains(.plainWriter) else {
                return hadClaims ? [.relinquishmentChanged(kind, false)] : []
            }
        }
        return giveBack(kind)
    }

    mutating func giveBack(_ kind: Relinquishment) -> [Action] {
        switch self[kind].reacquire() {
        case .nothing:
            []
        case .runReacquirer(let call, let reacquirer):
            [
                .relinquishmentChanged(kind, false),
                .deliver(.reacquire(kind, call, reacquirer)),
            ]
        case .held:
            [.relinquishmentChanged(kind, false)] + continueAfterReturn(kind)
        }
    }

    /// Handles the end of a claim before the presenter has yielded to it (Rule 12.5).
    package mutating func cancelled(claim: UInt64) -> [Action] {
        withdrawn(.claim(claim))
    }

    mutating func withdrawn(_ asker: PresenterQuestion.Asker) -> [Action] {
        guard let index = questions.firstIndex(where: { $0.asker == asker }) else { return [] }
        expectLateAnswer(to: index)
        switch questions.remove(at: index).progress {
        case .relinquishing(let kind, let call):
            // Other questions may wait for the same block.
            if !questions.contains(where: { $0.awaitsBlock(of: kind, call) }) {
                self[kind].withdraw(call)
            }
            return continueAfterReturn(kind).followed(by: beginQuestions())
        case .waiting, .awaitingReturn, .calling:
            return beginQuestions()
        }
    }

    /// Handles the end of the connection to the server: questions are discarded, relinquishments
    /// stay.
    package mutating func serverLost() -> [Action] {
        guard !isRemoved else { return [] }
        mayHaveMissedChanges = true
        for index in questions.indices { expectLateAnswer(to: index) }
        // A plain program's question does not come from the server.
        questions.removeAll(where: \.isOfClaim)
        reader.serverLost()
        if case .relinquishing? = questions.first?.progress {
            // The call continues, but only for the plain program.
            writers.remove(.claims)
            return []
        }
        writer.serverLost()
        return continueAfterReturn(.writer).followed(by: beginQuestions())
    }

    /// Handles the welcome of a server: the presenter is told to look at its item again.
    ///
    /// A message of the former server may have been lost, and no server has watched the item in
    /// between. It would be too early to tell the presenter when the connection ends: it would not
    /// see changes between then and the next server's first check of the item.
    ///
    /// - Parameter path: the presented path.
    /// - Returns: the actions to carry out.
    package mutating func serverFound(at path: ItemPath? = nil) -> [Action] {
        guard mayHaveMissedChanges else { return [] }
        mayHaveMissedChanges = false
        return noticed(.anyChange(at: path, of: methods)).followed(by: repeatLostAnswer())
    }

    /// Handles the removal of the presenter.
    package mutating func presenterRemoved() {
        isRemoved = true
        questions = []
        lateCalls = []
        hasAnswered = false
        reader = RelinquishmentLifecycle()
        writer = RelinquishmentLifecycle()
        writers = []
        unread = UnreadNotices()
    }

    // MARK: Answers of the presenter

    /// Records that the operation of a delivery has started.
    ///
    /// Returns false if the presenter must not be called.
    package mutating func begin(_ delivery: PresenterDelivery<Reacquirer>) -> Bool {
        switch delivery {
        case .relinquish(let kind, let call):
            self[kind].begin(call)
        case .perform(_, let call):
            beginCalling(call)
        case .notify(let notice):
            beginNotice(notice)
        case .reacquire(let kind, let call, _):
            self[kind].mayReturn(call)
        }
    }

    private mutating func beginNotice(_ notice: PresenterNotice) -> Bool {
        unread.remove(notice)
        return !isRemoved
    }

    private mutating func beginCalling(_ call: PresenterCallID) -> Bool {
        guard let index = questions.firstIndex(where: { $0.awaitsCompletion(of: call) }) else {
            return false
        }
        questions[index].progress = .calling(call, hasBegun: true)
        return true
    }

    /// Handles the call of the relinquish method's block (Rule 6.8).
    package mutating func relinquished(
        _ kind: Relinquishment, call: PresenterCallID, reacquirer: Reacquirer?
    ) -> [Action] {
        var actions: [Action] = answeredLate(call)
        switch self[kind].blockCalled(call, reacquirer: reacquirer) {
        case .ignore:
            return actions
        case .relinquished:
            if kind == .reader || writers.contains(.claims) {
                actions.append(.relinquishmentChanged(kind, true))
            }
        case .runReacquirer(let call, let reacquirer):
            actions.append(.deliver(.reacquire(kind, call, reacquirer)))
        case .held:
            actions = actions.followed(by: continueAfterReturn(kind))
        }
        return actions.followed(by: work { $0.awaitsBlock(of: kind, call) })
    }

    /// Handles the completion of a save or accommodate method, with an error if it refused (Rule
    /// 9.1).
    package mutating func completed(_ call: PresenterCallID, failure: Failure?) -> [Action] {
        let late = answeredLate(call)
        guard let failure else {
            return late.followed(by: work { $0.awaitsCompletion(of: call) })
        }
        guard let index = questions.firstIndex(where: { $0.awaitsCompletion(of: call) }) else {
            return late
        }
        let asker = questions.remove(at: index).asker
        return late.followed(by: [answer(to: asker, failure)]).followed(by: beginQuestions())
    }

    /// Handles the return of a reacquirer.
    package mutating func reacquired(_ kind: Relinquishment, call: PresenterCallID) -> [Action] {
        let late = answeredLate(call)
        return late.followed(by: self[kind].returned(call) ? continueAfterReturn(kind) : [])
    }

    // MARK: Numbers and steps

    mutating func nextCall() -> PresenterCallID {
        lastCall += 1
        return PresenterCallID(rawValue: lastCall)
    }

    private func implementedSteps(of steps: YieldSteps) -> [PresenterQuestion.Step] {
        var result: [PresenterQuestion.Step] = []
        for kind in steps.relinquish where methods.contains(kind.method) {
            result.append(.relinquish(kind))
        }
        func add(_ request: PresenterRequest) {
            if methods.contains(request.method) { result.append(.perform(request)) }
        }
        if steps.save { add(.save) }
        if steps.accommodateDeletion { add(.accommodateDeletion) }
        for path in steps.accommodateSubitemDeletions { add(.accommodateSubitemDeletion(path)) }
        if steps.accommodateEviction { add(.accommodateEviction) }
        for path in steps.provideContents { add(.provideContents(path)) }
        return result
    }
}

extension PresenterMailboxState.Action: Equatable where Reacquirer: Equatable, Failure: Equatable {}
extension PresenterMailboxState: Equatable where Reacquirer: Equatable {}
extension PresenterMailboxState: Hashable where Reacquirer: Hashable {}
