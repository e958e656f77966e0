// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's shell. One thread handles everything in order, without locks: it waits for the
// kernel, turns what happened into events, and carries out the arbiter's effects. It makes no
// system call on a user's path, so that a mount which never answers delays nobody else.
//
// The parts: Host+Connections (who talks to us), Host+Greeting (who they are), Host+Absence (what
// was said while nobody listened), Host+Records (ledger records into events),
// Host+Announcements (what accessors make known), Host+Packages (what counts as a package),
// Host+Effects (effects into swaps and messages), Host+Clients (death), Host+Recovery (taking
// over), Host+Directory (being found), Host+Status (who holds, who waits).

import FileCoordinationArbiter
import FileCoordinationLedger
package import FileCoordinationSystem
package import FileCoordinationWire

/// How a host is to behave.
package struct HostConfiguration: Sendable {
    /// Daemon or embedded; announced to clients.
    package var kind: HostKind
    /// After how long without any client it leaves, in nanoseconds; nil: never.
    package var idleExit: UInt64?
    /// The newest version of the protocol that it speaks.
    package var protocolVersion: UInt16
    /// What counts as a package, announced to clients; opaque here (Rule 1.11).
    package var packagePolicy: [UInt8]
    /// Whether the kernel is to tell when somebody removes the names under which it is found.
    ///
    /// Only for those who make thousands of hosts: to end such a watch takes milliseconds.
    package var watchesDirectory = true
    /// How quickly a place must go from client to client, in nanoseconds, to go without the host.
    package var handoverTime = ContestedPlaces.handoverTime
    /// Whether to give way to a host that is about to make its directory anew.
    package var givesWay = false
    /// Receives log entries, on the host's thread.
    package var log: @Sendable (HostLogEntry) -> Void

    /// A configuration.
    package init(
        kind: HostKind, idleExit: UInt64? = nil,
        protocolVersion: UInt16 = SpokenProtocol.newest,
        packagePolicy: [UInt8] = PackageConfiguration.load(),
        log: @escaping @Sendable (HostLogEntry) -> Void = { _ in }
    ) {
        self.kind = kind
        self.idleExit = idleExit
        self.protocolVersion = protocolVersion
        self.packagePolicy = packagePolicy
        self.log = log
    }
}

/// Runs the arbiter for one runtime directory, on the thread that calls ``run()``.
package final class Host {
    /// Where it is found; another one after the first was removed under it.
    var runtime: RuntimeDirectory
    let configuration: HostConfiguration
    let epoch: HostEpoch
    /// Who may have a watch of directories.
    var watchAllowance = WatchAllowance()
    /// Where the next host's epoch would show.
    var epochs: EpochFile
    /// Which count of them this host's is one of.
    var era: UInt64
    let startedAt = MonotonicClock.now
    /// Where this process has its number, and those are that it can look at by their own.
    let ownNamespace = CurrentProcess.processNamespace
    let poller: Poller
    let wakeUp: WakeUp
    /// Where the items of records are by now.
    let book: PlaceBook
    /// What is delegated to whom.
    var delegations = Delegations()
    /// Until when what it has heard is fresh.
    var freshness = Freshness()
    var contested = ContestedPlaces()
    /// Which places go from client to client without this host.
    var relays = Relays()
    /// The memory in which they do, once there is one.
    var relayMemory: RelayFile?
    /// Whether the runtime directory had to be made anew: what is in it now is not what everybody
    /// has mapped.
    var hasMoved = false
    /// When the claim was filed that is being looked at.
    var filingSince: UInt64?
    /// Whether that one has waited in a relay until now.
    var hasWaitedInRelay = false
    /// Claims that waited in a relay that has ended, and were filed after that.
    var filedLater: [(client: Client, snapshot: RecordSnapshot)] = []
    /// What clients would like to have that is their own until now, by claim.
    var wantedDelegations: [ClaimID: WantedDelegation] = [:]

    var arbiter = Arbiter(recovering: true)
    var listener: SequencedSocket?
    var watch: DirectoryWatch?
    var roleLock: RoleLock?
    /// Which file our socket's name led to.
    var socketIdentity: FileStatus?
    /// When to look whether the names are there, and to make them anew.
    var restoreAt: UInt64?
    /// What keeps other hosts out of all other places where programs may look for one.
    var standIns = StandIns()
    /// When to look for places that have come.
    var takePlacesAt: UInt64?
    var placesPause = HostLimits.placesPause

    var clients: [ClientID: Client] = [:]
    var clientsByLedger: [String: ClientID] = [:]
    var connections: [UInt64: Connection] = [:]
    /// How many of them each process has.
    var connectionCounts: [Int32: Int] = [:]
    /// Given up for a moment to tell somebody that there is no other left.
    var reserve = try? Descriptor.placeholder()
    var processes: [UInt64: ClientID] = [:]
    var claims: [ClaimID: RecordAddress] = [:]
    var presenters: [PresenterID: RecordAddress] = [:]
    /// What presenters were asked on behalf of a claim and have not answered.
    var unanswered: [ClaimID: [PresenterID: YieldSteps]] = [:]
    /// Records that are being read: what they name may not lead back to them.
    var claimsBeingRead: Set<RecordAddress> = []
    /// The claim that the present event is about, if it is being filed.
    var claimBeingFiled: ClaimID?
    /// The numbers under which a claim's questions are put after the first were taken back.
    var questionNumbers: [ClaimID: UInt64] = [:]
    /// Processes that were stopped when they were looked at last.
    var stoppedClients: Set<ClientID> = []
    /// When to look at processes.
    var lookAtProcessesAt: UInt64?
    /// Questions that are longer than any message, and fail what they were asked for.
    var unutterable: [(presenter: PresenterID, claim: ClaimID)] = []
    /// Connections whose other end is gone or does not read.
    var doomed: [Connection] = []
    /// Records of ended claims, given back once everybody has been told of them.
    var recordsToReap: [(client: Client, record: RecordReference)] = []
    /// Clients with messages to send at the end of this turn, in the order of the first one.
    var clientsToFlush: [ClientID] = []

    /// Reports that were asked for.
    var statusWork: [StatusWork] = []

    /// What came in this turn.
    private(set) var ready: [Poller.Ready] = []
    var lastTicket: UInt64 = 0
    var lastClient: UInt32 = 0
    var lastToken: UInt64 = FixedToken.last
    /// Clients whose connection ended while their lock was still held, and when to look again.
    var suspects: [ClientID: Suspicion] = [:]
    /// When to accept connections again, after there was no descriptor left for one.
    var acceptAgainAt: UInt64?
    var idleSince: UInt64?
    var ending: HostEnding?
    /// What counts as a package: as configured, and what clients have added.
    var packagePolicy: [UInt8]

    /// Tokens of the poller that are not connections.
    enum FixedToken {
        static let listener: UInt64 = 0
        static let wakeUp: UInt64 = 1
        static let watch: UInt64 = 2
        static let last: UInt64 = 15
    }

    /// Takes over: raises the epoch everywhere, recovers from the ledgers, then listens.
    ///
    /// The caller holds the host lock and gives it away; nobody else hosts while it lives.
    package init(
        runtime: RuntimeDirectory, roleLock: RoleLock, configuration: HostConfiguration,
        wakeUp: WakeUp
    ) throws {
        self.runtime = runtime
        self.roleLock = roleLock
        self.configuration = configuration
        self.wakeUp = wakeUp
        poller = try Poller()
        try standIns.complete(for: runtime, givesWay: configuration.givesWay)
        let lost = try LostLedgers(of: runtime, role: roleLock)
        epochs = try EpochFile(directory: runtime.directory)
        // Whoever was stopped until now may have lost the role, and must not depose its successor.
        guard roleLock.isInPlace(in: runtime) else { throw LostLedgers.Failure.movedOn }
        let orphans: [LedgerReader]
        let opened: [String: LedgerReader]
        Failpoint.reach(.before, .raisesEpoch)
        era = epochs.era
        (epoch, orphans, opened) = try lost.claim(raising: epochs, in: runtime)
        Failpoint.reach(.after, .raisesEpoch)
        book = try PlaceBook(in: runtime.directory, epoch: epoch)
        packagePolicy = configuration.packagePolicy
        try poller.add(wakeUp.descriptor, token: FixedToken.wakeUp, .readable)
        let result = try recover(with: orphans, opened: opened)
        // Only now, so that nobody finds a host that knows nothing yet.
        guard roleLock.isInPlace(in: runtime), !isDeposed else {
            throw LostLedgers.Failure.movedOn
        }
        try listen()
        configuration.log(result)
        withExtendedLifetime(lost) {}
        if configuration.watchesDirectory { watchRuntimeDirectory() }
        idleSince = MonotonicClock.now
    }

    /// Serves until there is a reason to leave, and gives the role up.
    package func run() -> HostEnding {
        while true {
            if let ending = turn() { return ending }
        }
    }

    /// Waits until there is something to do, or until `limit`, and does it; says why it has left,
    /// if so.
    package func turn(until limit: UInt64? = nil) -> HostEnding? {
        finishTurn()
        if let ending { return leave(ending) }
        do {
            // What has just been finished may have to be looked at again soon.
            let deadline = [nextDeadline, limit].compactMap { $0 }.min()
            freshness.renew(at: MonotonicClock.now)
            try poller.wait(into: &ready, until: deadline)
        } catch {
            return leave(.stopped)
        }
        // After every sleep: whoever was stopped in it may not be the host any more.
        if isDeposed { return leave(.deposed) }
        tell(.clockAdvanced(to: MonotonicClock.now))
        for event in ready { dispatch(event) }
        runTimers()
        workOnStatus()
        return nil
    }

    /// Sends what was decided, and acts on what comes of that, until nothing does.
    private func finishTurn() {
        repeat {
            closeDoomed()
            failUnutterable()
            flushDeliveries()
        } while !doomed.isEmpty || !clientsToFlush.isEmpty || !unutterable.isEmpty
        for (client, record) in recordsToReap { client.ledger.reap(record, epoch) }
        recordsToReap = []
        // What could not be sent may have ended the last connection: nothing else would tell.
        if idleSince == nil, connections.isEmpty, clients.isEmpty { idleSince = MonotonicClock.now }
        planLook()
    }

    private func dispatch(_ event: Poller.Ready) {
        switch event.token {
        case FixedToken.listener: acceptConnections()
        case FixedToken.wakeUp:
            _ = wakeUp.drain()
            ending = ending ?? .stopped
        case FixedToken.watch: lookAtRuntimeDirectory()
        default:
            if let connection = connections[event.token] {
                serve(connection, event)
            } else if let client = processes[event.token] {
                processEnded(of: client)
            }
        }
    }

    /// Feeds one event to the arbiter and carries out what it wants.
    func tell(_ event: Event) {
        for effect in arbiter.handle(event) { perform(effect) }
    }

    // MARK: Time

    /// When there is something to do even if nothing comes.
    package var nextDeadline: UInt64? {
        if hasStatusWork { return 0 }
        var deadline = arbiter.nextDeadline
        if let acceptAgainAt { deadline = min(deadline ?? .max, acceptAgainAt) }
        if let lookAtProcessesAt { deadline = min(deadline ?? .max, lookAtProcessesAt) }
        if let restoreAt { deadline = min(deadline ?? .max, restoreAt) }
        if let takePlacesAt { deadline = min(deadline ?? .max, takePlacesAt) }
        for suspicion in suspects.values {
            deadline = min(deadline ?? .max, suspicion.lookAgainAt)
        }
        if let idleSince, let idleExit = configuration.idleExit {
            deadline = min(deadline ?? .max, idleSince + idleExit)
        }
        return deadline
    }

    private func runTimers() {
        let now = MonotonicClock.now
        if let again = acceptAgainAt, again <= now { resumeAccepting() }
        if let restore = restoreAt, restore <= now { restoreNames() }
        if let take = takePlacesAt, take <= now { takePlaces() }
        if let look = lookAtProcessesAt, look <= now { lookAtProcesses(now: now) }
        lookAtSuspects(now: now)
        guard let idleExit = configuration.idleExit else { return }
        guard connections.isEmpty && clients.isEmpty else {
            idleSince = nil
            return
        }
        guard let since = idleSince else {
            idleSince = now
            return
        }
        if now >= since + idleExit { leaveWhenIdle() }
    }
}
