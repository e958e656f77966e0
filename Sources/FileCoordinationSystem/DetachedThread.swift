// SPDX-License-Identifier: Apache-2.0
//
// Threads of our own inside another author's program. They take no signals, so the program's
// signals go to the threads it expects; and they are no pool's, so blocking them blocks nothing
// else.

internal import CFileCoordinationSystem

/// Threads that are never joined.
public enum DetachedThread {
    /// Starts a thread, in which all signals are blocked but the ones that its own faults cause.
    ///
    /// `name` is cut to 15 bytes, as the kernel wants it. ``ErrorNumber/invalidArgument`` for a
    /// stack of less than the system's minimum; no room for a thread is reported as EAGAIN.
    public static func start(
        name: String, stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let label = try CName(name, for: "start thread")
        let context = Unmanaged.passRetained(Body(run: body))
        let result = label.withPointer { pointer in
            fcs_thread_start_detached(
                pointer, max(0, stackSize),
                { context in Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() },
                context.toOpaque())
        }
        if result < 0 { context.release() }
        try check(result, "start thread \(label)")
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
