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
    private let decision = Lock<Decision>(.open)
    /// The claim's entry in the delegated paths, until it is over.
    let opening: Lock<PlaceOpening>
    let isWriting: Bool
    /// Called once with the result, for claims for which no thread waits.
    private let onEnding: (@Sendable (AccessEnding) -> Void)?
    /// Called on a thread that has waited for longer than an uncontended access takes.
    private let onLongWait: @Sendable () -> Void

    /// A call that waits this long may keep a presenter from answering, in nanoseconds.
    private static let noticeableWait: UInt64 = 20_000_000

    /// The longest time between two looks at the ledger while a thread waits, in nanoseconds.
    private static let longestSleep: UInt64 = 2_000_000_000

    private enum Decision {
        /// The record's word was "asked" at the last check.
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
        self.opening = Lock(opening)
        self.isWriting = isWriting
        self.onEnding = onEnding
        self.onLongWait = onLongWait
    }

    /// Gives the claim up for `reason`, unless it was granted before.
    ///
    /// Returns whether it did.
    @discardableResult
    func giveUp(_ reason: AccessEnding) -> Bool {
        let isGivenUp = decision.withLock { decision in
            guard case .open = decision, ledger.cancel(record) || ledger.isDamaged else {
                return false
            }
            decision = .made(reason)
            return true
        }
        guard isGivenUp else { return false }
        ledger.wake(record)
        onEnding?(reason)
        return true
    }

    /// Reports that the word is "granted", for claims for which no thread waits.
    func markGranted() {
        guard let onEnding, ledger.takeGrant(record) else { return }
        let isFirst = decision.withLock { decision in
            guard case .open = decision else { return false }
            decision = .made(.granted)
            return true
        }
        if isFirst { onEnding(.granted) }
    }

    /// Blocks the thread until the claim is decided or the deadline passes.
    ///
    /// - Parameters:
    ///   - deadline: a monotonic time in nanoseconds; nil for no limit.
    ///   - onWait: called on this thread if the wait takes noticeably long.
    /// - Returns: the result, or nil if the deadline passed and the claim still waits.
    func wait(until deadline: UInt64?, onWait: () -> Void = {}) -> AccessEnding? {
        let start = MonotonicClock.now
        let noticeable = start + Self.noticeableWait
        let long = start + ServerWatchdog.firstPause
        let end = deadline ?? .max
        var state = ledger.waitWhileAsked(record, deadline: min(noticeable, end))
        if state == .asked, noticeable < end {
            onWait()
            state = ledger.waitWhileAsked(record, deadline: min(long, end))
        }
        if state == .asked, long < end { onLongWait() }
        // In a ledger whose file was truncated, no word changes any more, and no process wakes the
        // thread.
        while state == .asked, case let now = MonotonicClock.now, now < end, !ledger.isDamaged {
            state = ledger.waitWhileAsked(record, deadline: min(now + Self.longestSleep, end))
        }
        if ledger.isDamaged { state = .free }
        return switch state {
        case .asked: nil
        case .granted: .granted
        case .draft, .cancelled, .released, .free:
            decision.withLock { decision in
                switch decision {
                case .made(let ending): ending
                case .open:
                    ledger.isDamaged ? .failed(.system(FailureReason(.cutOff))) : .cancelled
                }
            }
        }
    }
}
