// SPDX-License-Identifier: Apache-2.0
//
// Delivers messages to one registered presenter. The session's connection thread adds messages from
// the server, the presenter's queue runs them, and answers may come on any thread.
// ``PresenterMailboxState`` makes the decisions under a lock. They are carried out without the
// lock, by one thread at a time, in the order in which they were made.

package import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// Delivers the server's messages to one presenter, on its own queue only.
///
/// No method waits; each returns at once and may be called on any thread. The closures of `init`
/// are called on any thread, without a lock, in the order of the decisions, except for `handled`,
/// which is called on the presenter's queue.
package final class PresenterMailbox: Sendable {
    private typealias Reacquirer = Presenter.Reacquirer
    private typealias State = PresenterMailboxState<Reacquirer, any Error>
    private typealias Delivery = PresenterDelivery<Reacquirer>

    private struct Contents: Sendable {
        var state: State
        /// Nil after the presenter was removed, so that a presenter which keeps a block from a
        /// message does not keep itself alive.
        var callbacks: Callbacks?
        var outbox = Outbox.idle
    }

    /// The presenter and the closures of the session.
    private final class Callbacks: Sendable {
        let presenter: any Presenter
        let answer: @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void
        let answeredLate: @Sendable () -> Void
        let relinquishmentChanged: @Sendable (Relinquishment, Bool) -> Void
        let handled: @Sendable (PresenterNotice) -> Void
        let changed: @Sendable (PresenterMailbox) -> Void
        let leaseGuard: LeaseGuard?

        init(
            presenter: any Presenter,
            answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
            answeredLate: @escaping @Sendable () -> Void,
            relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
            handled: @escaping @Sendable (PresenterNotice) -> Void,
            changed: @escaping @Sendable (PresenterMailbox) -> Void,
            leaseGuard: LeaseGuard?
        ) {
            self.presenter = presenter
            self.leaseGuard = leaseGuard
            self.answer = answer
            self.answeredLate = answeredLate
            self.relinquishmentChanged = relinquishmentChanged
            self.handled = handled
            self.changed = changed
        }
    }

    /// The decisions that are still to be carried out.
    private enum Outbox: Sendable {
        /// There are none.
        case idle
        /// A thread is carrying out decisions and will continue with these.
        ///
        /// Or a batch has steps that are not on a queue yet, and will continue with these
        /// afterwards.
        case draining([State.Action], in: ObjectIdentifier?)
    }

    private let contents: Lock<Contents>
    private let queue: any PresenterQueue

    /// Creates the mailbox of a presenter that has just been registered.
    ///
    /// - Parameters:
    ///   - presenter: kept until ``invalidate()``, like the closures.
    ///   - answer: called once for each question that was not cancelled or discarded.
    ///   - answeredLate: called when the presenter has done what such a question had required, or
    ///     its queue gets to that.
    ///   - relinquishmentChanged: called with true when the presenter has relinquished, before the
    ///     answer, and with false when it gets its item back, before it is told.
    ///   - handled: called on the presenter's queue after its method for a notice has returned
    ///     (Rule 11.7). Not called for a notice that does not reach the presenter.
    ///   - changed: called when ``questionsBlocked(by:)`` may have changed.
    package convenience init(
        presenter: any Presenter,
        answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
        answeredLate: @escaping @Sendable () -> Void = {},
        relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
        handled: @escaping @Sendable (PresenterNotice) -> Void = { _ in },
        changed: @escaping @Sendable (PresenterMailbox) -> Void = { _ in }
    ) {
        self.init(
            guardedBy: nil, presenter: presenter, answer: answer, answeredLate: answeredLate,
            relinquishmentChanged: relinquishmentChanged, handled: handled, changed: changed)
    }

    /// Creates the mailbox of a presenter whose file may have a lease.
    init(
        guardedBy leaseGuard: LeaseGuard?, presenter: any Presenter,
        answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
        answeredLate: @escaping @Sendable () -> Void = {},
        relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
        handled: @escaping @Sendable (PresenterNotice) -> Void,
        changed: @escaping @Sendable (PresenterMailbox) -> Void
    ) {
        let callbacks = Callbacks(
            presenter: presenter, answer: answer, answeredLate: answeredLate,
            relinquishmentChanged: relinquishmentChanged, handled: handled, changed: changed,
            leaseGuard: leaseGuard)
        contents = Lock(Contents(state: State(methods: presenter.methods), callbacks: callbacks))
        queue = presenter.queue
    }

    // MARK: Messages from the server

    /// Asks the presenter to yield to a claim.
    ///
    /// It answers after all steps, or at the first error (Rules 6.5 and 9.3).
    ///
    /// Steps that the presenter does not implement are omitted, and it is not asked again to
    /// relinquish what it has relinquished already (Rules 3.6 and 6.11).
    package func ask(claim: UInt64, steps: YieldSteps, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.asked(claim: claim, steps: steps) }
    }

    /// Notifies the presenter, if it implements the method (Rule 7.1).
    package func notify(_ notice: PresenterNotice, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.noticed(notice) }
    }

    /// Gives the presenter its item back, after the notices so far (Rules 7.2 and 8.1 to 8.6).
    package func reacquire(_ kind: Relinquishment, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.reacquired(kind) }
    }

    /// Discards the question for a claim.
    ///
    /// A step that the presenter has begun continues, but no claim waits for it any more (Rule
    /// 12.5).
    package func withdrawQuestion(claim: UInt64, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.cancelled(claim: claim) }
    }

    /// How the presenter's guard asks on behalf of a plain program that waits at its lease.
    var questions: LeaseGuard.Questions {
        LeaseGuard.Questions(
            ask: { saves in self.handle { $0.plainWriterWaits(saves: saves) } },
            giveBack: { self.handle { $0.plainWriterGone() } },
            tell: { news, path in self.notify(.itemVersion(news, of: path)) })
    }

    /// Discards all questions, because the server that asked them is gone.
    package func serverLost() {
        handle { $0.serverLost() }
    }

    /// Tells the presenter to look at its item again if a server was lost before this one.
    package func serverFound(at path: ItemPath? = nil) {
        handle { $0.serverFound(at: path) }
    }

    /// Ends all deliveries, because the presenter was removed (Rule 5.7).
    ///
    /// No message starts after this returns. A running one continues and is not waited for, because
    /// the caller may be running in it.
    package func invalidate() {
        // The presenter is released after the lock, because its deinitializer may run any code.
        let former = contents.withLock { contents in
            let former = contents
            contents.state.presenterRemoved()
            contents.callbacks = nil
            if case .draining(_, let batch) = contents.outbox {
                contents.outbox = .draining([], in: batch)
            }
            return former
        }
        withExtendedLifetime(former) {}
    }
}

// MARK: - Carrying out

extension PresenterMailbox {
    /// Decides under the lock, and makes sure that the decisions are carried out: by this thread,
    /// or by the thread that is doing that already.
    private func handle(
        in batch: PresenterBatch? = nil, _ decide: (inout State) -> [State.Action]
    ) {
        let batchID = batch.map { ObjectIdentifier($0) }
        let first: ActionBatch = contents.withLock { contents in
            let hasGuard = contents.callbacks?.leaseGuard != nil
            let actions =
                hasGuard ? contents.state.lifting(decide) : decide(&contents.state)
            switch contents.outbox {
            case .idle:
                guard !actions.isEmpty else { return ActionBatch([], contents.callbacks) }
                contents.outbox = .draining([], in: batchID)
                return ActionBatch(actions, contents.callbacks)
            case .draining(let earlier, let holder):
                if batchID != nil, holder == batchID, earlier.isEmpty {
                    return ActionBatch(actions, contents.callbacks, isOfBatch: true)
                }
                contents.outbox = .draining(earlier.followed(by: actions), in: holder)
                return ActionBatch([], contents.callbacks)
            }
        }
        carryOut(first, in: batch)
        first.callbacks?.changed(self)
    }

    /// Decisions, and the objects that they concern.
    private struct ActionBatch {
        let actions: [State.Action]
        let callbacks: Callbacks?
        /// Whether the batch, which contains earlier decisions, continues with later ones.
        let isOfBatch: Bool

        init(_ actions: [State.Action], _ callbacks: Callbacks?, isOfBatch: Bool = false) {
            self.actions = actions
            self.callbacks = callbacks
            self.isOfBatch = isOfBatch
        }
    }

    /// Carries out decisions until there are none left.
    ///
    /// Steps in a batch are not on a queue yet, and later decisions must not overtake them. So the
    /// batch keeps the right to carry out decisions until its steps are on their queue.
    private func carryOut(_ first: ActionBatch, in batch: PresenterBatch?) {
        var actionBatch = first
        while !actionBatch.actions.isEmpty {
            var isInBatch = actionBatch.isOfBatch
            for action in actionBatch.actions {
                if case .deliver(let delivery) = action, let batch {
                    batch.add(on: queue) { self.run(delivery) }
                    if !isInBatch { batch.note(self) }
                    isInBatch = true
                } else {
                    carryOut(action, actionBatch.callbacks)
                }
            }
            if isInBatch { return }
            actionBatch = nextActionBatch()
        }
    }

    /// Carries out the decisions that were made after steps were added to a batch, which are on
    /// their queue now.
    func goOn(in batch: PresenterBatch) { carryOut(nextActionBatch(), in: batch) }

    private func nextActionBatch() -> ActionBatch {
        contents.withLock { contents in
            guard case .draining(let actions, _) = contents.outbox, !actions.isEmpty else {
                contents.outbox = .idle
                return ActionBatch([], nil)
            }
            contents.outbox = .draining([], in: nil)
            return ActionBatch(actions, contents.callbacks)
        }
    }

    private func carryOut(_ action: State.Action, _ callbacks: Callbacks?) {
        switch action {
        case .deliver(let delivery):
            queue.add { self.run(delivery) }
        case .answer(let claim, let failure):
            callbacks?.answer(claim, failure)
        case .answerLate: callbacks?.answeredLate()
        case .relinquishmentChanged(let kind, let isRelinquished):
            callbacks?.relinquishmentChanged(kind, isRelinquished)
        case .letPlainWriterGo: callbacks?.leaseGuard?.presenterAnswered()
        case .guardLifted(let isLifted): callbacks?.leaseGuard?.lift(isLifted)
        }
    }

    /// The presenter and the session's closures; nil after the presenter was removed.
    private var callbacks: Callbacks? { contents.withLock { $0.callbacks } }

    /// Returns the presenter if this delivery may still reach it.
    private func begin(_ delivery: Delivery) -> (any Presenter)? {
        beginning(delivery)?.presenter
    }

    private func beginning(_ delivery: Delivery) -> Callbacks? {
        let callbacks = contents.withLock { $0.state.begin(delivery) ? $0.callbacks : nil }
        callbacks?.changed(self)
        return callbacks
    }

    /// Returns for each claim whose question is open the last of these calls that keeps the
    /// presenter from answering it (Rule 18.4).
    func questionsBlocked(by calls: [WaitingCall]) -> [UInt64: RecordReference?] {
        let places = calls.map { call in
            (call.record, call.place.occupies(queue), call.place.callbacks(of: self))
        }
        return contents.withLock { contents in
            var result: [UInt64: RecordReference?] = [:]
            for claim in contents.state.openClaims { result.updateValue(nil, forKey: claim) }
            for (record, occupiesQueue, callbacks) in places {
                let claims = contents.state.claimsBlocked(
                    occupiesQueue: occupiesQueue, within: callbacks)
                for claim in claims { result.updateValue(record, forKey: claim) }
            }
            return result
        }
    }

    private func within(_ callback: PresenterCallback) -> CallPlace.Callback {
        CallPlace.Callback(mailbox: ObjectIdentifier(self), callback: callback)
    }
}

// MARK: - On the presenter's queue

extension PresenterMailbox {
    /// Runs the operation of one delivery.
    ///
    /// It ends when the presenter's method returns, not when the presenter has answered (Rule
    /// 6.15).
    private func run(_ delivery: Delivery) {
        switch delivery {
        case .perform(let request, let call): perform(request, delivery, call)
        case .relinquish(let kind, let call):
            guard let presenter = begin(delivery) else { return handle { $0.skipped(call) } }
            let block: @Sendable (Reacquirer?) -> Void = { reacquirer in
                self.handle { $0.relinquished(kind, call: call, reacquirer: reacquirer) }
            }
            PresenterCallbacks.within(within(.answering(call))) {
                presenter.relinquish(kind, block)
            }
        case .notify(let notice):
            guard let callbacks = beginning(delivery), callbacks.presenter.receive(notice) else {
                return
            }
            // Also called if the presenter removed itself, because it has been told.
            callbacks.handled(notice)
        case .reacquire(let kind, let call, let reacquirer):
            guard begin(delivery) != nil else { return }
            PresenterCallbacks.within(within(.reacquiring(call))) { reacquirer() }
            handle { $0.reacquired(kind, call: call) }
        }
    }

    /// Calls a method that is answered with a completion.
    private func perform(
        _ request: PresenterRequest, _ delivery: Delivery, _ call: PresenterCallID
    ) {
        // The call counts as begun from here on, so it no longer waits for the presenter's queue.
        guard let presenter = begin(delivery) else { return handle { $0.skipped(call) } }
        // The presenter may be removed before its method runs (Rule 5.7).
        let scope = PresenterCallScope(within(.answering(call))) { self.callbacks != nil }
        presenter.perform(request, in: scope) { failure in
            self.handle { $0.completed(call, failure: failure) }
        }
    }
}
