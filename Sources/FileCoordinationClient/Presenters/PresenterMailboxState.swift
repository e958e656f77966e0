// SPDX-License-Identifier: Apache-2.0
//
// The state machine of a presenter's mailbox: what the presenter has been asked, how far it has
// got, and what to do next. It takes facts and returns actions, without queues and locks. Questions
// are handled strictly one after the other; notices and reacquirers do not wait for them.
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
        /// Tell the session whether the presenter has relinquished its item for this kind of
        /// access.
        case relinquishmentChanged(Relinquishment, Bool)
        /// Let the plain program go on that waits at the presenter's lease.
        case letPlainWriterGo
        /// Drop the presenter's lease, because a claim needs the item; or set it again.
        case guardLifted(Bool)
    }

    private enum Step: Hashable, Sendable {
        case relinquish(Relinquishment)
        case save
        case accommodateDeletion
        case accommodateSubitemDeletion(ItemPath)
    }

    /// For whom the presenter is asked.
    enum Asker: Hashable, Sendable {
        case claim(UInt64)
        /// A program that does not coordinate and waits at the presenter's lease.
        case plainWriter
    }

    /// For whom the presenter has relinquished to a writer.
    struct Writers: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static var claims: Writers { Writers(rawValue: 1) }
        static var plainWriter: Writers { Writers(rawValue: 2) }
    }

    /// A question, with the steps that are left.
    private struct Ask: Hashable, Sendable {
        var asker: Asker
        var steps: ArraySlice<Step>
    }

    private enum Activity: Hashable, Sendable {
        /// No question is being handled.
        case idle
        /// The question's next step is to relinquish, but the presenter has to get its item back
        /// first from an earlier time (Rule 8.5).
        case awaitingReturn(Ask, Relinquishment)
        /// The mailbox waits until the presenter calls the block of this call.
        case relinquishing(Ask, Relinquishment, PresenterCallID)
        /// The mailbox waits for the completion of this call to save or accommodate.
        case calling(Ask, PresenterCallID)
        /// The presenter was removed; nothing happens any more (Rule 5.7).
        case removed
    }

    private let methods: PresenterMethods
    private var activity = Activity.idle
    private var waiting: [Ask] = []
    private var reader = RelinquishmentLifecycle<Reacquirer>()
    private(set) var writer = RelinquishmentLifecycle<Reacquirer>()
    var writers: Writers = []
    private var lastCall: UInt64 = 0
    /// The last call to save or accommodate that has started.
    private var lastBegun: PresenterCallID?

    /// Creates the state of a presenter that has its item and was asked nothing.
    package init(methods: PresenterMethods) { self.methods = methods }

    private subscript(kind: Relinquishment) -> RelinquishmentLifecycle<Reacquirer> {
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
        asked(Ask(asker: .claim(claim), steps: implementedSteps(of: steps)[...]))
    }

    private mutating func asked(_ ask: Ask) -> [Action] {
        switch activity {
        case .idle:
            return work(on: ask)
        case .awaitingReturn, .relinquishing, .calling:
            waiting.append(ask)
            return []
        case .removed:
            return []
        }
    }

    /// Handles a notice.
    package mutating func noticed(_ notice: PresenterNotice) -> [Action] {
        guard activity != .removed, methods.contains(notice.method) else { return [] }
        return [.deliver(.notify(notice))]
    }

    /// Handles the end of the last access for which the presenter relinquished.
    package mutating func recalled(_ kind: Relinquishment) -> [Action] {
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
        switch self[kind].recall() {
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

    mutating func withdrawn(_ asker: Asker) -> [Action] {
        waiting.removeAll { $0.asker == asker }
        switch activity {
        case .idle, .removed:
            return []
        case .awaitingReturn(let ask, _), .calling(let ask, _):
            return ask.asker == asker ? workOnNext() : []
        case .relinquishing(let ask, let kind, let call):
            guard ask.asker == asker else { return [] }
            self[kind].withdraw(call)
            return workOnNext()
        }
    }

    /// Handles a change of servers: questions are discarded, relinquishments stay, and the
    /// presenter is told to look at its item, because a message may have been lost.
    package mutating func serverChanged() -> [Action] {
        guard activity != .removed else { return [] }
        // A plain program's question does not come from the server.
        waiting.removeAll { $0.asker != .plainWriter }
        reader.serverChanged()
        let notices = noticed(.itemDidChange)
        if currentAsk?.asker == .plainWriter { return notices }
        activity = .idle
        writer.serverChanged()
        return notices + workOnNext()
    }

    /// Handles the removal of the presenter.
    package mutating func presenterRemoved() {
        waiting = []
        activity = .removed
        reader = RelinquishmentLifecycle()
        writer = RelinquishmentLifecycle()
        writers = []
    }

    // MARK: Answers of the presenter

    /// Records that the operation of a delivery has started.
    ///
    /// Returns false if the presenter must not be called.
    package mutating func begin(_ delivery: PresenterDelivery<Reacquirer>) -> Bool {
        switch delivery {
        case .relinquish(let kind, let call):
            self[kind].begin(call)
        case .save(let call), .accommodateDeletion(let call),
            .accommodateSubitemDeletion(_, let call):
            beginCalling(call)
        case .notify:
            activity != .removed
        case .reacquire(let kind, let call, _):
            self[kind].mayReturn(call)
        }
    }

    private mutating func beginCalling(_ call: PresenterCallID) -> Bool {
        guard isCalling(call) != nil else { return false }
        lastBegun = call
        return true
    }

    /// Handles the call of the relinquish method's block (Rule 6.8).
    package mutating func relinquished(
        _ kind: Relinquishment, call: PresenterCallID, reacquirer: Reacquirer?
    ) -> [Action] {
        var actions: [Action] = []
        switch self[kind].blockCalled(call, reacquirer: reacquirer) {
        case .ignore:
            return []
        case .relinquished:
            if kind == .reader || writers.contains(.claims) {
                actions.append(.relinquishmentChanged(kind, true))
            }
        case .runReacquirer(let call, let reacquirer):
            actions.append(.deliver(.reacquire(kind, call, reacquirer)))
        case .held:
            actions += continueAfterReturn(kind)
        }
        if case .relinquishing(let ask, kind, call) = activity { actions += work(on: ask) }
        return actions
    }

    /// Handles the completion of a save or accommodate method, with an error if it refused (Rule
    /// 9.1).
    package mutating func completed(_ call: PresenterCallID, failure: Failure?) -> [Action] {
        guard let ask = isCalling(call) else { return [] }
        guard let failure else { return work(on: ask) }
        return [answer(ask, failure)] + workOnNext()
    }

    /// Handles the return of a reacquirer.
    package mutating func reacquired(_ kind: Relinquishment, call: PresenterCallID) -> [Action] {
        self[kind].returned(call) ? continueAfterReturn(kind) : []
    }
}

extension PresenterMailboxState {
    /// Adds the question of a plain program.
    mutating func askForPlainWriter(_ steps: YieldSteps) -> [Action] {
        asked(Ask(asker: .plainWriter, steps: implementedSteps(of: steps)[...]))
    }

    var currentAsker: Asker? { currentAsk?.asker }

    private var currentAsk: Ask? {
        switch activity {
        case .idle, .removed: nil
        case .awaitingReturn(let ask, _), .relinquishing(let ask, _, _), .calling(let ask, _): ask
        }
    }

    /// What must end before the present question continues; nil if there is no question.
    var obstacle: RelinquishmentLifecycle<Reacquirer>.Obstacle? {
        switch activity {
        case .idle, .removed: nil
        case .calling(_, let call): lastBegun == call ? .method(call) : .queue
        case .relinquishing(_, let kind, _), .awaitingReturn(_, let kind): self[kind].obstacle
        }
    }

    /// Takes the question's steps up to one that must be waited for.
    ///
    /// If none is left, answers and continues with the next question.
    private mutating func work(on ask: Ask) -> [Action] {
        var ask = ask
        var joined: [Action] = []
        while let step = ask.steps.popFirst() {
            let call = nextCall()
            switch step {
            case .relinquish(let kind):
                let requirement = self[kind].require(call)
                joined += join(ask.asker, kind, requirement)
                switch requirement {
                case .call:
                    activity = .relinquishing(ask, kind, call)
                    return [.deliver(.relinquish(kind, call))]
                case .waitForBlock(let earlier):
                    activity = .relinquishing(ask, kind, earlier)
                    return []
                case .waitForReturn:
                    let again = Ask(asker: ask.asker, steps: [step] + ask.steps)
                    activity = .awaitingReturn(again, kind)
                    return []
                case .goOn:
                    continue
                }
            case .save:
                activity = .calling(ask, call)
                return joined + [.deliver(.save(call))]
            case .accommodateDeletion:
                activity = .calling(ask, call)
                return joined + [.deliver(.accommodateDeletion(call))]
            case .accommodateSubitemDeletion(let path):
                activity = .calling(ask, call)
                return joined + [.deliver(.accommodateSubitemDeletion(path, call))]
            }
        }
        return joined + [answer(ask, nil)] + workOnNext()
    }

    private func answer(_ ask: Ask, _ failure: Failure?) -> Action {
        switch ask.asker {
        case .claim(let claim): .answer(claim: claim, failure)
        case .plainWriter: .letPlainWriterGo
        }
    }

    /// Remembers for whom the presenter relinquishes to a writer.
    ///
    /// A record says so only of claims, because only those are the server's.
    private mutating func join(
        _ asker: Asker, _ kind: Relinquishment,
        _ requirement: RelinquishmentLifecycle<Reacquirer>.RequireAction
    ) -> [Action] {
        guard kind == .writer else { return [] }
        let added: Writers = asker == .plainWriter ? .plainWriter : .claims
        switch requirement {
        case .waitForReturn: return []
        case .call: writers = added
        case .waitForBlock: writers.insert(added)
        case .goOn:
            let isNew = !writers.contains(added)
            writers.insert(added)
            if isNew, added == .claims { return [.relinquishmentChanged(kind, true)] }
        }
        return []
    }

    private mutating func workOnNext() -> [Action] {
        activity = .idle
        guard !waiting.isEmpty else { return [] }
        return work(on: waiting.removeFirst())
    }

    private mutating func continueAfterReturn(_ kind: Relinquishment) -> [Action] {
        guard case .awaitingReturn(let ask, kind) = activity else { return [] }
        return work(on: ask)
    }

    private func isCalling(_ call: PresenterCallID) -> Ask? {
        guard case .calling(let ask, call) = activity else { return nil }
        return ask
    }

    private mutating func nextCall() -> PresenterCallID {
        lastCall += 1
        return PresenterCallID(rawValue: lastCall)
    }

    private func implementedSteps(of steps: YieldSteps) -> [Step] {
        var result: [Step] = []
        for kind in steps.relinquish where methods.contains(kind.method) {
            result.append(.relinquish(kind))
        }
        if steps.save, methods.contains(.save) { result.append(.save) }
        if steps.accommodateDeletion, methods.contains(.accommodateDeletion) {
            result.append(.accommodateDeletion)
        }
        if methods.contains(.accommodateSubitemDeletion) {
            result += steps.accommodateSubitemDeletions.map { .accommodateSubitemDeletion($0) }
        }
        return result
    }
}

extension Relinquishment {
    /// The method that the presenter must implement to be asked for it.
    fileprivate var method: PresenterMethods {
        switch self {
        case .reader: .relinquishToReader
        case .writer: .relinquishToWriter
        }
    }
}

extension PresenterMailboxState.Action: Equatable where Reacquirer: Equatable, Failure: Equatable {}
extension PresenterMailboxState: Equatable where Reacquirer: Equatable {}
extension PresenterMailboxState: Hashable where Reacquirer: Hashable {}
