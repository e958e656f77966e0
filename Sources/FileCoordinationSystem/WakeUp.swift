// SPDX-License-Identifier: Apache-2.0
//
// A nudge for a thread that waits in a Poller.

internal import CFileCoordinationSystem

/// A flag that makes a descriptor readable (eventfd).
///
/// May be used from any thread.
public final class WakeUp: Sendable {
    /// Readable while the flag is up, for a ``Poller``.
    public let descriptor: Descriptor

    /// Makes a flag that is down.
    public init() throws(SystemError) {
        // A child that drained it would take the parent's nudge.
        descriptor = Descriptor(
            adopting: try check(fcs_wake_up(), "make a wake-up"), inForkedChild: .closed)
    }

    /// Raises the flag.
    ///
    /// Async-signal-safe but for the call itself; never blocks.
    public func signal() {
        // It can only fail for a descriptor that is not one.
        _ = fcs_wake_up_signal(descriptor.number)
    }

    /// Lowers the flag; whether it was up.
    ///
    /// Do this before looking at the work, not after.
    @discardableResult
    public func drain() -> Bool { fcs_wake_up_drain(descriptor.number) == 1 }
}
