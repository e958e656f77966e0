// SPDX-License-Identifier: Apache-2.0
//
// An access that a task waits for: no thread is held while it waits, and cancelling the task, or
// its deadline, ends the wait (Rules 18.1, 18.2, 18.11).

#if !canImport(Darwin)
import Dispatch
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation

/// One access of a task, until it is had.
final class TaskAccess: Sendable {
    private let core: CoordinatorCore
    private let state = Lock(State())

    private struct State {
        var access: CoordinatedAccess?
        /// Endings that nobody has taken yet: one for each claim of the access.
        var endings: [AccessEnding] = []
        var waiter: CheckedContinuation<AccessEnding, Never>?
        /// Why it is to be given up as soon as it is filed.
        var givenUp: AccessEnding?
        /// The error for a deadline that has passed.
        var timeOut: FileCoordinationError?
    }

    /// Deadlines: a queue of our own, which has a thread when one is due, however busy others are.
    private static let clock = DispatchQueue(label: "FileCoordination.deadlines")

    private init(_ core: CoordinatorCore) { self.core = core }

    /// Waits for access to `items`.
    static func obtain(
        _ items: [RequestedItem], _ core: CoordinatorCore, timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CoordinatedAccess {
        let wait = TaskAccess(core)
        return try await withTaskCancellationHandler {
            try await wait.obtain(items, timeout: timeout)
        } onCancel: {
            wait.giveUp(.cancelled)
        }
    }

    private func obtain(
        _ items: [RequestedItem], timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CoordinatedAccess {
        let enclosing = AccessorStack.current
        let place = CallPlace.ofTask
        let filed = await AccessThreads.run { self.file(items, enclosing) }
        let access = try filed.get()
        defer { core.endWaiting(access) }
        if let timeout { limit(access, timeout) }
        var ending = await nextEnding(of: access, at: place)
        while case .granted = ending {
            // On a thread of ours, because it looks at files.
            guard let settled = await AccessThreads.run({ access.settle() }) else {
                ending = await nextEnding(of: access, at: place)
                continue
            }
            ending = settled
            break
        }
        switch ending {
        case .granted: return access
        case .failed(let error): throw CoordinatorCore.thrown(error)
        case .timedOut:
            throw state.withLock { $0.timeOut }
                ?? FileCoordinationError(.timedOut, reason: "The deadline passed.")
        case .cancelled: throw CocoaError(.userCancelled)
        }
    }

    private func file(
        _ items: [RequestedItem], _ enclosing: [RecordReference]
    ) -> Result<CoordinatedAccess, NSError> {
        Result { () throws(NSError) in
            let access = try core.begin(
                items, enclosing: enclosing, onEnding: { self.ended($0) })
            let givenUp = state.withLock { state in
                state.access = access
                return state.givenUp
            }
            if let givenUp { access.giveUp(givenUp) }
            return access
        }
    }

    private func giveUp(_ reason: AccessEnding) {
        let access = state.withLock { state in
            state.givenUp = reason
            return state.access
        }
        access?.giveUp(reason)
    }

    // MARK: Endings

    private func ended(_ ending: AccessEnding) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.endings.append(ending)
                return CheckedContinuation<AccessEnding, Never>?.none
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: ending)
    }

    /// Waits for what becomes of the present claim of an access.
    private func nextEnding(
        of access: CoordinatedAccess, at place: CallPlace,
        isolation: isolated (any Actor)? = #isolation
    ) async -> AccessEnding {
        guard !place.isNowhere else { return await nextEnding() }
        let record = access.claim.record
        access.session.noteWait(record, at: place)
        defer { access.session.noteWaitOver(record) }
        return await nextEnding()
    }

    private func nextEnding(
        isolation: isolated (any Actor)? = #isolation
    ) async -> AccessEnding {
        await withCheckedContinuation(isolation: isolation) { continuation in
            let ending = state.withLock { state -> AccessEnding? in
                guard state.endings.isEmpty else { return state.endings.removeFirst() }
                state.waiter = continuation
                return nil
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    // MARK: Deadlines

    private func limit(_ access: CoordinatedAccess, _ timeout: Duration) {
        let nanoseconds = MonotonicClock.after(timeout) - MonotonicClock.now
        let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: nanoseconds))
        Self.clock.asyncAfter(deadline: deadline) { [weak access] in
            guard let access else { return }
            AccessThreads.start { self.timeOut(access, timeout) }
        }
    }

    private func timeOut(_ access: CoordinatedAccess, _ timeout: Duration) {
        guard access.isWaiting else { return }
        let error = access.timeOutError(after: timeout)
        state.withLock { $0.timeOut = error }
        access.giveUp(.timedOut)
    }
}
#endif
