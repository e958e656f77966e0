// SPDX-License-Identifier: Apache-2.0
//
// All connections: accepts them, reads and sends messages, and enforces limits. A faulty peer loses
// its connection but never harms the server. A peer that does not read fills a bounded backlog and
// then loses its connection. The server, not this type, acts on the messages.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The connections of a server, and the poller that waits for them.
struct Connections: ~Copyable {
    let poller: Poller
    private let wakeUp: WakeUp
    private let kind: ServerKind
    private let log: @Sendable (ServerLogEntry) -> Void
    private(set) var acceptor = Acceptor()
    private var connections: [UInt64: Connection] = [:]
    /// The number of connections of each process.
    private var counts: [Int32: Int] = [:]
    private var lastToken: UInt64 = FixedToken.last
    private let buffer = MessageBuffer(limit: WireLimits.messageBytes)
    /// The events of the last wait.
    private(set) var ready: [Poller.Ready] = []
    /// How long messages that are read can be assumed not to overtake older ones.
    var freshness = Freshness()
    /// What each new client is told.
    var greeting: Greeting

    /// Poller tokens that do not stand for connections.
    enum FixedToken {
        static let listener: UInt64 = 0
        static let wakeUp: UInt64 = 1
        static let watch: UInt64 = 2
        static let news: UInt64 = 3
        static let last: UInt64 = 15
    }

    init(
        poller: Poller, wakeUp: WakeUp, greeting: Greeting,
        log: @escaping @Sendable (ServerLogEntry) -> Void
    ) throws(SystemError) {
        self.poller = poller
        self.wakeUp = wakeUp
        self.kind = greeting.kind
        self.greeting = greeting
        self.log = log
        try poller.add(wakeUp.descriptor, token: FixedToken.wakeUp, .readable)
    }

    // MARK: Lookup

    subscript(token: UInt64) -> Connection? { connections[token] }

    var isEmpty: Bool { connections.isEmpty }
    var count: Int { connections.count }

    /// All connections, in the order in which they were accepted.
    var all: [Connection] { connections.values.sorted { $0.token < $1.token } }

    // MARK: Waiting

    /// Waits for events, until `deadline` at most.
    ///
    /// After a long pause the kernel's order of the events is not that in which the messages were
    /// sent: the server catches up first.
    mutating func wait(until deadline: Instant?) throws(SystemError) {
        let now = MonotonicClock.now
        if now < freshness.end { freshness.renew(at: now) }
        try poller.wait(into: &ready, until: deadline)
    }

    /// Reads the next message of a connection.
    func take(from connection: Connection) -> Connection.Taken { connection.take(using: buffer) }

    /// Clears the request of the program that the server stop.
    func drainWakeUp() { _ = wakeUp.drain() }

    /// Returns the connections that have something to read now.
    func withNews() -> [Connection] {
        var found: [UInt64: Connection] = [:]
        var batch: [Poller.Ready] = []
        var count = 0
        // The kernel returns a limited number of events at a time, so it is asked again.
        repeat {
            count = found.count
            // If the poller fails, the next turn reports the events.
            guard (try? poller.wait(into: &batch, until: .distantPast)) != nil else { break }
            for entry in batch { found[entry.token] = connections[entry.token] }
        } while batch.count == Poller.most && found.count > count
        return found.keys.sorted().compactMap { found[$0] }
    }

    // MARK: Accepting

    /// Accepts connections on this socket from now on.
    mutating func listen(on listener: SequencedSocket) throws(SystemError) {
        try poller.add(listener.descriptor, token: FixedToken.listener, .readable)
        acceptor.listen(on: listener)
    }

    /// Stops accepting connections.
    mutating func stopListening() {
        // While accepting pauses, the poller does not watch the socket.
        if let listener = acceptor.listener { poller.forget(listener.descriptor) }
        acceptor.listen(on: nil)
    }

    /// Accepts waiting connections, at most as many as the kernel queues.
    ///
    /// - Parameter clients: the number of clients.
    /// - Returns: whether a connection was admitted.
    mutating func accept(clients: Int) -> Bool {
        var hasNew = false
        for _ in 0..<ServerLimits.listenBacklog {
            let (poller, now) = (poller, MonotonicClock.now)
            switch acceptor.accept(at: now, unwatch: { poller.forget($0.descriptor) }) {
            case .accepted(let socket): if admit(socket, clients: clients) { hasNew = true }
            case .excessive(let socket):
                // The peer is gone already and need not be told.
                guard let peer = try? socket.peerCredentials() else { break }
                let connection = Connection(token: 0, socket: socket, peer: peer)
                refuse(connection, .limitReached, Self.wantOfDescriptors)
            case .none: return hasNew
            }
            acceptor.refill()
        }
        return hasNew
    }

    /// Accepts again after a pause, if it is over.
    mutating func resumeAccepting(at now: Instant) {
        let poller = poller
        acceptor.resume(at: now) { listener in
            try poller.add(listener.descriptor, token: FixedToken.listener, .readable)
        }
    }

    private mutating func admit(_ socket: SequencedSocket, clients: Int) -> Bool {
        // The peer is gone already.
        guard let peer = try? socket.peerCredentials() else { return false }
        lastToken += 1
        let connection = Connection(token: lastToken, socket: socket, peer: peer)
        guard peer.userID == CurrentProcess.effectiveUserID else {
            refuse(
                connection, .notAllowed,
                "you are user \(peer.userID); this server serves user "
                    + "\(CurrentProcess.effectiveUserID) only"
                    + (CurrentProcess.missesUsers
                        ? ", and is in a user namespace in which others have no number" : ""))
            return false
        }
        if let excess = excess(for: peer, clients: clients) {
            refuse(connection, .limitReached, excess)
            return false
        }
        // The kernel cannot watch the socket. It is refused as if no descriptor were left.
        guard (try? poller.add(socket.descriptor, token: connection.token, .readable)) != nil
        else {
            refuse(connection, .limitReached, Self.wantOfDescriptors)
            return false
        }
        connections[connection.token] = connection
        counts[peer.processID, default: 0] += 1
        return true
    }

    // MARK: Limits

    /// Returns why a connection exceeds a limit, or nil if it may stay.
    private func excess(for peer: PeerCredentials, clients: Int) -> String? {
        let others = counts[peer.processID] ?? 0
        // Process ID 0 stands for all processes in namespaces that the server cannot see.
        let isSeen = peer.processID != 0
        let limit =
            isSeen ? ServerLimits.connectionsPerProcess : ServerLimits.connectionsOfUnseenProcesses
        if others >= limit {
            return "your process has \(others) connections to the server: close some of them"
        }
        return hasDescriptors(1, clients: clients) ? nil : Self.wantOfDescriptors
    }

    /// Whether this many more descriptors may be used.
    ///
    /// An embedded server leaves a quarter of the descriptors to its program.
    func hasDescriptors(_ count: Int, clients: Int) -> Bool {
        let room = CurrentProcess.descriptorLimit
        let spare = kind == .daemon ? ServerLimits.spareDescriptors : room / 4
        let inUse = connections.count + (ServerLimits.descriptorsPerClient - 1) * clients
        return inUse + count <= room - spare
    }

    /// The message for a client that is refused because no descriptor is left.
    static let wantOfDescriptors = """
        the server has no file descriptor left for you: end some programs, or let it have more of \
        them (ulimit -n)
        """

    // MARK: Sending and closing

    /// Sends a message now or later.
    ///
    /// Returns the connection that must be closed as a consequence, if any.
    ///
    /// This is a connection whose peer is gone or, if all backlogs together exceed the limit, the
    /// one with the largest backlog.
    func send(_ message: ServerMessage, on connection: Connection) -> UInt64? {
        switch connection.send(message) {
        case .sent: return nil
        case .kept:
            watchForRoom(connection, true)
            // Small backlogs cannot exceed the limit, so the sum is not computed for them.
            return connection.backlogBytes > 1 << 20 ? mostBacklogged : nil
        case .hopeless: return connection.token
        }
    }

    /// Sends the backlog of a connection.
    func sendBacklog(of connection: Connection) -> Connection.SendResult {
        let result = connection.sendBacklog()
        if case .sent = result { watchForRoom(connection, false) }
        return result
    }

    private func watchForRoom(_ connection: Connection, _ isNeeded: Bool) {
        let interest: Poller.Interest = isNeeded ? [.readable, .writable] : .readable
        // This fails for a connection that is being refused, which is never watched and is closed
        // soon.
        try? poller.modify(connection.socket.descriptor, token: connection.token, interest)
    }

    /// The connection with the largest backlog, if all together exceed the limit.
    private var mostBacklogged: UInt64? {
        let all = connections.values.reduce(0) { $0 + $1.backlogBytes }
        guard all > ServerLimits.backlogBytesInAll else { return nil }
        return connections.values.max {
            ($0.backlogBytes, $0.token) < ($1.backlogBytes, $1.token)
        }?.token
    }

    /// Tells a connection why it is refused, and closes it.
    ///
    /// Returns the client that it belonged to.
    @discardableResult
    mutating func refuse(
        _ connection: Connection, _ code: Refusal.Code, _ text: String
    ) -> ClientID? {
        let refusal = Refusal(code: code, text: text)
        log(.connectionRefused(processID: connection.peer.processID, reason: refusal))
        _ = connection.send(.refused(refusal))
        return close(connection)
    }

    /// Closes a connection.
    ///
    /// Returns the client that it belonged to.
    @discardableResult
    mutating func close(_ connection: Connection) -> ClientID? {
        defer { connection.socket.shutDown() }
        guard connections.removeValue(forKey: connection.token) != nil else { return nil }
        // The kernel removes a socket when its last descriptor is closed, which may be later.
        poller.forget(connection.socket.descriptor)
        let others = (counts[connection.peer.processID] ?? 1) - 1
        counts[connection.peer.processID] = others > 0 ? others : nil
        defer { connection.client = nil }
        return connection.client
    }

    /// Closes some connections because the server leaves.
    mutating func retire(_ some: [Connection]) {
        for connection in some where connection.isWelcome { _ = connection.send(.retiring) }
        for connection in some {
            connection.socket.shutDown()
            connections[connection.token] = nil
        }
    }

    /// Stops accepting because the server leaves.
    mutating func abandonListener() { acceptor.listen(on: nil) }

    /// Discards all connections without a message, for tests.
    mutating func abandon() {
        acceptor.listen(on: nil)
        connections = [:]
    }
}
