// SPDX-License-Identifier: Apache-2.0
//
// Accepts connections, even without a free file descriptor. A reserved descriptor is closed to
// accept one more connection, which is told the reason and closed. If that fails, too, accepting
// pauses for a while, because the kernel would report the waiting connections again and again.

import FileCoordinationSystem

/// Accepts connections on the server's socket.
struct Acceptor {
    private(set) var listener: SequencedSocket?
    /// When to accept connections again after a failure, or nil.
    private(set) var resumeAt: Instant?
    /// A reserved descriptor.
    ///
    /// It is closed for a moment to accept, and refuse, one more connection.
    private var reserve = Self.placeholder()

    /// The result of accepting.
    enum Outcome {
        case accepted(SequencedSocket)
        /// A connection to refuse, because no descriptor is left.
        case excessive(SequencedSocket)
        /// No connection waits, or none can be accepted now.
        case none
    }

    // Without a reserve, connections that cannot be accepted wait and are not told the reason.
    private static func placeholder() -> Descriptor? { try? Descriptor.placeholder() }

    /// Accepts on this socket from now on.
    ///
    /// The poller must watch it already.
    mutating func listen(on listener: SequencedSocket?) {
        self.listener = listener
        resumeAt = nil
    }

    /// Accepts one waiting connection.
    ///
    /// - Parameters:
    ///   - now: the monotonic time.
    ///   - unwatch: removes the socket from the poller, until ``resumeAt``.
    /// - Returns: the connection to serve or to refuse, if there is one.
    mutating func accept(at now: Instant, unwatch: (SequencedSocket) -> Void) -> Outcome {
        guard let listener else { return .none }
        do {
            return try listener.accept().map { .accepted($0) } ?? .none
        } catch {
            // Probably no descriptor is left.
            if let excessive = acceptByReserve(listener) { return .excessive(excessive) }
            unwatch(listener)
            resumeAt = now + ServerLimits.acceptPause
            return .none
        }
    }

    /// Accepts a connection with the reserved descriptor.
    ///
    /// The caller closes the connection and then calls ``refill()``.
    private mutating func acceptByReserve(_ listener: SequencedSocket) -> SequencedSocket? {
        guard reserve != nil else { return nil }
        reserve = nil
        // See below.
        if let socket = try? listener.accept() { return socket }
        // Accepting failed for another reason, or another thread has taken the descriptor.
        refill()
        return nil
    }

    /// Reserves a descriptor again.
    mutating func refill() { if reserve == nil { reserve = Self.placeholder() } }

    /// Accepts again if the pause is over.
    ///
    /// If the poller cannot watch the socket, another pause follows.
    mutating func resume(at now: Instant, watch: (SequencedSocket) throws -> Void) {
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
