// SPDX-License-Identifier: Apache-2.0
//
// Who has the item, as far as one kind of relinquishment goes: the presenter, or others. Readers
// and writers are separate states, so a presenter has two of these (Rule 6.10).

import FileCoordinationArbiter

/// The life of one kind of relinquishment of one presenter.
///
///     held ─► enqueued ─► called ─► relinquished ─► returning ─► held
///                 └──recalled──┴────────────────────────┘
///
/// Recalled: the access was over before the presenter had made way. It is still asked, and has its
/// item back as soon as it answers (Rule 8.6).
struct RelinquishmentLifecycle<Reacquirer: Sendable>: Sendable {
    fileprivate enum State: Sendable {
        /// The presenter has its item.
        case held
        /// The operation that calls the relinquish method waits in the presenter's queue.
        case enqueued(PresenterCallID)
        /// As `enqueued`, but the access is over already.
        case enqueuedRecalled(PresenterCallID)
        /// The relinquish method was called, its block was not.
        case called(PresenterCallID)
        /// As `called`, but the access is over already.
        case calledRecalled(PresenterCallID)
        /// The presenter made way, and gave a block to call when it may have its item back.
        case relinquished(PresenterCallID, Reacquirer?)
        /// The operation that runs that block is in the presenter's queue, and has not returned.
        case returning(PresenterCallID)
    }

    private var state = State.held

    /// What an ask has to do which needs the presenter to be relinquished.
    enum RequireAction: Equatable {
        /// Call the relinquish method, and wait for its block.
        case call
        /// Wait for the block of an earlier call, whose ask was given up.
        case waitForBlock(of: PresenterCallID)
        /// Wait until the presenter has its item back, then try again (Rule 8.5).
        case waitForReturn
        /// Nothing: the presenter is relinquished (Rules 3.6 and 6.11).
        case goOn
    }

    /// Records that an ask needs the presenter to be relinquished; `call` is the number to use.
    mutating func require(_ call: PresenterCallID) -> RequireAction {
        switch state {
        case .held:
            state = .enqueued(call)
            return .call
        case .enqueued(let earlier), .called(let earlier):
            return .waitForBlock(of: earlier)
        case .enqueuedRecalled, .calledRecalled, .returning:
            return .waitForReturn
        case .relinquished:
            return .goOn
        }
    }

    /// Records that the operation of `call` is about to call the method; false if it must not.
    mutating func begin(_ call: PresenterCallID) -> Bool {
        switch state {
        case .enqueued(call):
            state = .called(call)
            return true
        case .enqueuedRecalled(call):
            state = .calledRecalled(call)
            return true
        case .held, .enqueued, .enqueuedRecalled, .called, .calledRecalled, .relinquished,
            .returning:
            return false
        }
    }

    /// Whether the operation that runs the reacquirer of `call` may do so.
    func mayReturn(_ call: PresenterCallID) -> Bool {
        switch state {
        case .returning(call): true
        case .held, .enqueued, .enqueuedRecalled, .called, .calledRecalled, .relinquished,
            .returning:
            false
        }
    }

    /// What to do when the presenter has called its block.
    enum BlockCalledAction {
        /// Nothing: the block was called before, or no claim waits for it any more (Rule 6.8).
        case ignore
        /// The presenter made way.
        case relinquished
        /// The access is over: run the reacquirer at once (Rule 8.6).
        case runReacquirer(PresenterCallID, Reacquirer)
        /// The access is over, and there is no reacquirer to run: the presenter has its item.
        case held
    }

    /// Records that the presenter called the block of `call`.
    mutating func blockCalled(
        _ call: PresenterCallID, reacquirer: Reacquirer?
    ) -> BlockCalledAction {
        switch state {
        case .called(call):
            state = .relinquished(call, reacquirer)
            return .relinquished
        case .calledRecalled(call):
            guard let reacquirer else {
                state = .held
                return .held
            }
            state = .returning(call)
            return .runReacquirer(call, reacquirer)
        case .held, .enqueued, .enqueuedRecalled, .called, .calledRecalled, .relinquished,
            .returning:
            return .ignore
        }
    }

    /// What to do when the access is over.
    enum RecallAction {
        /// Nothing now: the presenter has its item, or will have it once it has answered.
        case nothing
        /// The presenter is to have its item back: run its reacquirer.
        case runReacquirer(PresenterCallID, Reacquirer)
        /// The presenter has its item back, and gave no reacquirer.
        case held
    }

    /// Records that the last access for which the presenter relinquished is over (Rule 8.3).
    mutating func recall() -> RecallAction {
        switch state {
        case .held, .enqueuedRecalled, .calledRecalled, .returning:
            return .nothing
        case .enqueued(let call):
            state = .enqueuedRecalled(call)
            return .nothing
        case .called(let call):
            state = .calledRecalled(call)
            return .nothing
        case .relinquished(_, nil):
            state = .held
            return .held
        case .relinquished(let call, let reacquirer?):
            state = .returning(call)
            return .runReacquirer(call, reacquirer)
        }
    }

    /// Records that the reacquirer of `call` has run; false if that is not news.
    mutating func returned(_ call: PresenterCallID) -> Bool {
        guard mayReturn(call) else { return false }
        state = .held
        return true
    }

    /// What has to be over before this kind goes on of itself.
    enum Obstacle {
        case nothing
        /// An operation that has not started.
        case queue
        /// The relinquish method of this call, which may have returned.
        case method(PresenterCallID)
        /// The reacquirer of this call, which may not have started.
        case reacquirer(PresenterCallID)
    }

    var obstacle: Obstacle {
        switch state {
        case .held, .relinquished: .nothing
        case .enqueued, .enqueuedRecalled: .queue
        case .called(let call), .calledRecalled(let call): .method(call)
        case .returning(let call): .reacquirer(call)
        }
    }

    /// Records that the ask which made `call` was given up: if the method was not called yet, it
    /// never will be.
    mutating func withdraw(_ call: PresenterCallID) {
        switch state {
        case .enqueued(call), .enqueuedRecalled(call):
            state = .held
        case .held, .enqueued, .enqueuedRecalled, .called, .calledRecalled, .relinquished,
            .returning:
            break
        }
    }

    /// Records that the arbiter was replaced: of a call without an answer the new one knows
    /// nothing, so it will not recall it either.
    mutating func serverChanged() {
        switch state {
        case .enqueued, .enqueuedRecalled:
            state = .held
        case .called(let call):
            state = .calledRecalled(call)
        case .held, .calledRecalled, .relinquished, .returning:
            break
        }
    }
}

extension RelinquishmentLifecycle.State: Equatable where Reacquirer: Equatable {}
extension RelinquishmentLifecycle.State: Hashable where Reacquirer: Hashable {}
extension RelinquishmentLifecycle: Equatable where Reacquirer: Equatable {}
extension RelinquishmentLifecycle: Hashable where Reacquirer: Hashable {}
