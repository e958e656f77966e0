// SPDX-License-Identifier: Apache-2.0
//
// The connection thread: finds or makes a server, greets it, hands what it says to the session, and
// starts over when it is gone. Callers never wait here; they wait on their own record's word, which
// a server swaps and wakes directly. All signals are blocked on this thread.
//
// A server that is stopped does not end the connection (Rule 18.7a). While a thread waits, the
// thread looks at it now and then; otherwise it learns of a new server from a watch of the runtime
// directory if this process has presenters, and by the ledger's epoch when there is something to
// say.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// The thread that keeps a session connected.
final class SessionLink: Sendable {
    private let election: Election
    private let poller: Poller
    private let wakeUp: WakeUp
    /// Messages that the socket had no room for; sent by the thread when there is.
    private let outbox = Lock<[ClientMessage]>([])
    /// Whether the thread looks at the server now and then.
    private let isAttending = Atomic(false)
    private let hasConnected = Atomic(false)
    /// Tells of new servers; made with the first presenter.
    private let watch = Lock<DirectoryWatch?>(nil)

    /// Conversations, one after the other, that ended before a welcome.
    private let unwelcome = Lock(0)
    /// The pause before the next one, when that goes on.
    private static let unwelcomePause: UInt64 = 20_000_000

    /// What is not needed for a first access waits for so long, in nanoseconds.
    private static let restraint: UInt64 = 2_000_000

    /// So long, in nanoseconds, an answer waits for others: the presenter that is called next may
    /// take any time.
    private static let answersPause: UInt64 = 500_000

    private enum Token {
        static let wakeUp: UInt64 = 0
        static let socket: UInt64 = 1
        static let watch: UInt64 = 2
    }

    init(election: Election, wakeUp: WakeUp) throws(SystemError) {
        self.election = election
        self.wakeUp = wakeUp
        poller = try Poller()
        try poller.add(wakeUp.descriptor, token: Token.wakeUp, .readable)
    }

    func start(for session: Session) throws(SystemError) {
        try DetachedThread.start(name: "file-session") { [self] in
            while true { serve(session) }
        }
    }

    /// Wakes the thread: there is something to say, or a thread needs a server.
    func ring() { wakeUp.signal() }

    /// Has the thread look whether the server is stopped, for a thread that waits.
    func attend() {
        // Once for all who wait at a time.
        if !isAttending.exchange(true, ordering: .sequentiallyConsistent) { ring() }
    }

    /// Tells the thread of new servers, for presenters that a new one will ask.
    ///
    /// Without a watch, which a user may have too many of, they are told of it late.
    func watchForServers(of session: Session) {
        watch.withLock { watch in
            // Whatever fails: without a watch it is looked now and then (see above).
            guard watch == nil, let fresh = try? DirectoryWatch(),
                let runtime = try? session.runtime.renewed(),
                (try? fresh.add(runtime.directory, .movedTo)) != nil,
                (try? poller.add(fresh.descriptor, token: Token.watch, .readable)) != nil
            else { return }
            watch = fresh
        }
        // One may have come before the watch.
        if session.isServerDeposed { ring() }
    }

    /// Sends `message`, or leaves it to the thread if the socket has no room for it.
    ///
    /// - Returns: false if the thread has to be rung.
    func send(_ message: ClientMessage, on socket: SequencedSocket) -> Bool {
        Failpoint.reach(.before, message.sending)
        defer { Failpoint.reach(.after, message.sending) }
        return outbox.withLock { outbox in
            if outbox.isEmpty {
                do {
                    if try socket.send(message.encode()) { return true }
                } catch {
                    // The server is gone. The thread sees it, too, and the next hello makes up.
                    return true
                }
            }
            outbox.append(message)
            return false
        }
    }

    // MARK: The thread

    private func serve(_ session: Session) {
        do {
            let socket = try connect(session)
            try poller.add(socket.descriptor, token: Token.socket, .readable)
            outbox.withLock { $0 = [] }
            var stoppedServer: ServerWatchdog?
            // The last one ended if its directory was removed.
            if session.hasPresenters { watchForServers(of: session) }
            // A server that is gone before the hello has perhaps said why.
            if (try? session.connected(socket)) != nil {
                stoppedServer = converse(on: socket, session)
            } else {
                // A client that was turned away before it could greet is told why.
                _ = readMessages(from: socket, session)
            }
            // A thread that asks from here on may have to wait for long.
            session.vouch()
            unwelcome.withLock { $0 = session.isWelcome ? 0 : $0 + 1 }
            // The socket is closed next, which removes it, too.
            try? poller.remove(socket.descriptor)
            session.disconnected()
            socket.shutDown()
            // If that fails, the next connection finds it stopped again.
            if let stoppedServer { try? election.depose(stoppedServer) }
            // Once is a server that dies, or one of an older version.
            if unwelcome.withLock({ $0 > 2 }) {
                waitForWakeUp(until: MonotonicClock.now + Self.unwelcomePause)
            }
        } catch {
            session.vouch()
            session.fail(.system(.arbiterUnreachable("\(error)")))
            waitForWakeUp(until: retry(session))
        }
        if !session.needsServer { waitForWakeUp(until: retry(session)) }
    }

    private func connect(_ session: Session) throws -> SequencedSocket {
        // The first time it was just looked that the directory is in its place.
        if !hasConnected.exchange(true, ordering: .relaxed),
            let socket = try election.connectIfServed()
        {
            return socket
        }
        // The process that becomes server may ask for it.
        session.vouch()
        return try election.connectOrServe(onEnd: { _ in }).socket
    }

    /// Reads what the server says until the connection ends.
    ///
    /// - Returns: the server, if it is to be deposed.
    private func converse(on socket: SequencedSocket, _ session: Session) -> ServerWatchdog? {
        var watchdog = ServerWatchdog(over: socket)
        var nextLook: UInt64? = MonotonicClock.now + ServerWatchdog.firstPause
        var ready: [Poller.Ready] = []
        var vouchesAt: UInt64? = MonotonicClock.now + Self.restraint
        var answersAt: UInt64?
        while true {
            // After the bell was drained: who answers from now on rings again.
            if answersAt == nil, session.gathersAnswers {
                answersAt = MonotonicClock.now + Self.answersPause
            }
            let deadline = [nextLook ?? unwatched(session), vouchesAt, answersAt]
                .compactMap { $0 }.min()
            // Without waiting there is no conversation; it is begun anew.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return nil }
            if let time = answersAt, MonotonicClock.now >= time {
                session.sendAnswers()
                answersAt = nil
            }
            if let time = vouchesAt, MonotonicClock.now >= time {
                vouchesAt = session.vouch() ? nil : time + Self.unwelcomePause
            }
            guard !session.isServerDeposed else { return nil }
            for event in ready {
                switch event.token {
                case Token.wakeUp:
                    _ = wakeUp.drain()
                    sendOutbox(on: socket)
                case Token.watch: drainWatch()
                default:
                    watchdog.reset()
                    if event.writable { sendOutbox(on: socket) }
                    guard event.readable || event.hangup else { continue }
                    guard readMessages(from: socket, session) else { return nil }
                }
            }
            let now = MonotonicClock.now
            let isCalled = nextLook == nil && isAttending.load(ordering: .sequentiallyConsistent)
            guard isCalled || now >= nextLook ?? .max else { continue }
            if isAwaited(session) {
                if watchdog.look(now: now) { return watchdog }
                nextLook = now + ServerWatchdog.pause
            } else {
                watchdog.reset()
                nextLook = nil
            }
        }
    }

    /// Whether a thread waits for the server; if not, the next one that does will ring.
    private func isAwaited(_ session: Session) -> Bool {
        isAttending.store(false, ordering: .sequentiallyConsistent)
        if session.ledger.isDamaged { session.fail(.system(FailureReason(.cutOff))) }
        guard session.awaitsServer else { return false }
        isAttending.store(true, ordering: .sequentiallyConsistent)
        return true
    }

    /// When to look for a new server though no thread waits and no watch tells.
    private func unwatched(_ session: Session) -> UInt64? {
        guard watch.withLock({ $0 == nil }), session.hasPresenters else { return nil }
        return MonotonicClock.after(.seconds(5))
    }

    /// Reads what the watch tells; that it told something is enough to know.
    private func drainWatch() {
        watch.withLock { watch in
            guard let present = watch else { return }
            // What cannot be read has told something, too.
            let batch = try? present.read()
            // The directory was removed: the watch never tells anything again.
            guard batch?.events.contains(where: { $0.changes.contains(.watchEnded) }) ?? true
            else { return }
            // It is closed next, which removes it, too.
            try? poller.remove(present.descriptor)
            watch = nil
        }
    }

    /// Sends what waits, as far as there is room.
    private func sendOutbox(on socket: SequencedSocket) {
        let isLeft = outbox.withLock { outbox in
            var sent = 0
            // If the server is gone, its connection's end says so.
            while sent < outbox.count, (try? socket.send(outbox[sent].encode())) != false {
                sent += 1
            }
            outbox.removeFirst(sent)
            return !outbox.isEmpty
        }
        // Of a socket that is gone the poller says so.
        try? poller.modify(
            socket.descriptor, token: Token.socket, isLeft ? [.readable, .writable] : .readable)
    }

    /// Takes all messages that are there; false when the conversation is over.
    private func readMessages(from socket: SequencedSocket, _ session: Session) -> Bool {
        while true {
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes):
                let version = session.spokenVersion
                // A server that says what is no message is not believed.
                guard let message = try? ServerMessage(decoding: bytes, version: version) else {
                    return false
                }
                guard !session.isServerDeposed, session.receive(message) else { return false }
            case .wouldBlock: return true
            case .tooLong, .closed: return false
            }
        }
    }

    /// When to look for a server again without being asked: others may wait for our presenters, and
    /// should know of our claims.
    private func retry(_ session: Session) -> UInt64? {
        session.needsServer || session.hasPresenters ? MonotonicClock.after(.seconds(1)) : nil
    }

    private func waitForWakeUp(until deadline: UInt64?) {
        var ready: [Poller.Ready] = []
        while true {
            // Then it goes on at once, and looks.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return }
            if let deadline, MonotonicClock.now >= deadline { return }
            if ready.contains(where: { $0.token == Token.watch }) { drainWatch() }
            if ready.contains(where: { $0.token == Token.wakeUp }) {
                _ = wakeUp.drain()
                return
            }
        }
    }
}

extension Session {
    /// Acts on what the server says; false when it ends the conversation.
    func receive(_ message: ServerMessage) -> Bool {
        Failpoint.reach(.before, message.receiving)
        defer { Failpoint.reach(.after, message.receiving) }
        switch message {
        case .welcome(let welcome):
            welcomed(welcome)
            learn(welcome.packagePolicy, isFromNewServer: true)
            announceOwnPackages()
            findMissedGrants()
        case .refused(let refusal): return !refused(refusal)
        case .granted(let record): granted(record)
        case .failed(let record, let failure): failed(record, failure: failure)
        case .overLimit(let record, let text): exceeded(record, text)
        case .inCycle(let record, let parties): foundInCycle(record, parties)
        case .deliveries(let deliveries): deliver(deliveries)
        case .explanation(let record, _, let parties): explained(record, parties: parties)
        case .deliveryPart(let part, let isLast):
            // A part that cannot be put together ends the conversation; the next hello makes up.
            guard
                // Pieces that do not fit end the conversation.
                let whole = try? state.withLock({
                    try $0.deliveryParts.add(part, isLast: isLast)
                })
            else { return !isLast }
            // Neither does a server deliver what is no message.
            guard let delivery = try? Delivery(decoding: whole) else { return false }
            deliver(delivery)
        case .skipped(let record): skipped(record)
        case .statusPart, .metrics: break
        case .packagePolicy(let policy): learn(policy, isFromNewServer: false)
        case .retiring: return false
        }
        return true
    }
}
