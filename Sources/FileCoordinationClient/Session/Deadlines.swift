// SPDX-License-Identifier: Apache-2.0
//
// Deadlines of waits that hold no thread: one thread waits for the next of all of them, however
// busy other threads are. A forked child has none of its parent's deadlines and a thread of its
// own, which a queue of Dispatch would not give it.

import FileCoordinationSystem

/// The deadlines of this process.
final class Deadlines: Sendable {
    private struct Entry: Sendable {
        let time: UInt64
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// By time.
        var entries: [Entry] = []
        var hasThread = false
    }

    private let state = Monitor(State())
    private static let ofProcess = PerProcess { Deadlines() }

    /// Calls `action` on a thread that others need, at a monotonic time in nanoseconds or soon
    /// after it; at once if there can be no thread to wait for that.
    static func add(_ time: UInt64, _ action: @escaping @Sendable () -> Void) {
        ofProcess.value.add(Entry(time: time, action: action))
    }

    private func add(_ entry: Entry) {
        let (isNext, needsThread) = state.withLock { state in
            // As a rule all waits are bounded alike, so the newest is due last.
            let index = state.entries.lastIndex { $0.time <= entry.time }.map { $0 + 1 } ?? 0
            state.entries.insert(entry, at: index)
            defer { state.hasThread = true }
            return (index == 0, !state.hasThread)
        }
        guard needsThread else {
            if isNext { state.notifyOne() }
            return
        }
        do {
            try DetachedThread.start(name: "deadlines") { self.serve() }
        } catch {
            let orphans = state.withLock { state in
                defer { state = State() }
                return state.entries
            }
            for orphan in orphans { orphan.action() }
        }
    }

    /// Waits for one deadline after the other.
    private func serve() -> Never {
        var next: UInt64?
        while true {
            let due = state.wait(until: next) { state -> [Entry]? in
                let now = MonotonicClock.now
                let due = state.entries.prefix { $0.time <= now }
                state.entries.removeFirst(due.count)
                // An earlier one than was waited for may have come, or none may be left.
                let known = next
                next = state.entries.first?.time
                return due.isEmpty && next == known ? nil : Array(due)
            }
            for entry in due ?? [] { entry.action() }
        }
    }
}
