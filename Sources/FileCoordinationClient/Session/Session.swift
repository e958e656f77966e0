// SPDX-License-Identifier: Apache-2.0
//
// This process's side of coordination: its ledger, its connection, its presenters. The one
// process-wide object of the library, because the API has static methods; everything else is given
// what it needs.
//
// A thread that wants something writes it into the ledger and then announces it; if there is no
// connection just then, the connection thread makes one, and its hello makes the server read the
// whole ledger. So nothing that was written is ever lost, only told later.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// This process's side of coordination.
package final class Session: Sendable {
    let runtime: RuntimeDirectory
    /// What the face around this room provides.
    package let services: any ClientServices
    let ledger: LedgerWriter
    /// Vouches for the ledger if its directory is removed; nil where that cannot be had.
    private let fallback: LedgerFallback?
    let state: Lock<State>
    /// The newest version of the protocol that this process speaks.
    private let newestVersion: UInt16
    /// What counts as a package.
    let packages = Monitor(KnownPackages())
    let link: SessionLink
    /// Where URLs lead.
    let places = PlaceMemory()
    /// Where claims need no arbiter.
    let delegated: DelegatedPlaces
    /// Where claims wait for each other without one.
    let ticketQueues = KnownTicketQueues()
    private let hasSwept = Atomic(false)
    /// Tells whether this is still the process that opened the session (and not a forked child).
    private let processToken = ForkGuard.processToken

    struct State {
        /// The connection, once its hello is on its way; nil between two connections.
        var socket: SequencedSocket?
        /// The server's epoch, once it has said welcome on `socket`.
        var serverEpoch: ServerEpoch?
        /// The version of the protocol that the next hello names.
        var helloVersion: UInt16
        /// The version that this connection's server and this process speak.
        var version = ProtocolVersion.supported.lowerBound
        /// Claims from filing until their record is given back.
        var claims = PendingClaims()
        /// Calls that wait, and where they were made.
        var waitingCalls: [WaitingCall] = []
        /// Accesses whose accessors run.
        var running: [CoordinatedAccess] = []
        /// Presenters in the order of their registration (Rule 5.1).
        var presenters: [PresenterEntry] = []
        /// The same, by the record that the server knows them by.
        var presentersByRecord: [WireRecord: PresenterEntry] = [:]
        /// What presenters have answered that work off together what they were asked.
        var answers = GatheredAnswers()
        /// Who waits to be told what a claim waits for.
        var explanations: [RecordReference: Monitor<[Party]?>] = [:]
        /// Whether the server has refused this process, so that connecting again at once is
        /// useless.
        var isRefused = false
        /// Pieces of a delivery that is too long for one message.
        var deliveryParts = PartAssembler.delivery
    }

    private init(runtime given: RuntimeDirectory, _ services: any ClientServices) throws {
        // Now, and on this thread: the program may change it later, on another.
        let environment = CurrentProcess.environmentEntries
        let wakeUp = try WakeUp()
        self.services = services
        newestVersion = ProtocolVersion.spoken
        state = Lock(State(helloVersion: newestVersion))
        (runtime, ledger, fallback) = try Self.makeLedger(in: given, wakeUp)
        delegated = DelegatedPlaces(
            ledger, isOn: !environment.contains("FILECOORDINATION_DELEGATION=off"))
        link = try SessionLink(
            election: Election(
                runtime: runtime, serverReady: ledger.serverReadyEvent,
                log: { if case .worldDivided = $0 { Diagnostics.say("\($0)") } }
            ) {
                DaemonLauncher.find(environment: environment)
            },
            wakeUp: wakeUp)
        try link.start(for: self)
    }

    /// Removes what processes that died while they uploaded have left; no caller waits for that.
    ///
    /// For programs that stay: those which come and go should not pay for it. Who uploads does it
    /// anyway.
    package func sweepUploads() {
        guard !hasSwept.exchange(true, ordering: .relaxed) else { return }
        // Without a thread for it, the next process that uploads does it.
        try? DetachedThread.start(name: "file-sweep") { [services] in
            services.sweepTemporaryCopies()
        }
    }

    /// Has the ledger fallback answer, at the latest now; false if that has to be tried again.
    @discardableResult
    func vouch() -> Bool { fallback?.start() ?? true }

    /// Makes a ledger where every server finds it, though the directory be removed meanwhile.
    private static func makeLedger(
        in given: RuntimeDirectory, _ wakeUp: WakeUp
    ) throws -> (RuntimeDirectory, LedgerWriter, LedgerFallback?) {
        var runtime = given
        while true {
            var fallback: LedgerFallback?
            do {
                let epochs = try EpochFile(directory: runtime.directory)
                EpochRenewal.renewIfDue(epochs, in: runtime)
                let ledger = try LedgerWriter(directory: runtime.ledgers, globalEpoch: epochs)
                // Where it cannot be had, a removed directory takes the claims along.
                fallback = try? LedgerFallback(for: ledger, in: runtime) { wakeUp.signal() }
                // Only now: a server in any other directory than this one has seen the ledger
                // fallback.
                if runtime.isInPlace { return (runtime, ledger, fallback) }
            } catch {
                if runtime.isInPlace { throw error }
            }
            fallback?.retire()
            runtime = try runtime.renewed()
        }
    }

    // MARK: The one session

    /// This process's session, opened at first use; a forked child gets one of its own.
    ///
    /// - Parameter services: what the face provides; that of the first call stays.
    package static func current(
        _ services: @autoclosure () -> any ClientServices
    ) throws(AccessFailure) -> Session {
        do {
            let cell = cell()
            return try cell.opening.withLock { _ in
                if let session = cell.session.load() { return session }
                let runtime = try RuntimeDirectory.openOwn()
                if let warning = runtime.warning { Diagnostics.say(warning) }
                let session = cell.session.storeIfNil(try Session(runtime: runtime, services()))
                ProcessLabel.apply(to: session)
                return session
            }
        } catch {
            throw .system(.arbiterUnreachable("\(error)"))
        }
    }

    /// The session, if this process has opened one.
    package static var existing: Session? { withExisting { $0 } }

    /// Looks at it without counting a reference: it stays for as long as the process.
    static func withExisting<Result>(_ body: (Session?) -> Result) -> Result {
        guard let newest = newestCell.load(ordering: .acquiring) else { return body(nil) }
        return newest._withUnsafeGuaranteedRef { cell in
            cell.processToken == ForkGuard.processToken
                ? cell.session.withLoaded(body) : body(nil)
        }
    }

    /// Where a process keeps its session.
    private final class Cell: Sendable {
        let processToken = ForkGuard.processToken
        let opening = Lock(())
        let session = LazyReference<Session>()
    }

    /// The newest cell.
    ///
    /// One that a forked child inherits is left as it is, for ever: its lock may have been held at
    /// the fork, and what it refers to is not mapped in the child.
    private static let newestCell = Atomic<Unmanaged<Cell>?>(nil)

    private static func cell() -> Cell {
        while true {
            let newest = newestCell.load(ordering: .acquiring)
            if let cell = newest?._withUnsafeGuaranteedRef({ $0 }),
                cell.processToken == ForkGuard.processToken
            {
                return cell
            }
            if ForkGuard.isForkedChild { ForkGuard.rearm() }
            let fresh = Unmanaged.passRetained(Cell())
            let (isOurs, _) = newestCell.compareExchange(
                expected: newest, desired: fresh, ordering: .acquiringAndReleasing)
            if !isOurs { fresh.release() }
        }
    }

    /// Whether this process opened the session; in a forked child nothing of it may be touched.
    package var isOurs: Bool { processToken == ForkGuard.processToken }

    // MARK: Telling the server

    /// Tells the server to look at `record`, now or by way of the next hello.
    ///
    /// - Returns: whether it was said just now; what is not in the ledger is otherwise lost.
    @discardableResult
    func announce(_ message: ClientMessage) -> Bool {
        guard isOurs else { return false }
        let isSent = state.withLock { state in
            guard let socket = state.socket, !isDeposed(state.serverEpoch) else { return false }
            // What was answered before is said before.
            let isAllSent = sendAnswers(of: &state, on: socket)
            return link.send(message, on: socket) && isAllSent
        }
        if !isSent { link.ring() }
        return isSent
    }

    /// Publishes `socket` and sends the hello in one step, so that whatever is written into the
    /// ledger is either there when the server reads it all, or announced on this socket.
    func connected(_ socket: SequencedSocket) throws(SystemError) {
        let result = state.withLock { state in
            Swift.Result<Void, SystemError> { () throws(SystemError) in
                let hello = ClientMessage.hello(
                    Hello(version: state.helloVersion, ledgerName: Array(ledger.fileName.utf8)))
                Failpoint.reach(.before, .sendsHello)
                _ = try socket.send(hello.encode())
                Failpoint.reach(.after, .sendsHello)
                state.socket = socket
                state.serverEpoch = nil
                state.isRefused = false
                state.answers.forget()
                state.deliveryParts = .delivery
            }
        }
        try result.get()
    }

    /// The version of the protocol that this connection's server and this process speak.
    var spokenVersion: UInt16 { state.withLock { $0.version } }

    /// Whether the server of this connection has accepted the hello.
    var isWelcome: Bool { state.withLock { $0.serverEpoch != nil } }

    /// A server has accepted the hello.
    func welcomed(_ welcome: Welcome) {
        state.withLock { state in
            state.serverEpoch = ServerEpoch(rawValue: welcome.epoch)
            state.version = welcome.version
            // The next server may be newer than this one.
            state.helloVersion = newestVersion
        }
    }

    /// A server has refused; returns whether it could be another one of an older version.
    func refused(_ refusal: Refusal) -> Bool {
        let oldest = ProtocolVersion.supported.lowerBound
        let triesOlder = state.withLock { state in
            if refusal.code == .wrongVersion, state.helloVersion > oldest {
                state.helloVersion -= 1
                return true
            }
            // Without a socket, so that threads that file from now on ring.
            state.isRefused = true
            state.socket = nil
            return false
        }
        if triesOlder { return true }
        let reason: FailureReason =
            refusal.code == .limitReached
            ? .limitReached(refusal.text) : .arbiterUnreachable(refusal.text)
        fail(.system(reason))
        return false
    }

    /// Looks for grants to asynchronous callers whose message went to the former connection.
    ///
    /// When the server says welcome: what it granted before it knew of this connection it granted
    /// before that, and what it grants later it says.
    func findMissedGrants() {
        for claim in state.withLock({ $0.claims.all }) { claim.markGranted() }
    }

    /// Forgets the connection; presenters forget what the former server asked of them.
    func disconnected() {
        let presenters = state.withLock { state in
            state.socket = nil
            state.serverEpoch = nil
            return state.presenters
        }
        for presenter in presenters {
            presenter.registration.tie.withLock { $0.blockedBy = nil }
            presenter.mailbox.resetAfterServerChange()
        }
    }

    /// Whether others may wait for this process's presenters.
    var hasPresenters: Bool { state.withLock { !$0.presenters.isEmpty } }

    /// Whether a server is needed even if no thread calls.
    ///
    /// Before its first word as well: the first access is not filed yet, and waits for that.
    var needsServer: Bool {
        let isNew = packages.withLock { $0.announcement == nil }
        return state.withLock {
            !$0.isRefused && (isNew || !$0.claims.isEmpty || !$0.presenters.isEmpty)
        }
    }

    /// Whether the server of this connection is not the server any more (Rule 18.7a).
    ///
    /// A new one has raised the ledger's epoch; nothing that the old one says counts.
    var isServerDeposed: Bool { isDeposed(state.withLock { $0.serverEpoch }) }

    func isDeposed(_ epoch: ServerEpoch?) -> Bool {
        epoch.map { ledger.ledgerEpoch > $0 } ?? false
    }

    /// Whether something cannot go on before the server has said or done something.
    var awaitsServer: Bool {
        let (isWelcome, claims) = state.withLock { state in
            (
                state.serverEpoch != nil && state.explanations.isEmpty,
                state.socket == nil ? [] : state.claims.all.map(\.record)
            )
        }
        return !isWelcome || claims.contains { ledger.state(of: $0) == .asked }
    }

    /// Fails all that waits: no arbiter can be reached.
    func fail(_ error: AccessFailure) {
        findMissedGrants()
        for claim in state.withLock({ $0.claims.all }) {
            giveUp(claim, .failed(error))
        }
    }
}
