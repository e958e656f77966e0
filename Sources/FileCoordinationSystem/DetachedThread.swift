// SPDX-License-Identifier: Apache-2.0
//
// Threads of this library inside a program of another author. They block nearly all signals, so the
// program's signals go to its own threads. They belong to no thread pool, so blocking them blocks
// nothing else.

internal import CFileCoordinationSystem

/// Threads that are never joined.
public enum DetachedThread {
    /// Starts a thread, in which all signals are blocked except for those that its own faults
    /// cause, and SIGPROF, by which the Swift runtime suspends the threads of a program that
    /// crashes.
    ///
    /// `name` is cut to 15 bytes, the kernel's limit. Throws ``ErrorNumber/invalidArgument`` for a
    /// stack below the system's minimum, and EAGAIN if there is no room for a thread.
    public static func start(
        name: String, stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let label = try CName(name, for: "start thread")
        let context = unsafe Unmanaged.passRetained(Body(run: body))
        let result = unsafe label.withPointer { pointer in
            unsafe fcs_thread_start_detached(
                pointer, max(0, stackSize),
                { context in unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() },
                unsafe context.toOpaque())
        }
        if result < 0 { unsafe context.release() }
        try check(result, "start thread \(label)")
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
