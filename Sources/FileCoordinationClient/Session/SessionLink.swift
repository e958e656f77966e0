// SPDX-License-Identifier: Apache-2.0
//
// The connection thread. It finds or starts a server, sends the hello, passes the server's messages
// to the session, and starts again when the connection ends. Callers never wait for this thread:
// they wait on the words of their own records, which the server changes and wakes directly. All
// signals are blocked on this thread.
//
// A stopped server does not end the connection (Rule 18.7a). While a caller waits, this thread
// checks the server from time to time. Otherwise it learns of a new server through a watch on the
// runtime directory, if this process has presenters, or from the ledger's epoch when there is
// something to send.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// The thread that keeps a session connected to a server.
final class SessionLink: Sendable {
    private let election: Election
    private let poller: Poller
    private let wakeUp: WakeUp
    /// Messages that did not fit into the socket's buffer.
    ///
    /// The thread sends them when there is room.
    private let outbox = Lock<[ClientMessage]>([])
    /// Whether the thread checks the server from time to time.
    private let isAttending = Atomic(false)
    private let hasConnected = Atomic(false)
    /// A watch that reports new servers; created with the first presenter.
    private let watch = Lock<DirectoryWatch?>(nil)

    /// The number of consecutive connections that ended before a welcome.
    private let connectionsWithoutWelcome = Lock(0)
    /// The pause after repeated failures.
    private static let pauseAfterFailures: Duration = .milliseconds(20)

    /// The delay of work that a first access does not need, such as the first check of a server
    /// that may be dead.
    private static let deferral: Duration = .milliseconds(2)
    /// The time between such checks.
    private static let earlyPause: Duration = .milliseconds(20)

    /// How long an answer waits for others.
    ///
    /// The next presenter of the batch may take any time.
    private static let answersPause: Duration = .microseconds(500)

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
            let buffer = MessageBuffer(limit: WireLimits.messageBytes)
            while true { serve(session, buffer) }
        }
    }

    /// Wakes the thread, because there is something to send or a caller needs a server.
    func ring() { wakeUp.signal() }

    /// Makes the thread check whether the server is stopped, because a caller waits.
    func attend() {
        // The thread is woken once for all callers that wait at the same time.
        if !isAttending.exchange(true, ordering: .sequentiallyConsistent) { ring() }
    }

    /// Makes the thread notice new servers, because they will ask this process's presenters.
    ///
    /// The number of watches is limited. Without one, the thread notices a new server late.
    func watchForServers(of session: Session) {
        let isNameless = session.isNameless
        watch.withLock { watch in
            // The directory of a process whose ledger has no name may be another one by now. The
            // watch on the former one reports nothing, because this process has that open. Where no
            // directory can be opened, there is no server.
            guard watch == nil || isNameless, let runtime = try? session.runtime.renewed() else {
                return
            }
            // The former watch stays then.
            if let watch, (try? watch.add(runtime.directory, .movedTo)) != nil { return }
            // If any of this fails, there is no watch, and the thread checks at intervals; see
            // ``unwatched(_:)``.
            guard let fresh = try? DirectoryWatch(),
                (try? fresh.add(runtime.directory, .movedTo)) != nil,
                (try? poller.add(fresh.descriptor, token: Token.watch, .readable)) != nil
            else { return }
            watch = fresh
        }
        // A new server may have appeared before the watch.
        if session.isServerDeposed { ring() }
    }

    /// Sends `message`, or leaves it to the thread if the socket has no room.
    ///
    /// - Returns: false if the thread must be woken.
    func send(_ message: ClientMessage, on socket: SequencedSocket) -> Bool {
        Failpoint.reach(.before, message.sending)
        defer { Failpoint.reach(.after, message.sending) }
        return outbox.withLock { outbox in
            if outbox.isEmpty {
                do throws(SystemError) {
                    if try socket.send(message.encode()) { return true }
                } catch {
                    // The connection could never transfer the message, and nor could the next one.
                    if error.code == ErrorNumber.messageTooLong { return true }
                    // The server is gone, or the kernel has no memory for the message. The end of
                    // the connection wakes the thread, and the next hello replaces the message.
                    socket.shutDown()
                    return false
                }
            }
            outbox.append(message)
            return false
        }
    }

    // MARK: The thread

    private func serve(_ session: Session, _ buffer: borrowing MessageBuffer) {
        // A caller that attends from here on rings; the new connection checks the server anyway.
        isAttending.store(false, ordering: .sequentiallyConsistent)
        // A caller may ring during a pause, after the server has refused the claims before its own.
        var isWoken = false
        do {
            // Servers that have begun to listen before this are found.
            drainWatch()
            let (socket, isTrusted) = try connect(session)
            try poller.add(socket.descriptor, token: Token.socket, .readable)
            outbox.withLock { $0 = [] }
            var stoppedServer: ServerWatchdog?
            // The last watch has ended if its directory was removed.
            if session.hasPresenters { watchForServers(of: session) }
            // A server that closed the connection before the hello may have sent the reason.
            if (try? session.connected(socket)) != nil {
                if session.isNameless { watchForServers(of: session) }
                stoppedServer = converse(on: socket, isTrusted: isTrusted, session, buffer)
                session.readDismissals(from: socket, using: buffer)
            } else {
                // Read the reason for which the server has refused this client.
                _ = session.readMessages(from: socket, using: buffer)
            }
            connectionsWithoutWelcome.withLock { $0 = session.isWelcome ? 0 : $0 + 1 }
            // Closing the socket also removes it from the poller.
            poller.forget(socket.descriptor)
            session.disconnected()
            socket.shutDown()
            // If this fails, the next connection finds the server stopped again.
            if let stoppedServer { try? election.depose(stoppedServer) }
            // A single failure may be a server that dies.
            if connectionsWithoutWelcome.withLock({ $0 > 2 }) {
                isWoken = waitForWakeUp(
                    session, until: MonotonicClock.after(Self.pauseAfterFailures))
            }
        } catch {
            session.fail(.system(.arbiterUnreachable("\(error)")))
            isWoken = waitForWakeUp(session, until: retry(session))
        }
        if !isWoken, !session.needsServer { _ = waitForWakeUp(session, until: retry(session)) }
    }

    /// Connects to the server, or starts one.
    ///
    /// - Returns: also whether it is known that the server is not dead.
    private func connect(
        _ session: Session
    ) throws -> (socket: SequencedSocket, isTrusted: Bool) {
        // For the first connection, it was checked just before that the directory is in place.
        if !hasConnected.exchange(true, ordering: .relaxed),
            let socket = try election.connectIfServed()
        {
            return (socket, false)
        }
        return (try election.connectOrServe(onEnd: { _ in }).socket, true)
    }

    /// Reads the server's messages until the connection ends.
    ///
    /// - Returns: the server, if it must be deposed.
    private func converse(
        on socket: SequencedSocket, isTrusted: Bool, _ session: Session,
        _ buffer: borrowing MessageBuffer
    ) -> ServerWatchdog? {
        var watchdog = ServerWatchdog(over: socket)
        var ready: [Poller.Ready] = []
        let start = MonotonicClock.now
        // The socket of a server that was killed accepts connections until the kernel closes it. So
        // a server that may be dead is checked early, and then again until the welcome.
        let usualCheck = start + ServerWatchdog.firstPause
        var nextCheck: Instant? = isTrusted ? usualCheck : start + Self.deferral
        var answersAt: Instant?
        while true {
            // Checked after the wake-up was cleared, so that an answer from now on wakes the thread
            // again.
            if answersAt == nil, session.gathersAnswers {
                answersAt = MonotonicClock.after(Self.answersPause)
            }
            let deadline = Instant.earlier(nextCheck ?? unwatched(session), answersAt)
            // If the poller fails, the connection is made anew.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return nil }
            if let time = answersAt, MonotonicClock.now >= time {
                session.sendAnswers()
                answersAt = nil
            }
            guard !session.isServerDeposed else { return nil }
            for event in ready {
                switch event.token {
                case Token.wakeUp:
                    _ = wakeUp.drain()
                    sendOutbox(on: socket)
                case Token.watch:
                    drainWatch()
                    // Another server may listen, which cannot find the ledger.
                    if session.isNameless { return nil }
                default:
                    watchdog.reset()
                    if event.writable { sendOutbox(on: socket) }
                    guard event.readable || event.hangup else { continue }
                    guard session.readMessages(from: socket, using: buffer) else { return nil }
                }
            }
            let now = MonotonicClock.now
            let isCalled = nextCheck == nil && isAttending.load(ordering: .sequentiallyConsistent)
            guard isCalled || now >= nextCheck ?? .distantFuture else { continue }
            if now < usualCheck, session.isWelcome {
                nextCheck = usualCheck
            } else if isAwaited(session) {
                if watchdog.check(now: now) { return watchdog }
                nextCheck = now + (now < usualCheck ? Self.earlyPause : ServerWatchdog.pause)
            } else {
                watchdog.reset()
                nextCheck = nil
            }
        }
    }

    /// Whether a caller waits for the server.
    ///
    /// If not, the next one that does will wake the thread.
    private func isAwaited(_ session: Session) -> Bool {
        isAttending.store(false, ordering: .sequentiallyConsistent)
        if session.ledger.isDamaged { session.fail(.system(FailureReason(.cutOff))) }
        // A server that was stopped between a grant and its message is not seen to be awaited.
        session.findMissedGrants()
        guard session.awaitsServer else { return false }
        isAttending.store(true, ordering: .sequentiallyConsistent)
        return true
    }

    /// How long a process without a watch may overlook a new server, which asks its presenters.
    ///
    /// Each check reads a word of the ledger.
    private static let unwatchedPause = Duration.seconds(1)

    /// Returns when to check for a new server although no caller waits and there is no watch.
    private func unwatched(_ session: Session) -> Instant? {
        guard watch.withLock({ $0 == nil }), session.hasPresenters else { return nil }
        return MonotonicClock.after(Self.unwatchedPause)
    }

    /// Reads the events of the watch.
    ///
    /// Only the fact that there are events matters.
    private func drainWatch() {
        watch.withLock { watch in
            guard let present = watch else { return }
            // An error counts as an event.
            let batch = try? present.read()
            // The directory was removed, so this watch will report nothing more.
            guard batch?.events.contains(where: { $0.changes.contains(.watchEnded) }) ?? true
            else { return }
            // Closing the descriptor also removes it from the poller.
            poller.forget(present.descriptor)
            watch = nil
        }
    }

    /// Sends the waiting messages, as far as the socket has room.
    private func sendOutbox(on socket: SequencedSocket) {
        let isLeft = outbox.withLock { outbox in
            var sent = 0
            while sent < outbox.count, trySending(outbox[sent], on: socket) { sent += 1 }
            outbox.removeFirst(sent)
            return !outbox.isEmpty
        }
        // If the socket is gone, the poller reports that.
        try? poller.modify(
            socket.descriptor, token: Token.socket, isLeft ? [.readable, .writable] : .readable)
    }

    /// Sends a message that has waited.
    ///
    /// Returns false if it must stay in the outbox.
    private func trySending(_ message: ClientMessage, on socket: SequencedSocket) -> Bool {
        do throws(SystemError) {
            return try socket.send(message.encode())
        } catch {
            if error.code == ErrorNumber.messageTooLong { return true }
            // As in ``send(_:on:)``.
            socket.shutDown()
            return false
        }
    }

    /// Returns when to look for a server again without a caller, if other processes may wait for
    /// that.
    private func retry(_ session: Session) -> Instant? {
        session.needsServer || session.mustReturn ? MonotonicClock.after(.seconds(1)) : nil
    }

    /// Returns whether the thread was woken before the deadline.
    private func waitForWakeUp(_ session: Session, until deadline: Instant?) -> Bool {
        var ready: [Poller.Ready] = []
        while true {
            // If the poller fails, the thread continues at once and looks.
            guard (try? poller.wait(into: &ready, until: deadline)) != nil else { return true }
            if ready.contains(where: { $0.token == Token.watch }) {
                drainWatch()
                // Another server listens, which learns of the ledger by the hello alone.
                if session.isNameless { return true }
            }
            if ready.contains(where: { $0.token == Token.wakeUp }) {
                _ = wakeUp.drain()
                return true
            }
            if let deadline, MonotonicClock.now >= deadline { return false }
        }
    }
}

extension Session {
    /// Handles a message of the server.
    ///
    /// Returns false if it ends the connection.
    func receive(_ message: ServerMessage) -> Bool {
        Failpoint.reach(.before, message.receiving)
        defer { Failpoint.reach(.after, message.receiving) }
        switch message {
        case .welcome(let welcome):
            welcomed(welcome)
            learn(welcome.packagePolicy, isFromNewServer: true)
            announceOwnPackages()
            findMissedGrants()
        case .refused(let refusal): refused(refusal)
        case .granted(let record): granted(record)
        case .failed(let record, let failure): failed(record, failure: failure)
        case .overLimit(let record, let text): exceeded(record, text)
        case .inCycle(let record, let parties): foundInCycle(record, parties)
        case .dismissed(let record, let author, let reason):
            dismissed(record, author: author, reason: reason)
        case .deliveries(let deliveries): deliver(deliveries)
        case .explanation(let record, _, let parties): explained(record, parties: parties)
        case .writer(let record, let writer): toldWriter(record, writer)
        case .deliveryPart(let part, let isLast):
            guard
                // If the parts do not fit together, the connection is closed, and the next hello
                // recovers.
                let whole = try? state.withLock({
                    try $0.deliveryParts.add(part, isLast: isLast)
                })
            else { return !isLast }
            // An invalid delivery closes the connection as well.
            guard let delivery = try? Delivery(decoding: whole) else { return false }
            deliver(delivery)
        case .skipped(let record): skipped(record)
        case .statusPart, .trace, .dismissal: break
        case .packagePolicy(let policy): learn(policy, isFromNewServer: false)
        case .retiring: return false
        }
        return true
    }
}
