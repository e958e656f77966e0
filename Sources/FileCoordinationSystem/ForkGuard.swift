// SPDX-License-Identifier: Apache-2.0
//
// Closes a parent's sockets in forked children, and lets a child find out that it is one. A child
// that keeps its parent's sockets looks like the parent to other processes.

internal import CFileCoordinationSystem

/// Controls what processes created by `fork()` keep.
///
/// May be called on any thread. Children created by `posix_spawn` and `vfork` are not affected; for
/// them descriptors are close-on-exec.
public enum ForkGuard {
    /// From now on `descriptor` is closed in forked children, before `fork()` returns in them.
    ///
    /// Descriptors from 65536 on are not guarded. A fork in another thread can copy a descriptor
    /// between its creation and this call, and between ``keepInChild(_:)`` and closing it.
    public static func closeInChild(_ descriptor: Int32) { fcs_close_in_child(descriptor) }

    /// Ends the effect of ``closeInChild(_:)``.
    ///
    /// Call this before closing the descriptor.
    public static func keepInChild(_ descriptor: Int32) { fcs_keep_in_child(descriptor) }

    /// A random number that identifies this process; 0 in a forked child until ``rearm()``.
    public static var processToken: UInt64 { fcs_process_token() }

    /// Whether this process was forked since ``rearm()``, or since the first use of this type.
    public static var isForkedChild: Bool { fcs_process_token() == 0 }

    /// Gives a forked child a token of its own; has no effect in other processes.
    public static func rearm() { fcs_process_token_rearm() }

    /// Runs `body` while no thread of this process can fork.
    ///
    /// For steps between which a child would inherit something that it must not have. Keep it
    /// short, and do not fork inside.
    public static func holdingForks<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        fcs_fork_hold()
        defer { fcs_fork_release() }
        return try body()
    }
}
