// SPDX-License-Identifier: Apache-2.0
//
// A lock-free reserve of one item that is identified by a number; usually one is sufficient.

internal import Synchronization

/// Holds at most one number, which only the thread that takes it uses.
///
/// May be used from any thread.
public struct SpareNumber: ~Copyable, Sendable {
    private let number = Atomic(none)
    private static let none = -1

    /// Creates an empty reserve.
    public init() {}

    /// Removes and returns the number, if there is one.
    public func take() -> Int? {
        let taken = number.exchange(Self.none, ordering: .acquiringAndReleasing)
        return taken == Self.none ? nil : taken
    }

    /// Stores a number, 0 or more, for the next caller.
    ///
    /// Returns false if there is one already.
    public func keep(_ spare: Int) -> Bool {
        precondition(spare >= 0, "Only what is 0 or more can be kept")
        return number.compareExchange(
            expected: Self.none, desired: spare, ordering: .acquiringAndReleasing
        ).exchanged
    }
}
