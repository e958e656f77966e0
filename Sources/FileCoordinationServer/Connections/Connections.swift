// SPDX-License-Identifier: Apache-2.0
//
// The connections: accepting them, what each has said, and what could not be sent yet. A bad peer
// costs itself its connection, never the server its life; one that does not read costs a bounded
// backlog, and then its connection. What is said means nothing here: the server acts on it.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// The connections of a server, and what it waits for.
struct Connections {
    let poller: Poller
    private let wakeUp: WakeUp
    private let kind: ServerKind
    private let log: @Sendable (ServerLogEntry) -> Void
    private(set) var acceptor = Acceptor()
    private var connections: [UInt64: Connection] = [:]
    /// How many of them each process has.
    private var counts: [Int32: Int] = [:]
    private var lastToken: UInt64 = FixedToken.last
    /// What came when it was last waited.
    private(set) var ready: [Poller.Ready] = []
    /// Until when what is read has overtaken nothing.
    var freshness = Freshness()
    /// What is said to each new client.
    var greeting: Greeting

    /// Tokens of the poller that are not connections.
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

    // MARK: Which there are

    subscript(token: UInt64) -> Connection? { connections[token] }

    var isEmpty: Bool { connections.isEmpty }
    var count: Int { connections.count }

    /// All of them, in the order in which they came.
    var all: [Connection] { connections.values.sorted { $0.token < $1.token } }

    // MARK: Waiting

    /// Waits until something comes, or until a time.
    mutating func wait(until deadline: UInt64?) throws(SystemError) {
        freshness.renew(at: MonotonicClock.now)
        try poller.wait(into: &ready, until: deadline)
    }

    /// Handles a wish that the server end.
    func drainWakeUp() { _ = wakeUp.drain() }

    /// The connections on which there is something to read now.
    func withNews() -> [Connection] {
        var found: [UInt64: Connection] = [:]
        var batch: [Poller.Ready] = []
        var count = 0
        // The kernel tells of so many at once, and of others when it is asked again.
        repeat {
            count = found.count
            // What cannot be asked now is told in the next turn.
            guard (try? poller.wait(into: &batch, until: 0)) != nil else { break }
            for entry in batch { found[entry.token] = connections[entry.token] }
        } while batch.count == Poller.most && found.count > count
        return found.keys.sorted().compactMap { found[$0] }
    }

    // MARK: Accepting

    /// Accepts on a socket from now on.
    mutating func listen(on listener: SequencedSocket) throws(SystemError) {
        try poller.add(listener.descriptor, token: FixedToken.listener, .readable)
        acceptor.listen(on: listener)
    }

    /// Accepts on no socket from now on.
    mutating func stopListening() {
        // While accepting pauses it is not watched.
        if let listener = acceptor.listener { try? poller.remove(listener.descriptor) }
        acceptor.listen(on: nil)
    }

    /// Accepts the connections that wait, as many as the kernel keeps at a time; returns whether
    /// any has come to stay.
    ///
    /// - Parameter clients: how many clients there are.
    mutating func accept(clients: Int) -> Bool {
        var hasNew = false
        for _ in 0..<ServerLimits.listenBacklog {
            let (poller, now) = (poller, MonotonicClock.now)
            switch acceptor.accept(at: now, unwatch: { try? poller.remove($0.descriptor) }) {
            case .accepted(let socket): if admit(socket, clients: clients) { hasNew = true }
            case .excessive(let socket):
                // A peer that is gone already need not be told.
                guard let peer = try? socket.peerCredentials() else { break }
                let connection = Connection(token: 0, socket: socket, peer: peer)
                refuse(connection, .limitReached, Self.wantOfDescriptors)
            case .none: return hasNew
            }
            acceptor.refill()
        }
        return hasNew
    }

    /// Accepts again after a pause, if it is time.
    mutating func resumeAccepting(at now: UInt64) {
        let poller = poller
        acceptor.resume(at: now) { listener in
            try poller.add(listener.descriptor, token: FixedToken.listener, .readable)
        }
    }

    private mutating func admit(_ socket: SequencedSocket, clients: Int) -> Bool {
        // A peer that is gone already is no loss.
        guard let peer = try? socket.peerCredentials() else { return false }
        lastToken += 1
        let connection = Connection(token: lastToken, socket: socket, peer: peer)
        guard peer.userID == CurrentProcess.effectiveUserID else {
            refuse(
                connection, .notAllowed,
                "you are user \(peer.userID); this arbiter serves user "
                    + "\(CurrentProcess.effectiveUserID) only"
                    + (CurrentProcess.missesUsers
                        ? ", and is in a user namespace in which others have no number" : ""))
            return false
        }
        if let excess = excess(for: peer, clients: clients) {
            refuse(connection, .limitReached, excess)
            return false
        }
        // The kernel has no room to watch it: as if there were no descriptor.
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

    /// Why a connection may not stay; nil if it may.
    private func excess(for peer: PeerCredentials, clients: Int) -> String? {
        let others = counts[peer.processID] ?? 0
        // Zero are all that are in namespaces which are not seen from here.
        let isSeen = peer.processID != 0
        let limit =
            isSeen ? ServerLimits.connectionsPerProcess : ServerLimits.connectionsOfUnseenProcesses
        if others >= limit {
            return "your process has \(others) connections to the arbiter: close some of them"
        }
        return hasDescriptors(1, clients: clients) ? nil : Self.wantOfDescriptors
    }

    /// Whether so many more descriptors may be taken.
    ///
    /// An embedded server leaves its program a quarter of what there is.
    func hasDescriptors(_ count: Int, clients: Int) -> Bool {
        let room = CurrentProcess.descriptorLimit
        let spare = kind == .daemon ? ServerLimits.spareDescriptors : room / 4
        let inUse = connections.count + (ServerLimits.descriptorsPerClient - 1) * clients
        return inUse + count <= room - spare
    }

    /// What a client is told for which there is none left.
    static let wantOfDescriptors = """
        the arbiter has no file descriptor left for you: end some programs, or let it have more of \
        them (ulimit -n)
        """

    // MARK: Sending and closing

    /// Sends a message, now or later; returns the connection that must be closed, if any.
    ///
    /// That is one whose other end is gone, or the one with the largest backlog, when all together
    /// are too large.
    func send(_ message: ServerMessage, on connection: Connection) -> UInt64? {
        switch connection.send(message) {
        case .sent: return nil
        case .kept:
            watchForRoom(connection, true)
            // Little ones need not be counted each time.
            return connection.backlogBytes > 1 << 20 ? mostBacklogged : nil
        case .hopeless: return connection.token
        }
    }

    /// Sends what could not be sent before; returns what came of it.
    func sendBacklog(of connection: Connection) -> Connection.SendResult {
        let result = connection.sendBacklog()
        if case .sent = result { watchForRoom(connection, false) }
        return result
    }

    private func watchForRoom(_ connection: Connection, _ isNeeded: Bool) {
        let interest: Poller.Interest = isNeeded ? [.readable, .writable] : .readable
        // Fails for one that is being refused: that is closed, and never watched.
        try? poller.modify(connection.socket.descriptor, token: connection.token, interest)
    }

    /// The connection with the largest backlog, if all together are too large.
    private var mostBacklogged: UInt64? {
        let all = connections.values.reduce(0) { $0 + $1.backlogBytes }
        guard all > ServerLimits.backlogBytesInAll else { return nil }
        return connections.values.max {
            ($0.backlogBytes, $0.token) < ($1.backlogBytes, $1.token)
        }?.token
    }

    /// Closes a connection that is told why; returns the client that has lost it, if any.
    @discardableResult
    mutating func refuse(
        _ connection: Connection, _ code: Refusal.Code, _ text: String
    ) -> ClientID? {
        let refusal = Refusal(code: code, text: text)
        log(.connectionRefused(processID: connection.peer.processID, reason: refusal))
        _ = connection.send(.refused(refusal))
        return close(connection)
    }

    /// Closes a connection; returns the client that has lost it, if any.
    @discardableResult
    mutating func close(_ connection: Connection) -> ClientID? {
        defer { connection.socket.shutDown() }
        guard connections.removeValue(forKey: connection.token) != nil else { return nil }
        // The kernel forgets what is closed; to forget it at once only keeps the set small.
        try? poller.remove(connection.socket.descriptor)
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

    /// Accepts no more, as the server leaves.
    mutating func abandonListener() { acceptor.listen(on: nil) }

    /// Lets go of all connections without a word.
    mutating func abandon() {
        acceptor.listen(on: nil)
        connections = [:]
    }
}
