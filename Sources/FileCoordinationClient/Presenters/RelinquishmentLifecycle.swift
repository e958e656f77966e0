// SPDX-License-Identifier: Apache-2.0
//
// The state machine of one kind of relinquishment: whether the presenter has its item or has
// relinquished it. Readers and writers are independent, so each presenter has two of these (Rule
// 6.10).

import FileCoordinationArbiter

/// The lifecycle of one kind of relinquishment.
///
///     held ─► enqueued ─► called ─► relinquished ─► returning ─► held
///                 └─reacquired─┴────────────────────────┘
///
/// Reacquired: the access ended before the presenter had relinquished. The presenter is still
/// asked, and gets its item back as soon as it answers (Rule 8.6).
struct RelinquishmentLifecycle<Reacquirer: Sendable>: Sendable {
    fileprivate enum State: Sendable {
        /// The presenter has its item.
        case held
        /// The operation that calls the relinquish method waits in the presenter's queue.
        case enqueued(PresenterCallID)
        /// As `enqueued`, but the access is over.
        case enqueuedReacquired(PresenterCallID)
        /// The relinquish method was called; its block has not been called.
        case called(PresenterCallID)
        /// As `called`, but the access is over.
        case calledReacquired(PresenterCallID)
        /// The presenter relinquished, and supplied a block to call when it has its item back.
        case relinquished(PresenterCallID, Reacquirer?)
        /// The operation that runs that block is in the presenter's queue and has not returned.
        case returning(PresenterCallID)
    }

    private var state = State.held

    /// What a question must do that requires the presenter to relinquish.
    enum RequireAction: Equatable {
        /// Call the relinquish method, and wait for its block.
        case call
        /// Wait for the block of an earlier call, whose question was cancelled.
        case waitForBlock(of: PresenterCallID)
        /// Wait until the presenter has its item back, then try again (Rule 8.5).
        case waitForReturn
        /// Continue, because the presenter has relinquished already (Rules 3.6 and 6.11).
        case goOn
    }

    /// Handles a question that requires relinquishment; `call` is the number for a new call.
    mutating func require(_ call: PresenterCallID) -> RequireAction {
        switch state {
        case .held:
            state = .enqueued(call)
            return .call
        case .enqueued(let earlier), .called(let earlier):
            return .waitForBlock(of: earlier)
        case .enqueuedReacquired, .calledReacquired, .returning:
            return .waitForReturn
        case .relinquished:
            return .goOn
        }
    }

    /// Records that the operation of `call` starts.
    ///
    /// Returns false if it must not call the method.
    mutating func begin(_ call: PresenterCallID) -> Bool {
        switch state {
        case .enqueued(call):
            state = .called(call)
            return true
        case .enqueuedReacquired(call):
            state = .calledReacquired(call)
            return true
        case .held, .enqueued, .enqueuedReacquired, .called, .calledReacquired, .relinquished,
            .returning:
            return false
        }
    }

    /// Whether the operation that runs the reacquirer of `call` may do so.
    func mayReturn(_ call: PresenterCallID) -> Bool {
        switch state {
        case .returning(call): true
        case .held, .enqueued, .enqueuedReacquired, .called, .calledReacquired, .relinquished,
            .returning:
            false
        }
    }

    /// What to do after the presenter called its block.
    enum BlockCalledAction {
        /// Nothing: the block was called before, or no claim waits any more (Rule 6.8).
        case ignore
        /// Record that the presenter relinquished.
        case relinquished
        /// Run the reacquirer at once, because the access is over (Rule 8.6).
        case runReacquirer(PresenterCallID, Reacquirer)
        /// Record that the presenter has its item: the access is over and there is no reacquirer.
        case held
    }

    /// Handles the call of the block of `call`.
    mutating func blockCalled(
        _ call: PresenterCallID, reacquirer: Reacquirer?
    ) -> BlockCalledAction {
        switch state {
        case .called(call):
            state = .relinquished(call, reacquirer)
            return .relinquished
        case .calledReacquired(call):
            guard let reacquirer else {
                state = .held
                return .held
            }
            state = .returning(call)
            return .runReacquirer(call, reacquirer)
        case .held, .enqueued, .enqueuedReacquired, .called, .calledReacquired, .relinquished,
            .returning:
            return .ignore
        }
    }

    /// What to do after the access is over.
    enum ReacquireAction {
        /// Nothing now: the presenter has its item, or gets it when it has answered.
        case nothing
        /// Run the reacquirer, so that the presenter has its item back.
        case runReacquirer(PresenterCallID, Reacquirer)
        /// Record that the presenter has its item; it supplied no reacquirer.
        case held
    }

    /// Handles the end of the last access for which the presenter relinquished (Rule 8.3).
    mutating func reacquire() -> ReacquireAction {
        switch state {
        case .held, .enqueuedReacquired, .calledReacquired, .returning:
            return .nothing
        case .enqueued(let call):
            state = .enqueuedReacquired(call)
            return .nothing
        case .called(let call):
            state = .calledReacquired(call)
            return .nothing
        case .relinquished(_, nil):
            state = .held
            return .held
        case .relinquished(let call, let reacquirer?):
            state = .returning(call)
            return .runReacquirer(call, reacquirer)
        }
    }

    /// Handles the return of the reacquirer of `call`.
    ///
    /// Returns false if it is not expected.
    mutating func returned(_ call: PresenterCallID) -> Bool {
        guard mayReturn(call) else { return false }
        state = .held
        return true
    }

    /// What must end before this kind can advance.
    enum Obstacle {
        case nothing
        /// An operation that has not started.
        case queue
        /// The relinquish method of this call, which may have returned.
        case method(PresenterCallID)
        /// The reacquirer of this call, which may not have started.
        case reacquirer(PresenterCallID)
    }

    /// The call whose operation has not started or not returned, or whose block was not called.
    var openCall: PresenterCallID? {
        switch state {
        case .held, .relinquished: nil
        case .enqueued(let call), .enqueuedReacquired(let call), .called(let call),
            .calledReacquired(let call), .returning(let call):
            call
        }
    }

    /// Whether the presenter has its item and is not being asked for it.
    var isHeld: Bool {
        if case .held = state { true } else { false }
    }

    /// Whether the presenter has relinquished and nothing is on its way to it.
    var isRelinquished: Bool {
        if case .relinquished = state { true } else { false }
    }

    var obstacle: Obstacle {
        switch state {
        case .held, .relinquished: .nothing
        case .enqueued, .enqueuedReacquired: .queue
        case .called(let call), .calledReacquired(let call): .method(call)
        case .returning(let call): .reacquirer(call)
        }
    }

    /// Cancels `call`.
    ///
    /// If its method was not called yet, it never will be.
    mutating func withdraw(_ call: PresenterCallID) {
        switch state {
        case .enqueued(call), .enqueuedReacquired(call):
            state = .held
        case .held, .enqueued, .enqueuedReacquired, .called, .calledReacquired, .relinquished,
            .returning:
            break
        }
    }

    /// Handles the end of the connection to the server.
    ///
    /// The next server does not know of calls without an answer, so it will not recall them.
    mutating func serverLost() {
        switch state {
        case .enqueued, .enqueuedReacquired:
            state = .held
        case .called(let call):
            state = .calledReacquired(call)
        case .held, .calledReacquired, .relinquished, .returning:
            break
        }
    }
}

extension RelinquishmentLifecycle.State: Equatable where Reacquirer: Equatable {}
extension RelinquishmentLifecycle.State: Hashable where Reacquirer: Hashable {}
extension RelinquishmentLifecycle: Equatable where Reacquirer: Equatable {}
extension RelinquishmentLifecycle: Hashable where Reacquirer: Hashable {}
