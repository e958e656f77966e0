// SPDX-License-Identifier: Apache-2.0
//
// The server around the arbiter: one thread that runs one loop with one work queue. The loop waits
// for the kernel, takes one input at a time (a message, the death of a process, a deadline) and
// performs all work that follows from it before it takes the next one. It makes no system call on a
// user's path, so a mount that never answers delays no other process.
//
// The parts of the server each own their state and do not know each other. The files beside this
// one (Server+…) connect them. All decisions about claims and presenters are made by the arbiter.

import FileCoordinationArbiter
import FileCoordinationLedger
package import FileCoordinationSystem

/// Runs the arbiter for one runtime directory, on the thread that calls ``run()``.
///
/// It cannot be copied, so the compiler sees that each part is changed in one place at a time. In a
/// class, the running program would check that, at the cost of 9 % of a granted claim's
/// instructions.
package struct Server: ~Copyable {
    let configuration: ServerConfiguration
    /// Decides about claims and presenters.
    var arbiter: Arbiter
    /// The work that the present input still requires.
    var work = WorkQueue()
    /// The runtime directory, and the names in it by which clients find this server.
    var presence: Presence
    /// The sockets of the clients, and the poller that waits for them.
    var connections: Connections
    /// The known clients and whether they are connected.
    var clients = Clients()
    /// The processes of the clients: whether they live, and whether they are stopped.
    var processes: Processes
    /// Maps ledger records to claims and presenters, and remembers where their items have moved.
    var records: Records
    /// What clients may grant without the arbiter.
    var delegations: Delegations
    /// Messages that are waiting to be sent to clients, and what the server watches for them.
    var outgoing: Outgoing

    /// Takes the server role: raises the epoch of all ledgers, recovers the state of the former
    /// server from them, then listens.
    ///
    /// The caller holds the server lock and passes it on as `roleLock`. No other server of this
    /// directory can exist while it is held.
    package static func start(
        runtime: RuntimeDirectory, roleLock: RoleLock, configuration: ServerConfiguration,
        wakeUp: WakeUp
    ) throws -> Server {
        let poller = try Poller()
        let lost = try OrphanRecovery(
            of: runtime, role: roleLock, starter: configuration.starter)
        let epochs = try EpochFile(directory: runtime.directory)
        // A process that was stopped until now may have lost the role, and must not depose its
        // successor.
        guard roleLock.isInPlace(in: runtime) else { throw OrphanRecovery.MovedOn() }
        Failpoint.reach(.before, .raisesEpoch)
        let era = epochs.era
        let (epoch, orphans, opened) = try lost.claim(
            raising: epochs, in: runtime, observers: configuration.observers)
        Failpoint.reach(.after, .raisesEpoch)
        let relocations = try RelocationLog(in: runtime.directory, epoch: epoch)
        let connections = try Connections(
            poller: poller, wakeUp: wakeUp,
            greeting: Greeting(
                kind: configuration.kind, epoch: epoch, packagePolicy: configuration.packagePolicy),
            log: configuration.log)
        let presence = Presence(
            runtime: runtime, roleLock: roleLock, epochs: epochs, era: era, epoch: epoch,
            poller: poller)
        var server = Server(configuration, presence, connections, relocations, poller)
        try server.begin(with: orphans, opened: opened)
        return server
    }

    /// Creates a server that has the role, but knows nothing yet and cannot be found.
    private init(
        _ configuration: ServerConfiguration, _ presence: Presence,
        _ connections: consuming Connections, _ relocations: RelocationLog, _ poller: Poller
    ) {
        self.configuration = configuration
        self.presence = presence
        self.connections = connections
        arbiter = Arbiter(
            recovering: true, policy: configuration.delegationPolicy,
            checksInvariants: configuration.checksInvariants)
        records = Records(epoch: presence.epoch, relocations: relocations)
        processes = Processes(poller: poller, isStopped: configuration.isStopped)
        let directory = presence.runtime.directory
        delegations = Delegations(epoch: presence.epoch, in: directory)
        outgoing = Outgoing(
            watching: Watching(
                isWanted: configuration.watchesItems, testDirectory: directory.descriptor))
    }

    /// Recovers what the former server knew, and then listens.
    private mutating func begin(
        with orphans: [LedgerReader], opened: [String: LedgerReader]
    ) throws {
        let result = try recover(with: orphans, opened: opened)
        // The server listens only after the recovery, so that no client finds a server without
        // state.
        guard presence.hasRole else { throw OrphanRecovery.MovedOn() }
        try listen()
        configuration.log(result)
        let now = MonotonicClock.now
        if configuration.watchesDirectory {
            presence.watchNames(at: now, token: Connections.FixedToken.watch)
        }
        // Names that go from now on are noticed.
        noteLostNames()
        presence.idleSince = now
    }

    /// Serves until there is a reason to leave, then gives up the role.
    package mutating func run() -> ServerEnding {
        while true {
            if let ending = turn() { return ending }
        }
    }

    /// Waits for the next inputs, until `limit` at most, and handles them.
    ///
    /// Returns the reason if the server has left its role.
    package mutating func turn(until limit: Instant? = nil) -> ServerEnding? {
        sendAll()
        if let ending = presence.ending { return leave(ending) }
        // The work that was just finished may have set a nearer deadline, so it is computed here.
        let deadline = nextDeadline
        do {
            try connections.wait(until: .earlier(deadline, limit))
        } catch {
            return leave(.stopped)
        }
        // The process may have been suspended while it waited, and deposed meanwhile.
        if presence.isDeposed { return leave(.deposed) }
        let now = MonotonicClock.now
        decide(.clockAdvanced(to: now))
        finishWork()
        for event in connections.ready { take(event) }
        // What becomes due during the turn is the deadline of the next wait.
        if now >= deadline ?? .distantFuture { takeTimers() }
        workOnReports()
        sendRecordings()
        finishWork()
        return nil
    }

    /// Performs all work that follows from the last input.
    mutating func finishWork() {
        while let item = work.next() { perform(item) }
    }

    /// Performs the queued work and sends its messages, until neither is left.
    mutating func sendAll() {
        repeat {
            repeat {
                finishWork()
                flushDeliveries()
            } while !work.isEmpty || !outgoing.deliveries.isFlushed
            let givenBack = outgoing.takeGivenBack()
            reap(givenBack)
        } while !work.isEmpty || !outgoing.deliveries.isFlushed || outgoing.hasGivenBack
        records.relocations.forgetOver()
        let now = MonotonicClock.now
        // A failed send may have closed the last connection. No event reports that, so it is
        // checked here.
        if presence.idleSince == nil, connections.isEmpty, clients.isEmpty {
            presence.idleSince = now
        }
        processes.planCheck(hasWaits: arbiter.hasWaitingClaims, at: now)
    }

    // MARK: Inputs

    private mutating func take(_ event: Poller.Ready) {
        switch event.token {
        case Connections.FixedToken.listener: acceptConnections()
        case Connections.FixedToken.wakeUp:
            connections.drainWakeUp()
            presence.end(.stopped)
        case Connections.FixedToken.news: receiveNews()
        case Connections.FixedToken.watch:
            let clients = clients
            presence.readWatch(at: MonotonicClock.now) { clients.client(ofLedger: $0) != nil }
        default:
            if let connection = connections[event.token] {
                serve(connection, event)
            } else if let client = processes.client(ofToken: event.token) {
                work.append(.removeClient(client))
            }
        }
        finishWork()
    }

    /// The time at which the server must wake up even if no input comes, or nil.
    package var nextDeadline: Instant? {
        if hasReportWork { return .distantPast }
        // Computed for each message, so without an array.
        var next = arbiter.nextDeadline
        func include(_ time: Instant?) { next = .earlier(next, time) }
        include(connections.acceptor.resumeAt)
        include(processes.nextCheck)
        include(presence.restoreAt)
        include(clients.nextCheck)
        include(outgoing.watching.nextDeadline)
        include(delegations.reports.nextEnd)
        if let exit = configuration.idleExit, let since = presence.idleSince {
            include(since + exit)
        }
        if !outgoing.recordings.isEmpty { include(nextRecordingDeadline) }
        return next
    }

    private mutating func takeTimers() {
        let now = MonotonicClock.now
        connections.resumeAccepting(at: now)
        if let restore = presence.restoreAt, restore <= now { restoreNames() }
        if let check = processes.nextCheck, check <= now {
            work.append(.checkProcesses(seen: [], since: now))
        }
        for id in clients.suspects(at: now) {
            if let client = clients[id], !processes.isAlive(client) {
                work.append(.removeClient(id))
            }
        }
        workOnGatheredReports(at: now)
        workOnWatching(at: now)
        finishWork()
        leaveIfIdle(at: now)
    }

    private mutating func leaveIfIdle(at now: Instant) {
        guard let idleExit = configuration.idleExit else { return }
        guard connections.isEmpty && clients.isEmpty else {
            presence.idleSince = nil
            return
        }
        guard let since = presence.idleSince else {
            presence.idleSince = now
            return
        }
        if now >= since + idleExit { leaveWhenIdle() }
    }
}
