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

    private typealias Outcome = Result<CoordinatedAccess, any Error>

    private struct State {
        var access: CoordinatedAccess?
        /// Endings of its claim that came before it was known.
        var endings: [AccessEnding] = []
        /// The task, until it goes on.
        var waiter: UnsafeContinuation<Outcome, Never>?
        /// Why it is to be given up as soon as it is filed.
        var givenUp: AccessEnding?
        /// The error for a deadline that has passed.
        var timeOut: FileCoordinationError?
    }

    /// Deadlines: a queue of our own, which has a thread when one is due, however busy others are.
    private static let clock = DispatchQueue(label: "FileCoordination.deadlines")

    /// Where the task stands, should what it runs on be needed by a presenter.
    private let place = CallPlace.ofTask

    private init(_ core: CoordinatorCore) { self.core = core }

    /// Waits for access to `items`.
    static func obtain(
        _ items: [RequestedItem], _ core: CoordinatorCore, timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CoordinatedAccess {
        let wait = TaskAccess(core)
        let enclosing = AccessorStack.current
        // The task goes on once, when all is done: what is done for ten thousand of them must not
        // keep the pool's few threads from others. Unsafe, because it is resumed in one place.
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation(isolation: isolation) { waiter in
                wait.state.withLock { $0.waiter = waiter }
                AccessThreads.start { wait.file(items, enclosing, timeout) }
            }
        } onCancel: {
            wait.giveUp(.cancelled)
        }
        return try outcome.get()
    }

    /// On a thread of ours.
    private func file(
        _ items: [RequestedItem], _ enclosing: [RecordReference], _ timeout: Duration?
    ) {
        let access: CoordinatedAccess
        do throws(NSError) {
            access = try core.begin(items, enclosing: enclosing, onEnding: { self.ended($0) })
        } catch {
            return goOn(.failure(CoordinatorCore.thrown(error)))
        }
        noteWait(of: access, access.claim.record)
        let (givenUp, endings) = state.withLock { state in
            state.access = access
            defer { state.endings = [] }
            return (state.givenUp, state.endings)
        }
        if let givenUp { access.giveUp(givenUp) }
        if let timeout { limit(access, timeout) }
        for ending in endings { follow(access, ending) }
    }

    private func giveUp(_ reason: AccessEnding) {
        let access = state.withLock { state in
            state.givenUp = reason
            return state.access
        }
        access?.giveUp(reason)
    }

    // MARK: Endings

    /// A claim of the access has been granted or given up; on any thread.
    private func ended(_ ending: AccessEnding) {
        let access = state.withLock { state in
            if state.access == nil { state.endings.append(ending) }
            return state.access
        }
        if let access { follow(access, ending) }
    }

    private func follow(_ access: CoordinatedAccess, _ ending: AccessEnding) {
        guard case .granted = ending else { return end(access, ending) }
        let record = access.claim.record
        // On a thread of ours, because it looks at files.
        AccessThreads.start {
            let settled = access.settle()
            self.noteWaitOver(of: access, record)
            if let settled {
                self.end(access, settled)
            } else {
                let next = access.claim.record
                self.noteWait(of: access, next)
                // That claim may have ended, and all be over, or another one filed.
                if self.state.withLock({ $0.waiter == nil }) || access.claim.record != next {
                    self.noteWaitOver(of: access, next)
                }
            }
        }
    }

    /// Has the task go on.
    private func end(_ access: CoordinatedAccess, _ ending: AccessEnding) {
        noteWaitOver(of: access, access.claim.record)
        core.endWaiting(access)
        switch ending {
        case .granted: goOn(.success(access))
        case .failed(let error): goOn(.failure(CoordinatorCore.thrown(error)))
        case .timedOut:
            let error = state.withLock { $0.timeOut }
            goOn(
                .failure(
                    error ?? FileCoordinationError(.timedOut, reason: "The deadline passed.")))
        case .cancelled: goOn(.failure(CocoaError(.userCancelled)))
        }
    }

    private func goOn(_ outcome: Outcome) {
        let waiter = state.withLock { state in
            // It keeps this alive, to hear of its ending.
            state.access = nil
            return state.waiter.take()
        }
        waiter?.resume(returning: outcome)
    }

    private func noteWait(of access: CoordinatedAccess, _ record: RecordReference) {
        guard !place.isNowhere else { return }
        access.session.noteWait(record, at: place)
    }

    private func noteWaitOver(of access: CoordinatedAccess, _ record: RecordReference) {
        guard !place.isNowhere else { return }
        access.session.noteWaitOver(record)
    }

    // MARK: Deadlines

    private func limit(_ access: CoordinatedAccess, _ timeout: Duration) {
        let nanoseconds = MonotonicClock.nanoseconds(in: timeout)
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
