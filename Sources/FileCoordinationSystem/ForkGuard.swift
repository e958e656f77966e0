// SPDX-License-Identifier: Apache-2.0
//
// A forked child looks like its parent to the rest of the world for as long as it holds the
// parent's sockets. This closes them, and tells a child that it is one.

internal import CFileCoordinationSystem

/// What a process that `fork()` makes must not keep.
///
/// Callable from any thread.
///
/// Children made by `posix_spawn`, `vfork` and `exec` do not pass here: for them there is
/// close-on-exec.
public enum ForkGuard {
    /// From now on `descriptor` is closed in forked children, before `fork()` returns in them.
    ///
    /// Descriptors from 65536 on are not guarded. Between a descriptor's creation and this call,
    /// and between ``keepInChild(_:)`` and closing it, a fork in another thread lets one slip
    /// through.
    public static func closeInChild(_ descriptor: Int32) { fcs_close_in_child(descriptor) }

    /// Takes `descriptor` out again.
    ///
    /// Call this before closing it.
    public static func keepInChild(_ descriptor: Int32) { fcs_keep_in_child(descriptor) }

    /// A random number for this process; 0 in a forked child until ``rearm()``.
    public static var processToken: UInt64 { fcs_process_token() }

    /// Whether this process was made by a fork since ``rearm()``, or since the first use of
    /// anything here.
    public static var isForkedChild: Bool { fcs_process_token() == 0 }

    /// Gives a forked child a token of its own; changes nothing in a process that has one.
    public static func rearm() { fcs_process_token_rearm() }

    /// Runs `body` while no thread of this process can fork.
    ///
    /// For steps between which a child would inherit what it must not have. Keep it short, and do
    /// not fork inside.
    public static func holdingForks<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        fcs_fork_hold()
        defer { fcs_fork_release() }
        return try body()
    }
}
