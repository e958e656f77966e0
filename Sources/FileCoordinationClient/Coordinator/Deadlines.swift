// SPDX-License-Identifier: Apache-2.0
//
// Deadlines of waits that hold no thread: one thread waits for the next of all of them, however
// busy other threads are. A forked child has none of its parent's deadlines and a thread of its
// own, which a queue of Dispatch would not give it.

import FileCoordinationSystem

/// The deadlines of this process.
final class Deadlines: Sendable {
    /// A deadline that was added.
    struct Key: Hashable, Sendable {
        fileprivate let time: Instant
        /// In the order of adding.
        fileprivate let number: UInt64

        fileprivate func isBefore(_ other: Key) -> Bool {
            (time, number) < (other.time, other.number)
        }
    }

    private struct Entry: Sendable {
        let key: Key
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// By key.
        var entries: [Entry] = []
        var added: UInt64 = 0
        var hasThread = false

        /// The index of the first entry that is not before `key`.
        func index(of key: Key) -> Int {
            var (start, end) = (entries.startIndex, entries.endIndex)
            while start < end {
                let middle = (start + end) / 2
                if entries[middle].key.isBefore(key) { start = middle + 1 } else { end = middle }
            }
            return start
        }
    }

    private let state = Monitor(State())
    static let ofProcess = PerProcess { Deadlines() }

    /// Calls `action` on a thread that others need, at a time or soon after it; at once if there
    /// can be no thread to wait for that.
    ///
    /// - Returns: what ``remove(_:)`` takes.
    @discardableResult
    static func add(_ time: Instant, _ action: @escaping @Sendable () -> Void) -> Key {
        ofProcess.value.add(time, action)
    }

    /// Forgets a deadline, with what its action refers to, unless it has passed.
    static func remove(_ key: Key) {
        // The action is released after the lock.
        _ = ofProcess.value.state.withLock { state -> Entry? in
            let index = state.index(of: key)
            guard index < state.entries.endIndex, state.entries[index].key == key else {
                return nil
            }
            return state.entries.remove(at: index)
        }
    }

    private func add(_ time: Instant, _ action: @escaping @Sendable () -> Void) -> Key {
        let (key, isNext, needsThread) = state.withLock { state in
            let key = Key(time: time, number: state.added)
            state.added += 1
            let index = state.index(of: key)
            state.entries.insert(Entry(key: key, action: action), at: index)
            defer { state.hasThread = true }
            return (key, index == 0, !state.hasThread)
        }
        guard needsThread else {
            if isNext { state.notifyOne() }
            return key
        }
        do {
            try DetachedThread.start(name: "deadlines") { self.serve() }
        } catch {
            let orphans = state.withLock { state in
                defer { (state.entries, state.hasThread) = ([], false) }
                return state.entries
            }
            for orphan in orphans { orphan.action() }
        }
        return key
    }

    /// Waits for one deadline after the other.
    private func serve() -> Never {
        var next: Instant?
        while true {
            let due = state.wait(until: next) { state -> [Entry]? in
                let now = MonotonicClock.now
                let due = state.entries.prefix { $0.key.time <= now }
                state.entries.removeFirst(due.count)
                // An earlier one than was waited for may have come, or none may be left.
                let known = next
                next = state.entries.first?.key.time
                return due.isEmpty && next == known ? nil : Array(due)
            }
            for entry in due ?? [] { entry.action() }
        }
    }
}
