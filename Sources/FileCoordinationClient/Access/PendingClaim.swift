// SPDX-License-Identifier: Apache-2.0
//
// One claim of this process, from filing until its accessor starts or it is given up. The record's
// word in the ledger decides what happens to it. This object stores why a claim was given up, and
// informs an asynchronous caller exactly once.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

/// A claim that waits or has waited.
package final class PendingClaim: Sendable {
    /// The claim's record in this process's ledger.
    let record: RecordReference
    private let ledger: LedgerWriter
    private let state: Lock<State>
    private let isWriting: Bool
    /// Called once with the result, for claims for which no thread waits.
    private let onEnding: (@Sendable (AccessEnding) -> Void)?
    /// Called on a thread that has waited for longer than an uncontended access takes.
    private let onLongWait: @Sendable () -> Void

    /// A call that waits this long may keep a presenter from answering.
    private static let noticeableWait: Duration = .milliseconds(20)

    /// The longest time between two looks at the ledger while a thread waits.
    private static let longestSleep: Duration = .seconds(2)

    private struct State {
        var decision = Decision.open
        /// The claim's entry in the delegated paths, until it is over.
        var opening: PlaceOpening
    }

    private enum Decision {
        /// The record's word was "filed" at the last check.
        case open
        /// The result is known and was reported.
        case made(AccessEnding)
    }

    init(
        record: RecordReference, ledger: LedgerWriter, opening: PlaceOpening = .none,
        isWriting: Bool = false, onEnding: (@Sendable (AccessEnding) -> Void)?,
        onLongWait: @escaping @Sendable () -> Void
    ) {
        self.record = record
        self.ledger = ledger
        state = Lock(State(opening: opening))
        self.isWriting = isWriting
        self.onEnding = onEnding
        self.onLongWait = onLongWait
    }

    /// Gives the claim up for `reason`, unless it was granted before.
    ///
    /// Returns whether it did.
    @discardableResult
    func giveUp(_ reason: AccessEnding) -> Bool {
        let isGivenUp = state.withLock { state in
            guard case .open = state.decision, ledger.cancel(record) || ledger.isDamaged else {
                return false
            }
            state.decision = .made(reason)
            return true
        }
        guard isGivenUp else { return false }
        ledger.wake(record)
        onEnding?(reason)
        return true
    }

    /// Records that the claim is filed, although its path is delegated.
    func becomeFiled() { state.withLock { $0.opening.becomeFiled(isWriting: isWriting) } }

    /// Frees the claim's path for other claims of this process.
    func leavePlace() {
        let opening = state.withLock { state in
            defer { state.opening = .none }
            return state.opening
        }
        opening.close(isWriting: isWriting)
    }

    /// Reports that the word is "granted", for claims for which no thread waits.
    func markGranted() {
        if let onEnding, takeGrant() { onEnding(.granted) }
    }

    /// Blocks the thread until the claim is decided or the deadline passes; returns whether it is
    /// granted and was not reported, which it then is not any more.
    func takeGrant(until deadline: Instant) -> Bool {
        ledger.waitWhileAsked(record, deadline: deadline) == .granted && takeGrant()
    }

    private func takeGrant() -> Bool {
        guard ledger.takeGrant(record) else { return false }
        return state.withLock { state in
            guard case .open = state.decision else { return false }
            state.decision = .made(.granted)
            return true
        }
    }

    /// Blocks the thread until the claim is decided or the deadline passes.
    ///
    /// - Parameters:
    ///   - deadline: nil for no limit.
    ///   - onWait: called on this thread if the wait takes noticeably long.
    /// - Returns: the result, or nil if the deadline passed and the claim still waits.
    func wait(until deadline: Instant?, onWait: () -> Void = {}) -> AccessEnding? {
        let start = MonotonicClock.now
        let noticeable = start + Self.noticeableWait
        let long = start + ServerWatchdog.firstPause
        let end = deadline ?? .distantFuture
        var state = ledger.waitWhileAsked(record, deadline: min(noticeable, end))
        if state == .filed, noticeable < end {
            onWait()
            state = ledger.waitWhileAsked(record, deadline: min(long, end))
        }
        if state == .filed, long < end { onLongWait() }
        // In a ledger whose file was truncated, no word changes any more, and no process wakes the
        // thread.
        while state == .filed, case let now = MonotonicClock.now, now < end, !ledger.isDamaged {
            state = ledger.waitWhileAsked(record, deadline: min(now + Self.longestSleep, end))
        }
        if ledger.isDamaged { state = .free }
        return switch state {
        case .filed: nil
        case .granted: .granted
        case .draft, .cancelled, .released, .free:
            self.state.withLock { state in
                switch state.decision {
                case .made(let ending): ending
                case .open:
                    ledger.isDamaged ? .failed(.system(FailureReason(.cutOff))) : .cancelled
                }
            }
        }
    }
}
