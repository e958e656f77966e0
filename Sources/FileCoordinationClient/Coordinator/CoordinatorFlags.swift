// SPDX-License-Identifier: Apache-2.0
//
// The purpose number and flags of a coordinator in one atomic word. Every access reads it, and most
// coordinators are created for a single access.

import Synchronization

/// The state of one coordinator, and its purpose if it was created without a presenter.
///
/// May be used from any thread.
package struct CoordinatorFlags: ~Copyable, Sendable {
    private let word = Atomic<UInt64>(0)

    /// The coordinator was cancelled, which is final (Rule 12.4).
    private static let cancelled: UInt64 = 1 << 63
    /// The program has set a purpose, which is stored elsewhere.
    private static let given: UInt64 = 1 << 62
    /// The purpose has been used and cannot be set any more (Rules 4.3, 4.4).
    private static let used: UInt64 = 1 << 61
    /// The coordinator has a label, which is stored elsewhere.
    private static let labelled: UInt64 = 1 << 60
    /// The number of the generated purpose, once one was needed.
    private static let number = labelled - 1

    /// Creates the state of an unused coordinator.
    package init() {}

    package var isCancelled: Bool {
        word.load(ordering: .sequentiallyConsistent) & Self.cancelled != 0
    }

    /// Whether the coordinator is neither cancelled nor labelled, so that local accesses are
    /// possible.
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

    /// Cancels all further accesses of the coordinator.
    package func cancel() { word.bitwiseOr(Self.cancelled, ordering: .sequentiallyConsistent) }

    /// Returns the number of the generated purpose, and generates one if there is none.
    ///
    /// A forked child may use the same number, because its process token makes the purpose
    /// different.
    ///
    /// - Parameter isUsed: whether a claim is about to use the purpose, which then cannot be
    ///   changed.
    /// - Returns: the number; nil if the program has set a purpose.
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

    /// Records that the program has set a purpose.
    ///
    /// Returns false if it is too late.
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
