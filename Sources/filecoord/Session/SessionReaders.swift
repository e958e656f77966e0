// SPDX-License-Identifier: Apache-2.0
//
// The threads that read what a session's client writes. One reads a line and does what it asks for,
// and then reads the next: most requests take microseconds, and to wake another thread takes longer
// than they do. A second thread watches. When a request has taken milliseconds, because a file
// system does not answer, the watcher reads on, and another thread watches.

import FileCoordinationClient
import FileCoordinationSystem

/// Threads that do what the lines of standard input ask for.
final class SessionReaders: Sendable {
    private struct Crew {
        /// How many requests were begun, and readers relieved.
        var count = 0
        /// Whether the reader does what the last request asks for.
        var isBusy = false
        /// Whether the watcher is awake.
        var isWatched = false
        var hasWatcher = true
        var threads = 2
        var hasEnded = false
    }

    private let input = Lock(SessionInput())
    private let crew = Monitor(Crew())
    private let conversation: Conversation
    private let output: SessionOutput
    private let onEnd: @Sendable () -> Void

    /// After this time without an end of a request, the reader is relieved.
    private static let patience = Duration.milliseconds(2)
    /// The most threads: if all of them hang, nothing more is read.
    private static let limit = 256

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - conversation: takes each line, in order.
    ///   - output: while its client does not read, nothing is read.
    ///   - onEnd: called when the input has ended.
    /// - Throws: if no thread can be started.
    init(
        _ conversation: Conversation, _ output: SessionOutput,
        onEnd: @escaping @Sendable () -> Void
    ) throws(Failure) {
        self.conversation = conversation
        self.output = output
        self.onEnd = onEnd
        do throws(SystemError) {
            try DetachedThread.start(name: "input") { self.watch() }
            try DetachedThread.start(name: "input") { self.read() }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    // MARK: Reading

    private func read() {
        while true {
            output.waitForRoom()
            let (hasEnded, work) = input.withLock { input -> (Bool, Conversation.Work?) in
                guard let line = input.next() else { return (true, nil) }
                return (false, conversation.take(line))
            }
            if hasEnded { return end() }
            guard let work else { continue }
            let number = begin()
            work()
            guard isReader(after: number) else { return retire() }
        }
    }

    private func begin() -> Int {
        let (number, isWatched) = crew.withLock { crew in
            crew.count += 1
            crew.isBusy = true
            defer { crew.isWatched = true }
            return (crew.count, crew.isWatched)
        }
        if !isWatched { crew.notifyAll() }
        return number
    }

    /// Whether this thread still is the reader, after it has done what a request asked for.
    private func isReader(after number: Int) -> Bool {
        crew.withLock { crew in
            guard crew.count == number else { return false }
            crew.isBusy = false
            return true
        }
    }

    private func end() {
        crew.withLock { $0.hasEnded = true }
        crew.notifyAll()
        onEnd()
    }

    /// Continues as the watcher, if there is none.
    private func retire() {
        let isWatcher = crew.withLock { crew in
            guard !crew.hasWatcher else {
                crew.threads -= 1
                return false
            }
            crew.hasWatcher = true
            return true
        }
        if isWatcher { watch() }
    }

    // MARK: Watching

    private enum Finding { case nothing, activity, hang, end }

    private func watch() {
        while true {
            _ = crew.wait { $0.isWatched || $0.hasEnded }
            var seen = crew.withLock { $0.count }
            var finding = Finding.activity
            while finding == .activity {
                _ = crew.wait(until: MonotonicClock.after(Self.patience)) { $0.hasEnded }
                finding = look(since: &seen)
            }
            switch finding {
            case .nothing, .activity: continue
            case .end: return
            case .hang:
                startWatcher()
                return read()
            }
        }
    }

    /// Looks what the reader does, and relieves it if it hangs.
    private func look(since seen: inout Int) -> Finding {
        crew.withLock { crew in
            if crew.hasEnded { return .end }
            guard crew.count == seen else {
                seen = crew.count
                return .activity
            }
            guard crew.isBusy else {
                crew.isWatched = false
                return .nothing
            }
            guard crew.threads < Self.limit else { return .activity }
            crew.count += 1
            crew.isBusy = false
            crew.hasWatcher = true
            crew.threads += 1
            return .hang
        }
    }

    private func startWatcher() {
        do throws(SystemError) {
            try DetachedThread.start(name: "input") { self.watch() }
        } catch {
            // The reader that is relieved watches when its request is done.
            crew.withLock { crew in
                crew.hasWatcher = false
                crew.threads -= 1
            }
        }
    }
}
