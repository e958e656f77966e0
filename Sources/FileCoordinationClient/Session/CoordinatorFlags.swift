// SPDX-License-Identifier: Apache-2.0
//
// What a coordinator is for, and whether it still coordinates. One word, because every access looks
// at it, and most coordinators are made for one access.

import Synchronization

/// The state of one coordinator, and its purpose if it was made without a presenter.
///
/// May be used from any thread.
package struct CoordinatorFlags: ~Copyable, Sendable {
    private let word = Atomic<UInt64>(0)

    /// Cancelling is for good (Rule 12.4).
    private static let cancelled: UInt64 = 1 << 63
    /// A purpose was given, and is kept elsewhere.
    private static let given: UInt64 = 1 << 62
    /// It can be given no more (Rules 4.3, 4.4).
    private static let used: UInt64 = 1 << 61
    /// It has a label, which is kept elsewhere.
    private static let labelled: UInt64 = 1 << 60
    /// The number of the purpose that was made up, once one was needed.
    private static let number = labelled - 1

    /// Of a coordinator that was not used yet.
    package init() {}

    package var isCancelled: Bool {
        word.load(ordering: .sequentiallyConsistent) & Self.cancelled != 0
    }

    /// Whether it is neither cancelled nor labelled: then accesses may take the short way.
    package var isPlain: Bool {
        word.load(ordering: .sequentiallyConsistent) & (Self.cancelled | Self.labelled) == 0
    }

    /// Records whether there is a label.
    package func setHasLabel(_ isThere: Bool) {
        if isThere {
            word.bitwiseOr(Self.labelled, ordering: .sequentiallyConsistent)
        } else {
            word.bitwiseAnd(~Self.labelled, ordering: .sequentiallyConsistent)
        }
    }

    /// From now on every access of the coordinator is cancelled.
    package func cancel() { word.bitwiseOr(Self.cancelled, ordering: .sequentiallyConsistent) }

    /// The number of the purpose that was made up; nil if one was given.
    ///
    /// A forked child needs no other number: there the same one makes another purpose.
    ///
    /// - Parameter isUsed: whether a claim is going to say it; then it stays.
    package func purposeNumber(isUsed: Bool) -> UInt64? {
        var known = word.load(ordering: .acquiring)
        while known & Self.given == 0 {
            var wanted = known | (isUsed ? Self.used : 0)
            if wanted & Self.number == 0 { wanted |= ProcessIdentity.freshPurposeNumber() }
            if wanted == known { return known & Self.number }
            let (isSet, original) = word.compareExchange(
                expected: known, desired: wanted, ordering: .acquiringAndReleasing)
            if isSet { return wanted & Self.number }
            known = original
        }
        return nil
    }

    /// Records that a purpose was given; false if it comes too late.
    package func markPurposeGiven() -> Bool {
        var known = word.load(ordering: .acquiring)
        while known & (Self.given | Self.used) == 0 {
            let (isSet, original) = word.compareExchange(
                expected: known, desired: known | Self.given, ordering: .acquiringAndReleasing)
            if isSet { return true }
            known = original
        }
        return false
    }
}
