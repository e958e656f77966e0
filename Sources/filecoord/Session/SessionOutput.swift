// SPDX-License-Identifier: Apache-2.0
//
// The lines that a session writes. A thread writes them one after the other, so that no other
// thread waits for a client that does not read: but those that read requests or hear of changes,
// which wait for room. Nothing that the client waits for is lost, and memory stays bounded.

import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Writes lines to standard output.
final class SessionOutput: Sendable {
    private struct State {
        var lines: [[UInt8]] = []
        /// The bytes that the client has not taken yet.
        var unread = 0
        /// Whether nobody reads any more.
        var isClosed = false
        /// Whether no line follows.
        var isLast = false
    }

    /// The most bytes of a line, both ways.
    static let lineLimit = 1 << 20
    /// While more is unread, no request is read.
    private static let room = 1 << 20

    private let state = Monitor(State())

    /// Starts the thread.
    ///
    /// - Parameter onClose: called, on a thread of its own, when nobody reads any more.
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
            let lines = state.wait(forValue: { state -> [[UInt8]]? in
                guard !state.lines.isEmpty || state.isLast else { return nil }
                defer { state.lines = [] }
                return state.lines
            })
            guard let lines, !lines.isEmpty else {
                return close()
            }
            for line in lines {
                // Whoever does not read has ended, or wants to know nothing more.
                let isWritten = (try? Console.write(line, to: STDOUT_FILENO)) != nil
                guard isWritten else { return close() }
                state.withLock { $0.unread -= min($0.unread, line.count) }
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
        state.withLock { state in
            guard !state.isClosed else { return }
            state.lines.append(line)
            state.unread += line.count
        }
        state.notifyAll()
        return true
    }

    /// Whether the client has read so much that more may be said which need not be.
    var hasRoom: Bool { state.withLock { $0.unread <= Self.room } }

    /// Blocks the thread until the client has read so much that more may be asked or told.
    func waitForRoom() { _ = state.wait { $0.unread <= Self.room } }

    /// Blocks the thread until all lines are written, or nobody reads any more, or a deadline.
    func end(until deadline: Instant?) {
        state.withLock { $0.isLast = true }
        state.notifyAll()
        _ = state.wait(until: deadline) { $0.isClosed }
    }

    private func close() {
        state.withLock { ($0.isClosed, $0.unread) = (true, 0) }
        state.notifyAll()
    }
}
