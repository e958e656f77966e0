// SPDX-License-Identifier: Apache-2.0
//
// The three ways to wait for access, with URLs and Foundation's errors: on the calling thread, on a
// queue, and in a task.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import FoundationCompatibility

extension Coordinator {
    /// Waits for access, and runs `accessor` on this thread (Rule 13.8).
    func perform(
        _ items: ItemsOfCall, kind: ClaimKind = .access, _ accessor: ([URL]) -> Void
    ) throws(NSError) {
        let access: CoordinatedAccess
        do throws(AccessFailure) {
            access = try begin(items.requests, in: Session.current, kind: kind)
        } catch {
            throw items.nsError(error)
        }
        try complete(access, items, accessor)
    }

    /// Waits for an access whose claim was filed, and runs its accessor.
    func complete(
        _ access: CoordinatedAccess, _ items: ItemsOfCall, _ accessor: ([URL]) -> Void
    ) throws(NSError) {
        let ending = access.wait()
        guard case .granted = ending else {
            endWaiting(access)
            if case .failed(let failure) = ending { throw items.nsError(failure) }
            throw items.nsError(.cancelled)
        }
        run(access) { accessor(items.urls(of: $0)) }
        placePresenter()
    }

    /// Waits for access until a deadline, and runs `accessor` on this thread.
    func perform<R>(
        _ items: ItemsOfCall, _ timeout: Duration?, kind: ClaimKind = .access,
        _ accessor: ([URL]) throws -> R
    ) throws -> R {
        let access: CoordinatedAccess
        do throws(AccessFailure) {
            access = try begin(items.requests, in: Session.current, kind: kind)
        } catch {
            throw items.thrown(error)
        }
        defer { placePresenter() }
        let ending = access.wait(timeout: timeout)
        endWaiting(access)
        switch ending {
        case .granted: return try run(access) { try accessor(items.urls(of: $0)) }
        case .failed(let failure): throw items.thrown(failure)
        case .cancelled, .timedOut: throw CocoaError(.userCancelled)
        }
    }

    /// Waits for access without blocking a thread, and runs `accessor` on the caller's actor.
    func perform<R>(
        _ items: ItemsOfCall, _ timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation,
        _ accessor: ([URL]) async throws -> R
    ) async throws -> R {
        let access: CoordinatedAccess
        do throws(AccessFailure) {
            access = try await obtain(items.requests, in: Session.current, timeout: timeout)
        } catch {
            throw items.thrown(error)
        }
        markRunning(access)
        let result: R
        do {
            result = try await access.run { try await accessor(items.urls(of: $0)) }
        } catch {
            markEnded(access)
            await placePresenterLater()
            throw error
        }
        markEnded(access)
        await placePresenterLater()
        return result
    }

    /// Requests access and returns at once; `accessor` is called exactly once, on `queue` (Rule
    /// 13.1).
    func perform(
        _ intents: [NSFileAccessIntent], on queue: OperationQueue,
        _ accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let items: ItemsOfCall
        do throws(NSError) {
            var wanted: [CallItem] = []
            for intent in intents { wanted.append(try CallItem(intent)) }
            items = ItemsOfCall(wanted)
        } catch {
            return queue.addOperation { accessor(error) }
        }
        access(items.requests, in: Session.current, on: queue.enqueue) { result in
            switch result {
            case .success(let granted):
                for (intent, url) in zip(intents, items.urls(of: granted)) {
                    intent.rewrite(url: url)
                }
                accessor(nil)
            case .failure(let failure): accessor(items.nsError(failure))
            }
        }
    }

    /// Announces a change of ubiquity attributes (Rules 10.4 to 10.6).
    func announceAttributes(_ keys: Set<URLResourceKey>, of url: URL) {
        let names = keys.filter(\.isUbiquityAttribute).map { Array($0.rawValue.utf8) }
        announceAttributes(names, of: ItemName(url), in: Session.current)
    }
}

extension OperationQueue {
    /// Adds an operation; `dropped` is called if the operation is cancelled before it runs.
    fileprivate var enqueue: Coordinator.Enqueue {
        { run, dropped in
            let hasRun = Lock(false)
            let operation = BlockOperation {
                hasRun.withLock { $0 = true }
                run()
            }
            operation.completionBlock = {
                if !hasRun.withLock({ $0 }) { dropped() }
            }
            self.addOperation(operation)
        }
    }
}

extension URLResourceKey {
    /// Whether the key is that of a ubiquity attribute (Rule 10.5).
    var isUbiquityAttribute: Bool {
        self == .isUbiquitousItemKey || rawValue.hasPrefix("NSURLUbiquitousItem")
            || rawValue.hasPrefix("NSURLUbiquitousSharedItem")
    }
}
#endif
