// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's shell: one thread, one loop, one queue. It waits for the kernel; it takes one input
// after the other (a message, a death, a time); and it does all that follows from an input before
// it takes the next one. It makes no system call on a user's path, so that a mount which never
// answers delays no other process.
//
// The server's parts each own their state and know nothing of each other: the files beside this
// one (Server+…) ask one part and tell another. What is decided is decided by the arbiter.

import FileCoordinationArbiter
import FileCoordinationLedger
package import FileCoordinationSystem

/// Runs the arbiter for one runtime directory, on the thread that calls ``run()``.
package final class Server {
    let configuration: ServerConfiguration
    /// Decides about claims and presenters.
    var arbiter: Arbiter
    /// What is left to do because of the present input.
    var work = WorkQueue()
    /// The runtime directory, and being found there.
    var presence: Presence
    /// What clients talk by, and what is waited for.
    var connections: Connections
    /// Who the clients are, and whether they live.
    var clients = Clients()
    /// What the kernel says of their processes.
    var processes: Processes
    /// Which record is which claim or presenter, and where its items are by now.
    var records: Records
    /// What clients may do without the arbiter.
    var delegations: Delegations
    /// What is on its way to clients, and what is watched on their behalf.
    var outgoing: Outgoing

    /// Takes over: raises the epoch everywhere, recovers from the ledgers, then listens.
    ///
    /// The caller holds the server lock and gives it away; no other server is there while it lives.
    package init(
        runtime: RuntimeDirectory, roleLock: RoleLock, configuration: ServerConfiguration,
        wakeUp: WakeUp
    ) throws {
        self.configuration = configuration
        arbiter = Arbiter(recovering: true, policy: configuration.delegationPolicy)
        let poller = try Poller()
        var otherPlaces = OtherPlaces()
        try otherPlaces.complete(for: runtime, givesWay: configuration.givesWay)
        let lost = try OrphanRecovery(of: runtime, role: roleLock)
        let epochs = try EpochFile(directory: runtime.directory)
        // A process that was stopped until now may have lost the role, and must not depose its
        // successor.
        guard roleLock.isInPlace(in: runtime) else { throw OrphanRecovery.Failure.movedOn }
        Failpoint.reach(.before, .raisesEpoch)
        let era = epochs.era
        let (epoch, orphans, opened) = try lost.claim(
            raising: epochs, in: runtime, observers: configuration.observers)
        Failpoint.reach(.after, .raisesEpoch)
        presence = Presence(
            runtime: runtime, roleLock: roleLock, epochs: epochs, era: era, epoch: epoch,
            otherPlaces: otherPlaces, poller: poller)
        records = Records(
            epoch: epoch, relocations: try RelocationLog(in: runtime.directory, epoch: epoch))
        connections = try Connections(
            poller: poller, wakeUp: wakeUp,
            greeting: Greeting(
                kind: configuration.kind, epoch: epoch, newest: configuration.protocolVersion,
                packagePolicy: configuration.packagePolicy),
            log: configuration.log)
        processes = Processes(poller: poller, isStopped: configuration.isStopped)
        delegations = Delegations(epoch: epoch, in: runtime.directory)
        outgoing = Outgoing(watching: Watching(isWanted: configuration.watchesItems))
        let result = try recover(with: orphans, opened: opened)
        // Only now, so that no client finds a server that knows nothing yet.
        guard presence.hasRole else { throw OrphanRecovery.Failure.movedOn }
        try listen()
        configuration.log(result)
        withExtendedLifetime(lost) {}
        let now = MonotonicClock.now
        if configuration.watchesDirectory {
            presence.watchNames(at: now, token: Connections.FixedToken.watch)
        }
        presence.idleSince = now
    }

    /// Serves until there is a reason to leave, and gives the role up.
    package func run() -> ServerEnding {
        while true {
            if let ending = turn() { return ending }
        }
    }

    /// Waits until there is something to do, or until `limit`, and does it; returns why it has
    /// left, if so.
    package func turn(until limit: UInt64? = nil) -> ServerEnding? {
        sendAll()
        if let ending = presence.ending { return leave(ending) }
        do {
            // What has just been finished may have to be looked at again soon.
            try connections.wait(until: [nextDeadline, limit].compactMap { $0 }.min())
        } catch {
            return leave(.stopped)
        }
        // After every sleep: a process that was stopped in it may not be the server any more.
        if presence.isDeposed { return leave(.deposed) }
        decide(.clockAdvanced(to: MonotonicClock.now))
        finishWork()
        for event in connections.ready { take(event) }
        takeTimers()
        workOnReports()
        finishWork()
        return nil
    }

    /// Does all that follows from the input that was taken last.
    func finishWork() {
        while let item = work.next() { perform(item) }
    }

    /// Sends what was decided, until nothing comes of that any more.
    private func sendAll() {
        repeat {
            finishWork()
            flushDeliveries()
        } while !work.isEmpty || !outgoing.deliveries.isFlushed
        for entry in outgoing.takeGivenBack() {
            entry.client.ledger.reap(entry.record, presence.epoch)
        }
        records.relocations.forgetOver()
        let now = MonotonicClock.now
        // What could not be sent may have ended the last connection: nothing else would tell.
        if presence.idleSince == nil, connections.isEmpty, clients.isEmpty {
            presence.idleSince = now
        }
        processes.planLook(hasWaits: arbiter.hasWaitingClaims, at: now)
    }

    // MARK: Inputs

    private func take(_ event: Poller.Ready) {
        switch event.token {
        case Connections.FixedToken.listener: acceptConnections()
        case Connections.FixedToken.wakeUp:
            connections.drainWakeUp()
            presence.end(.stopped)
        case Connections.FixedToken.news: receiveNews()
        case Connections.FixedToken.watch: presence.readWatch(at: MonotonicClock.now)
        default:
            if let connection = connections[event.token] {
                serve(connection, event)
            } else if let client = processes.client(ofToken: event.token) {
                work.append(.removeClient(client))
            }
        }
        finishWork()
    }

    /// When there is something to do even if nothing comes.
    package var nextDeadline: UInt64? {
        if hasReportWork { return 0 }
        let idleEnd = configuration.idleExit.flatMap { exit in
            presence.idleSince.map { $0 + exit }
        }
        return [
            arbiter.nextDeadline, connections.acceptor.resumeAt, processes.nextLook,
            presence.nextDeadline, clients.nextLook, idleEnd, watching.nextDeadline,
        ].compactMap { $0 }.min()
    }

    private func takeTimers() {
        let now = MonotonicClock.now
        connections.resumeAccepting(at: now)
        if let restore = presence.restoreAt, restore <= now { restoreNames() }
        do throws(RuntimeDirectoryError) {
            try presence.takePlaces(at: now)
        } catch {
            configuration.log(.worldDivided(error))
        }
        if let look = processes.nextLook, look <= now {
            work.append(.checkProcesses(seen: [], since: now))
        }
        for id in clients.suspects(at: now) {
            if let client = clients[id], !processes.isAlive(client) {
                work.append(.removeClient(id))
            }
        }
        workOnWatching(at: now)
        finishWork()
        leaveIfIdle(at: now)
    }

    private func leaveIfIdle(at now: UInt64) {
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
