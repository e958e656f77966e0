// SPDX-License-Identifier: Apache-2.0
//
// Accepting connections, also when there is no file descriptor left for one. A descriptor is kept
// in reserve: with it the next connection is accepted once more, told why it cannot stay, and
// closed. If even that does not work, accepting pauses, and resumes by itself after a while: the
// kernel would only tell again and again of connections that cannot be taken.

import FileCoordinationSystem

/// Accepts connections on the server's socket.
struct Acceptor {
    private(set) var listener: SequencedSocket?
    /// When to accept connections again, after that was not possible.
    private(set) var resumeAt: UInt64?
    /// Given up for a moment to refuse a connection for which there is no other.
    private var reserve = Self.placeholder()

    /// What came of accepting.
    enum Outcome {
        case accepted(SequencedSocket)
        /// Has to be refused: there is no descriptor left.
        case excessive(SequencedSocket)
        /// None waits, or none can be accepted now.
        case none
    }

    // Without one a connection that cannot be accepted waits, and is not told why.
    private static func placeholder() -> Descriptor? { try? Descriptor.placeholder() }

    /// Accepts on this socket from now on, which the poller watches already.
    mutating func listen(on listener: SequencedSocket?) {
        self.listener = listener
        resumeAt = nil
    }

    /// Accepts one connection that waits.
    ///
    /// - Parameter unwatch: has the poller not tell of the socket any more.
    mutating func accept(at now: UInt64, unwatch: (SequencedSocket) -> Void) -> Outcome {
        guard let listener else { return .none }
        do {
            return try listener.accept().map { .accepted($0) } ?? .none
        } catch {
            // Most likely there is no descriptor left.
            if let excessive = acceptByReserve(listener) { return .excessive(excessive) }
            unwatch(listener)
            resumeAt = now + ServerLimits.acceptPause
            return .none
        }
    }

    /// Accepts by the descriptor that was kept for this; the caller closes the connection before
    /// ``refill()``.
    private mutating func acceptByReserve(_ listener: SequencedSocket) -> SequencedSocket? {
        guard reserve != nil else { return nil }
        reserve = nil
        if let socket = try? listener.accept() { return socket }
        // Not even so: it failed for another reason, or another thread was faster.
        refill()
        return nil
    }

    /// Keeps a descriptor in reserve again.
    mutating func refill() { if reserve == nil { reserve = Self.placeholder() } }

    /// Accepts again, if it is time; if the poller cannot watch the socket, after another pause.
    mutating func resume(at now: UInt64, watch: (SequencedSocket) throws -> Void) {
        guard let due = resumeAt, due <= now else { return }
        guard let listener else {
            resumeAt = nil
            return
        }
        do {
            try watch(listener)
            resumeAt = nil
        } catch {
            resumeAt = now + ServerLimits.acceptPause
        }
    }
}
