// SPDX-License-Identifier: Apache-2.0
//
// One claim of this process, from filing until its accessor starts or it is given up. What decides
// is the record's word in the ledger; this object remembers why a claim was given up, and tells an
// asynchronous caller exactly once.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

/// A claim that waits, or did.
package final class PendingClaim: Sendable {
    /// The claim's record in this process's ledger.
    let record: RecordReference
    private let ledger: LedgerWriter
    private let decision = Lock<Decision>(.open)
    /// What it has begun at a place that can be delegated, until it is over.
    let opening: Lock<DelegatedPlaces.Opening>
    let isWriting: Bool
    /// Called once with the ending, for claims that no thread waits for.
    private let onEnding: (@Sendable (AccessEnding) -> Void)?
    /// Called by a thread that waits for longer than an uncontended access takes.
    private let onLongWait: @Sendable () -> Void

    /// Who waits for so long may well stand in the way of a presenter, in nanoseconds.
    private static let noticeableWait: UInt64 = 20_000_000

    /// A thread that waits looks at its ledger at least so often, in nanoseconds.
    private static let longestSleep: UInt64 = 2_000_000_000

    private enum Decision {
        /// The record's word has not been seen to leave "asked".
        case open
        /// Known, and told.
        case made(AccessEnding)
    }

    init(
        record: RecordReference, ledger: LedgerWriter, opening: DelegatedPlaces.Opening = .none,
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

    /// Gives the claim up for `reason`, unless it was granted first; returns whether it did.
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

    /// Records that the word says "granted", for claims that no thread waits for.
    func markGranted() {
        guard let onEnding, ledger.takeGrant(record) else { return }
        let isFirst = decision.withLock { decision in
            guard case .open = decision else { return false }
            decision = .made(.granted)
            return true
        }
        if isFirst { onEnding(.granted) }
    }

    /// Sleeps until the claim is decided, or until `deadline` in monotonic nanoseconds passes.
    ///
    /// - Parameter onWait: called, on this thread, when that takes noticeably long.
    /// - Returns: the ending, or nil when the deadline passed and the claim still waits.
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
        // Of a ledger that was cut off no word changes, and nothing wakes who sleeps on one.
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
