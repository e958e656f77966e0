// SPDX-License-Identifier: Apache-2.0
//
// One thing at hand that is known by its number, without a lock: most of the time one is enough.

internal import Synchronization

/// Room for one number, which only the thread that takes it uses.
///
/// May be used from any thread.
public struct SpareNumber: ~Copyable, Sendable {
    private let number = Atomic(none)
    private static let none = -1

    /// Nothing at hand.
    public init() {}

    /// The number that was kept, if there is one; it is gone then.
    public func take() -> Int? {
        let taken = number.exchange(Self.none, ordering: .acquiringAndReleasing)
        return taken == Self.none ? nil : taken
    }

    /// Keeps a number, 0 or more, for the next caller; false if there is one already.
    public func keep(_ spare: Int) -> Bool {
        precondition(spare >= 0, "Only what is 0 or more can be kept")
        return number.compareExchange(
            expected: Self.none, desired: spare, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
