// SPDX-License-Identifier: Apache-2.0
//
// An access that no thread waits for: the accessor runs on a queue once the claim is decided, and
// the claim is held until it returns (Rules 13.1, 13.2).

#if !canImport(Darwin)
import FileCoordinationSystem
import Foundation

/// One call of the asynchronous method.
final class LaterAccess: Sendable {
    private let core: CoordinatorCore
    private let intents: [NSFileAccessIntent]
    private let queue: OperationQueue
    private let accessor: @Sendable ((any Error)?) -> Void
    private let state = Lock<State>(.undecided(access: nil))

    private enum State {
        /// The claim is being filed, or waits.
        case undecided(access: CoordinatedAccess?)
        /// Decided before filing returned; whoever files starts the accessor.
        case decided(AccessEnding)
        /// The accessor is on the queue.
        case started
    }

    init(
        core: CoordinatorCore, intents: [NSFileAccessIntent], queue: OperationQueue,
        accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        self.core = core
        self.intents = intents
        self.queue = queue
        self.accessor = accessor
    }

    /// Files the claim.
    ///
    /// The accessor runs later, exactly once, whatever happens.
    func start() {
        let accessor = accessor
        do throws(NSError) {
            var items: [RequestedItem] = []
            for intent in intents { items.append(try RequestedItem(intent)) }
            filed(try core.begin(items, blocksCaller: false, onEnding: { self.decided($0) }))
        } catch {
            queue.addOperation { accessor(error) }
        }
    }

    private func filed(_ access: CoordinatedAccess) {
        let ending = state.withLock { state -> AccessEnding? in
            switch state {
            case .undecided:
                state = .undecided(access: access)
                return nil
            case .decided(let ending):
                state = .started
                return ending
            case .started: return nil
            }
        }
        if let ending { enqueue(access, ending) }
    }

    private func decided(_ ending: AccessEnding) {
        let access = state.withLock { state -> CoordinatedAccess? in
            switch state {
            case .undecided(let access?):
                state = .started
                return access
            case .undecided(nil):
                state = .decided(ending)
                return nil
            case .decided, .started: return nil
            }
        }
        if let access { enqueue(access, ending) }
    }

    private func enqueue(_ access: CoordinatedAccess, _ ending: AccessEnding) {
        let hasRun = Lock(false)
        let operation = BlockOperation { [self] in
            hasRun.withLock { $0 = true }
            finish(access, ending)
        }
        // Whoever cancels the queue's operations means this one, too: without its accessor the
        // claim would be held for ever.
        operation.completionBlock = { [core] in
            guard !hasRun.withLock({ $0 }) else { return }
            core.endWaiting(access)
            if case .granted = ending { access.abandon() }
        }
        queue.addOperation(operation)
    }

    /// On the queue: runs the accessor, or waits on, for where a link leads (Rule 1.5).
    private func finish(_ access: CoordinatedAccess, _ ending: AccessEnding) {
        var ending = ending
        if case .granted = ending {
            // The next claim may be decided before it is known here.
            state.withLock { $0 = .undecided(access: nil) }
            guard let settled = access.settle() else { return filed(access) }
            state.withLock { $0 = .started }
            ending = settled
        }
        core.endWaiting(access)
        switch ending {
        case .granted:
            core.run(access) { urls in
                for (intent, url) in zip(intents, urls) { intent.rewrite(url: url) }
                accessor(nil)
            }
            core.placePresenter()
        case .failed(let error): accessor(error)
        case .cancelled, .timedOut: accessor(CoordinatorCore.cancelledError)
        }
    }
}
#endif
