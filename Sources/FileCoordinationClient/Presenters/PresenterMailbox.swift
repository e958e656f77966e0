// SPDX-License-Identifier: Apache-2.0
//
// One registered presenter's way in. The session's connection thread drops in what the arbiter
// says, the presenter's queue works it off, answers come back from any thread. Decisions are made
// under the lock, by ``PresenterMailboxState``; they are carried out outside of it, by one thread
// at a time, in the order in which they were made.

package import FileCoordinationArbiter
import FileCoordinationSystem

/// Delivers the arbiter's messages to one presenter, on its own queue and no other.
///
/// Nothing here waits: every method returns at once, on whatever thread it is called. The closures
/// given at creation are called on any thread, without a lock, in the order of the decisions; but
/// `handled` on the presenter's queue.
package final class PresenterMailbox: Sendable {
    private typealias Reacquirer = Presenter.Reacquirer
    private typealias State = PresenterMailboxState<Reacquirer, any Error>
    private typealias Delivery = PresenterDelivery<Reacquirer>

    private struct Contents: Sendable {
        var state: State
        /// Nil once the presenter was removed: a presenter that keeps a block which it was given
        /// must not keep itself alive by that.
        var callbacks: Callbacks?
        var outbox = Outbox.idle
    }

    /// Those between whom the mailbox is.
    private final class Callbacks: Sendable {
        let presenter: any Presenter
        let answer: @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void
        let relinquishmentChanged: @Sendable (Relinquishment, Bool) -> Void
        let handled: @Sendable (PresenterNotice) -> Void
        let changed: @Sendable (PresenterMailbox) -> Void

        init(
            presenter: any Presenter,
            answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
            relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
            handled: @escaping @Sendable (PresenterNotice) -> Void,
            changed: @escaping @Sendable (PresenterMailbox) -> Void
        ) {
            self.presenter = presenter
            self.answer = answer
            self.relinquishmentChanged = relinquishmentChanged
            self.handled = handled
            self.changed = changed
        }
    }

    /// Decisions on their way out.
    private enum Outbox: Sendable {
        /// None.
        case idle
        /// A thread is carrying out decisions, and is to go on with these; or a batch has some that
        /// are on no queue yet.
        case draining([State.Action], in: ObjectIdentifier?)
    }

    private let contents: Lock<Contents>
    private let queue: any PresenterQueue

    /// The mailbox of a presenter that has just been registered.
    ///
    /// - Parameters:
    ///   - presenter: Kept until ``invalidate()``, as are the closures.
    ///   - answer: Called once for each ask that was neither cancelled nor forgotten.
    ///   - relinquishmentChanged: Called with true when the presenter has made way, before the
    ///     answer, and with false when its item is given back, before it knows.
    ///   - handled: Called on the presenter's queue when its method for a notice has returned
    ///     (Rule 11.7); not for one that does not reach it.
    ///   - changed: Called when ``isBlocked(by:)`` may have changed.
    package init(
        presenter: any Presenter,
        answer: @escaping @Sendable (_ claim: UInt64, _ failure: (any Error)?) -> Void,
        relinquishmentChanged: @escaping @Sendable (Relinquishment, Bool) -> Void,
        handled: @escaping @Sendable (PresenterNotice) -> Void = { _ in },
        changed: @escaping @Sendable (PresenterMailbox) -> Void = { _ in }
    ) {
        let callbacks = Callbacks(
            presenter: presenter, answer: answer,
            relinquishmentChanged: relinquishmentChanged, handled: handled, changed: changed)
        contents = Lock(Contents(state: State(methods: presenter.methods), callbacks: callbacks))
        queue = presenter.queue
    }

    // MARK: What the arbiter says

    /// Asks the presenter to make way for a claim; it answers when it has taken all steps, or at
    /// the first error (Rules 6.5 and 9.3).
    ///
    /// Steps that the presenter does not implement are left out, and a kind in which it is
    /// relinquished already is not asked for again (Rules 3.6 and 6.11).
    package func ask(claim: UInt64, steps: YieldSteps, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.asked(claim: claim, steps: steps) }
    }

    /// Tells the presenter what happened, if it implements the method for it (Rule 7.1).
    package func notify(_ notice: PresenterNotice, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.noticed(notice) }
    }

    /// Gives the presenter its item back, after the notices so far (Rules 7.2 and 8.1 to 8.6).
    package func reacquire(_ kind: Relinquishment, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.recalled(kind) }
    }

    /// Forgets what a claim asked for; what the presenter is doing already is not recalled, but
    /// no claim waits for it any more (Rule 12.5).
    package func cancelAsk(claim: UInt64, in batch: PresenterBatch? = nil) {
        handle(in: batch) { $0.cancelled(claim: claim) }
    }

    /// Forgets all asks, because the arbiter that made them is gone, and has the presenter look at
    /// its item again.
    package func resetAfterServerChange() {
        handle { $0.serverChanged() }
    }

    /// Ends everything, because the presenter was removed (Rule 5.7).
    ///
    /// No message starts after this returns. One that is running already goes on, and is not waited
    /// for: it may be the caller.
    package func invalidate() {
        // What the presenter gave us is released after the lock: its deinitialiser is its own code.
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
    /// Decides under the lock, and sees to it that what was decided is carried out: by this thread,
    /// or by the one that is at it.
    private func handle(
        in batch: PresenterBatch? = nil, _ decide: (inout State) -> [State.Action]
    ) {
        let batchID = batch.map { ObjectIdentifier($0) }
        let first: ActionBatch = contents.withLock { contents in
            let actions = decide(&contents.state)
            switch contents.outbox {
            case .idle:
                guard !actions.isEmpty else { return ActionBatch([], contents.callbacks) }
                contents.outbox = .draining([], in: batchID)
                return ActionBatch(actions, contents.callbacks)
            case .draining(let earlier, let holder):
                if batchID != nil, holder == batchID, earlier.isEmpty {
                    return ActionBatch(actions, contents.callbacks, isOfBatch: true)
                }
                contents.outbox = .draining(earlier + actions, in: holder)
                return ActionBatch([], contents.callbacks)
            }
        }
        carryOut(first, in: batch)
        first.callbacks?.changed(self)
    }

    /// Decisions, and those whom they concern.
    private struct ActionBatch {
        let actions: [State.Action]
        let callbacks: Callbacks?
        /// Whether the batch, which has earlier ones already, goes on with what comes after them.
        let isOfBatch: Bool

        init(_ actions: [State.Action], _ callbacks: Callbacks?, isOfBatch: Bool = false) {
            self.actions = actions
            self.callbacks = callbacks
            self.isOfBatch = isOfBatch
        }
    }

    /// Carries out decisions until there are no more.
    ///
    /// What has been given to a batch is on no queue yet, and what was decided after that must not
    /// come before it. So the batch keeps the right to carry out until it has reached its queue.
    private func carryOut(_ first: ActionBatch, in batch: PresenterBatch?) {
        var actionBatch = first
        while !actionBatch.actions.isEmpty {
            var isInBatch = actionBatch.isOfBatch
            for action in actionBatch.actions {
                if case .deliver(let delivery) = action, let batch {
                    batch.add(on: queue, by: self) { self.run(delivery) }
                    isInBatch = true
                } else {
                    carryOut(action, actionBatch.callbacks)
                }
            }
            if isInBatch { return }
            actionBatch = nextActionBatch()
        }
    }

    /// Goes on with what was decided since it gave something to a batch, which has reached its
    /// queue.
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
        case .relinquishmentChanged(let kind, let isRelinquished):
            callbacks?.relinquishmentChanged(kind, isRelinquished)
        }
    }

    /// Presenter and session, until the presenter was removed.
    private var callbacks: Callbacks? { contents.withLock { $0.callbacks } }

    /// The presenter, if this delivery may still reach it.
    private func begin(_ delivery: Delivery) -> (any Presenter)? {
        beginning(delivery)?.presenter
    }

    private func beginning(_ delivery: Delivery) -> Callbacks? {
        let callbacks = contents.withLock { $0.state.begin(delivery) ? $0.callbacks : nil }
        callbacks?.changed(self)
        return callbacks
    }

    /// Whether the presenter can do nothing that it was asked before a call made at `place` has
    /// returned (Rule 18.4).
    func isBlocked(by place: CallPlace) -> Bool {
        let occupiesQueue = place.occupies(queue)
        let callbacks = place.callbacks(of: self)
        guard occupiesQueue || !callbacks.isEmpty else { return false }
        return contents.withLock {
            $0.state.isBlocked(occupiesQueue: occupiesQueue, within: callbacks)
        }
    }

    private func within(_ callback: PresenterCallback) -> CallPlace.Callback {
        CallPlace.Callback(mailbox: ObjectIdentifier(self), callback: callback)
    }
}

// MARK: - On the presenter's queue

extension PresenterMailbox {
    /// The operation of one delivery.
    ///
    /// It ends when the presenter's method returns, not when the presenter has answered (Rule
    /// 6.15).
    private func run(_ delivery: Delivery) {
        switch delivery {
        case .save(let call): perform(.save, delivery, call)
        case .accommodateDeletion(let call): perform(.accommodateDeletion, delivery, call)
        case .accommodateSubitemDeletion(let place, let call):
            perform(.accommodateSubitemDeletion(place), delivery, call)
        case .relinquish(let kind, let call):
            guard let presenter = begin(delivery) else { return }
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
            // Also if it removed itself: it has been told.
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
        // Begun, whatever comes: from here on nothing waits for the presenter's queue.
        guard let presenter = begin(delivery) else { return }
        // It may be removed before its method runs (Rule 5.7).
        let scope = PresenterCallScope(within(.answering(call))) { self.callbacks != nil }
        presenter.perform(request, in: scope) { failure in
            self.handle { $0.completed(call, failure: failure) }
        }
    }
}
