// SPDX-License-Identifier: Apache-2.0
//
// What a forked child must not share with its parent's memory: locks that a thread held at the
// fork, and conditions that threads waited for, which a wake-up in the child would go to.

import Synchronization

/// A value that each process has of its own, made at first use; a forked child makes another.
///
/// May be used from any thread. What a child inherits is left as it is.
@safe public final class PerProcess<Value: AnyObject & Sendable>: Sendable {
    private final class Cell: Sendable {
        let processToken = ForkGuard.processToken
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private let newest = unsafe Atomic<Unmanaged<Cell>?>(nil)
    private let make: @Sendable () -> Value

    /// A value that `make` makes in each process that asks for it.
    public init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// This process's value.
    public var value: Value {
        while true {
            let known = unsafe newest.load(ordering: .acquiring)
            if let cell = unsafe known?._withUnsafeGuaranteedRef({ $0 }),
                cell.processToken == ForkGuard.processToken
            {
                return cell.value
            }
            if ForkGuard.isForkedChild { ForkGuard.rearm() }
            let fresh = unsafe Unmanaged.passRetained(Cell(make()))
            let (isOurs, _) = unsafe newest.compareExchange(
                expected: known, desired: fresh, ordering: .acquiringAndReleasing)
            if !isOurs { unsafe fresh.release() }
        }
    }
}
