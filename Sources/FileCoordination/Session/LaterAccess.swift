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
            filed(try core.begin(items, onEnding: { self.decided($0) }))
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
        core.endWaiting(access)
        let hasRun = Lock(false)
        let operation = BlockOperation { [core, accessor] in
            hasRun.withLock { $0 = true }
            switch ending {
            case .granted:
                access.run { _ in accessor(nil) }
                core.placePresenter()
            case .failed(let error): accessor(error)
            case .cancelled, .timedOut: accessor(CoordinatorCore.cancelledError)
            }
        }
        // Whoever cancels the queue's operations means this one, too: without its accessor the
        // claim would be held for ever.
        operation.completionBlock = {
            if case .granted = ending, !hasRun.withLock({ $0 }) { access.abandon() }
        }
        queue.addOperation(operation)
    }
}
#endif
