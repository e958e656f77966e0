// SPDX-License-Identifier: Apache-2.0
//
// The lines that a session writes. What the client has no room for is written by a thread, so that
// no other thread waits for a client that does not read: but those that read requests or hear of
// changes, which wait for room. Nothing that the client waits for is lost; memory stays bounded.

import FileCoordinationSystem
import FileCoordinationWire
import Glibc
import Synchronization

/// Writes lines to standard output.
final class SessionOutput: Sendable {
    private struct State {
        var lines: [ArraySlice<UInt8>] = []
        /// Whether the thread writes lines.
        var isBusy = false
        /// The bytes that the client has not taken yet.
        var unread = 0
        /// Whether the client has closed its end.
        var isClosed = false
        /// Whether no line follows.
        var isLast = false
    }

    /// The most bytes of a line, both ways.
    static let lineLimit = 1 << 20
    /// While more is unread, no request is read.
    private static let room = 1 << 20

    private let state = Monitor(State())
    /// Whether there is anything that the client has not taken yet.
    private let hasUnread = Atomic(false)

    /// Starts the thread.
    ///
    /// - Parameter onClose: called, on a thread of its own, when the client has closed its end.
    /// - Throws: if no thread can be started.
    init(onClose: @escaping @Sendable () -> Void) throws(Failure) {
        do throws(SystemError) {
            try DetachedThread.start(name: "output") { [self] in
                writeAll()
                if state.withLock({ $0.isClosed && !$0.isLast }) { onClose() }
            }
            ClosedOutput.watch {
                self.close()
                onClose()
            }
        } catch {
            throw Failure(.unavailable, "cannot start a thread: \(error)")
        }
    }

    private func writeAll() {
        while true {
            let lines = state.wait(forValue: { state -> [ArraySlice<UInt8>]? in
                state.isBusy = !state.lines.isEmpty
                guard state.isBusy || state.isLast else { return nil }
                defer { state.lines = [] }
                return state.lines
            })
            guard let lines, !lines.isEmpty else {
                return close()
            }
            for line in lines {
                // The only failure is a client that has closed its end.
                let isWritten = (try? Console.write(Array(line), to: STDOUT_FILENO)) != nil
                guard isWritten else { return close() }
                state.withLock { state in
                    state.unread -= min(state.unread, line.count)
                    hasUnread.store(state.unread > 0, ordering: .releasing)
                }
                state.notifyAll()
            }
        }
    }

    /// Writes an object at some time, as one line.
    ///
    /// Returns false if it is too long for one; then nothing is written.
    @discardableResult
    func write(_ fields: [(name: String, value: JSONValue)]) -> Bool {
        let line = JSONValue.object(fields).written + [UInt8(ascii: "\n")]
        guard line.count <= Self.lineLimit else { return false }
        let isQueued = state.withLock { state in
            guard !state.isClosed else { return false }
            // Most clients wait for it, and have room.
            let isFirst = state.lines.isEmpty && !state.isBusy
            let rest = isFirst ? line.dropFirst(Self.writeNow(line)) : line[...]
            guard !rest.isEmpty else { return false }
            state.lines.append(rest)
            state.unread += rest.count
            hasUnread.store(true, ordering: .releasing)
            return true
        }
        if isQueued { state.notifyAll() }
        return true
    }

    /// Writes as much as the client has room for; returns how much that is.
    private static func writeNow(_ line: [UInt8]) -> Int {
        let count = unsafe send(
            STDOUT_FILENO, line, line.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        // Of an error, the thread finds out.
        guard count < 0, errno == ENOTSOCK else { return max(0, count) }
        // A pipe that is ready has room for a short line.
        var wanted = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        guard line.count <= Int(PIPE_BUF), unsafe poll(&wanted, 1, 0) == 1,
            wanted.revents == Int16(POLLOUT)
        else { return 0 }
        return max(0, unsafe Glibc.write(STDOUT_FILENO, line, line.count))
    }

    /// Whether the client has read so much that more may be said which need not be.
    var hasRoom: Bool { state.withLock { $0.unread <= Self.room } }

    /// Blocks the thread until the client has read so much that more may be asked or told.
    func waitForRoom() {
        // Most clients wait for each answer, and the lock is held while that is written.
        guard hasUnread.load(ordering: .acquiring) else { return }
        _ = state.wait { $0.unread <= Self.room }
    }

    /// Blocks the thread until all lines are written, the client has closed its end, or a deadline.
    func end(until deadline: Instant?) {
        state.withLock { $0.isLast = true }
        state.notifyAll()
        _ = state.wait(until: deadline) { $0.isClosed }
    }

    private func close() {
        state.withLock { state in
            (state.isClosed, state.unread) = (true, 0)
            hasUnread.store(false, ordering: .releasing)
        }
        state.notifyAll()
    }
}
