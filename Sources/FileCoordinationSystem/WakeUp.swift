// SPDX-License-Identifier: Apache-2.0
//
// Wakes a thread that waits in a Poller.

internal import CFileCoordinationSystem

/// A flag that makes a descriptor readable (eventfd).
///
/// May be used from any thread.
public final class WakeUp: Sendable {
    /// Readable while the flag is set, for a ``Poller``.
    public let descriptor: Descriptor

    /// Creates a flag that is not set.
    public init() throws(SystemError) {
        // A child that cleared the flag would take the wake-up from its parent.
        descriptor = Descriptor(
            adopting: try check(fcs_wake_up(), "make a wake-up"), inForkedChild: .closed)
    }

    /// Sets the flag.
    ///
    /// Never blocks. Apart from the Swift call itself, it is async-signal-safe.
    public func signal() {
        // Can fail only for an invalid descriptor.
        _ = fcs_wake_up_signal(descriptor.number)
    }

    /// Clears the flag.
    ///
    /// Returns whether it was set.
    ///
    /// Do this before checking for work, not after.
    @discardableResult
    public func drain() -> Bool { fcs_wake_up_drain(descriptor.number) == 1 }
}
