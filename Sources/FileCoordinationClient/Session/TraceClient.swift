// SPDX-License-Identifier: Apache-2.0
//
// Receives the recording of one server: what its arbiter is told and decides. Like a status client,
// it needs only a connection. When the server dies, its recording ends, and another client begins
// with the next server.

import FileCoordinationServer
package import FileCoordinationSystem
package import FileCoordinationWire

/// The recording of one server, on one connection; used on one thread.
package struct TraceClient {
    /// What comes from the server.
    package enum News {
        /// Entries of the recording, in order.
        case entries([TraceEntry])
        /// The answer to ``requestStatus()``.
        case status(StatusReport)
        /// The server is gone, or gives up its role.
        case lost
        /// The flag was set.
        case woken
    }

    private let connection: StatusClient
    private let wakeUp: WakeUp
    private var assembler = PartAssembler.statusReport
    /// Why the server has closed the connection, if it said so.
    package private(set) var refusal: Refusal?

    /// Connects to the server and begins to record.
    ///
    /// Blocks while a server is elected.
    ///
    /// - Parameters:
    ///   - environment: says where processes meet.
    ///   - wakeUp: a flag that ends waits.
    ///   - startsServer: whether a server is started if there is none.
    /// - Throws: why there is no connection.
    package init(
        environment: [String: String], wakeUp: WakeUp, startsServer: Bool = true
    ) throws {
        guard
            let connection = try StatusClient(
                environment: environment, startsServer: startsServer)
        else { throw StatusClient.Unanswered() }
        self.connection = connection
        self.wakeUp = wakeUp
        try connection.poller.add(wakeUp.descriptor, token: 1, .readable)
        try say(.record(true))
    }

    /// Requests a status report, for what there was before the recording.
    package func requestStatus() throws { try say(.statusRequest) }

    /// Asks the server to send the last entries, of which the last one is ``TraceEvent/over``.
    package func end() throws { try say(.record(false)) }

    private func say(_ message: ClientMessage) throws {
        _ = try connection.socket.send(message.encode())
    }

    /// Waits for the next news.
    ///
    /// - Returns: the news; nil if nothing came until the deadline.
    /// - Throws: an error of a system call, or ``WireError`` for a message that cannot be read.
    package mutating func next(until deadline: Instant = .distantFuture) throws -> News? {
        var ready: [Poller.Ready] = []
        while true {
            if wakeUp.drain() { return .woken }
            switch connection.socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes): if let news = try news(in: bytes) { return news }
            case .wouldBlock:
                guard MonotonicClock.now < deadline else { return nil }
                try connection.poller.wait(into: &ready, until: deadline)
            case .tooLong, .closed: return .lost
            }
        }
    }

    private mutating func news(in bytes: [UInt8]) throws -> News? {
        switch try ServerMessage(decoding: bytes) {
        case .trace(let entries):
            return .entries(try TraceEntry.entries(decoding: entries))
        case .statusPart(let part, let isLast):
            guard let whole = try assembler.add(part, isLast: isLast) else { return nil }
            return .status(try StatusReport(decoding: whole))
        case .refused(let refusal):
            self.refusal = refusal
            return .lost
        case .retiring: return .lost
        case .welcome, .granted, .failed, .inCycle, .overLimit, .deliveries, .deliveryPart,
            .explanation, .writer, .skipped, .packagePolicy, .dismissed, .dismissal:
            return nil
        }
    }
}
