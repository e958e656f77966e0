// SPDX-License-Identifier: Apache-2.0
//
// The state of this process's coordination: its ledger, its connection to the server, and its
// presenters. It is the only global object of the library, because the API has static methods. All
// other objects are passed as arguments.
//
// A thread writes its request into the ledger and then announces it to the server. If there is no
// connection at that time, the connection thread makes one, and its hello makes the server read the
// whole ledger. So no request is lost; it may only arrive later.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// The state of this process's coordination.
package final class Session: Sendable {
    let runtime: RuntimeDirectory
    /// The services of the face.
    package let services: any ClientServices
    let ledger: LedgerWriter
    let state: Lock<State>
    /// The package policy.
    let packages = Monitor(KnownPackages())
    let link: SessionLink
    /// The cache of resolved paths.
    let places: PlaceMemory
    /// The paths at which claims may need no server.
    let delegated: DelegatedPlaces
    /// The ticket queues of the present server.
    let ticketQueues = KnownTicketQueues()
    /// Holds the leases of guarded presenters, once there is one.
    let leaseGuards = Lock<LeaseGuardThread?>(nil)
    private let hasSwept = Atomic(false)
    /// Identifies the process that opened the session; a forked child has another token.
    private let processToken = ForkGuard.processToken

    struct State {
        /// The connection, once its hello is being sent; nil between two connections.
        var socket: SequencedSocket?
        /// The server's epoch, once it has sent the welcome on `socket`.
        var serverEpoch: ServerEpoch?
        /// Claims from filing until their records are returned.
        var claims = PendingClaims()
        /// Waiting calls and their contexts.
        var waitingCalls: [WaitingCall] = []
        /// Accesses whose accessors are running.
        var running: [CoordinatedAccess] = []
        var presenters = PresenterTable()
        /// The presenters by their records, as the server names them.
        var presentersByRecord: [RecordReference: PresenterEntry] = [:]
        /// Answers of presenters that will be sent together.
        var answers = GatheredAnswers()
        /// Threads that wait for the server to explain what a claim waits for.
        var explanations: [RecordReference: [Monitor<[Party]?>]] = [:]
        /// Threads that wait to be told who has written an item last.
        var writers: [RecordReference: Monitor<ChangeAuthor??>] = [:]
        /// Whether the server has refused this process, so that connecting again at once is
        /// useless.
        var isRefused = false
        /// Whether the ledger was passed to the server, because it has no name any more.
        var isNameless = false
        /// Whether a server must read the ledger, because a message did not reach one.
        var owedHello = OwedHello.none
        /// The parts of a delivery that is too long for one message.
        var deliveryParts = PartAssembler.delivery
    }

    /// Opens a session in `runtime`; a process other than a test has one only, ``current(_:)``.
    init(runtime given: RuntimeDirectory, _ services: any ClientServices) throws {
        // The environment is read now, on this thread, because the program may change it later on
        // another.
        let environment = CurrentProcess.environmentEntries
        let wakeUp = try WakeUp()
        self.services = services
        state = Lock(State())
        (runtime, ledger) = try Self.makeLedger(in: given)
        places = PlaceMemory()
        delegated = DelegatedPlaces(
            ledger, isOn: !environment.contains("FILECOORDINATION_DELEGATION=off"))
        link = try SessionLink(
            election: Election(
                runtime: runtime, ledger: ledger
            ) {
                DaemonLauncher.find(environment: environment)
            },
            wakeUp: wakeUp)
        try link.start(for: self)
    }

    /// Removes the copies for uploading that dead processes have left, on a separate thread.
    ///
    /// For long-running programs; short ones should not pay for it. Processes that upload do it
    /// anyway.
    package func sweepUploads() {
        guard !hasSwept.exchange(true, ordering: .relaxed) else { return }
        // Without a thread, the next process that uploads does it.
        try? DetachedThread.start(name: "file-sweep") { [services] in
            services.sweepTemporaryCopies()
        }
    }

    /// How often a ledger is created anew that loses its name meanwhile.
    private static let mostAttempts = 100

    /// Creates a ledger that every server finds.
    private static func makeLedger(
        in given: RuntimeDirectory
    ) throws -> (RuntimeDirectory, LedgerWriter) {
        var runtime = given
        var attempts = 0
        while true {
            attempts += 1
            do {
                let epochs = try EpochFile(directory: runtime.directory)
                EpochRenewal.renewIfDue(epochs, in: runtime)
                let ledger = try LedgerWriter(directory: runtime.ledgers, globalEpoch: epochs)
                // Checked last: if the directory is removed from now on, the next hello passes the
                // ledger.
                if runtime.isInPlace { return (runtime, ledger) }
            } catch LedgerError.system(let error)
                where error.code == ErrorNumber.noSuchFile && attempts < mostAttempts
            {
                // Who empties the directory removes a new ledger before the folder that it is in.
            } catch {
                if runtime.isInPlace { throw error }
            }
            runtime = try runtime.renewed()
        }
    }

    // MARK: The process's session

    /// Returns this process's session, which is opened on first use.
    ///
    /// A forked child gets its own.
    ///
    /// - Parameter services: the services of the face; those of the first call are used.
    /// - Returns: the session.
    /// - Throws: ``AccessFailure`` if it cannot be opened, for example because no server can be
    ///   started.
    package static func current(
        _ services: @autoclosure () -> any ClientServices
    ) throws(AccessFailure) -> Session {
        do {
            let cell = cell()
            return try cell.opening.withLock { _ in
                if let session = cell.session.load() { return session }
                let runtime = try RuntimeDirectory.openOwn()
                let services = ForkGuard.holdingForks { services() }
                let session = cell.session.storeIfNil(try Session(runtime: runtime, services))
                ProcessLabel.apply(to: session)
                return session
            }
        } catch {
            throw .system(.arbiterUnreachable("\(error)"))
        }
    }

    /// The session, if this process has opened one.
    package static var existing: Session? { withExisting { $0 } }

    /// Calls `body` with the session without counting a reference, because it lives as long as the
    /// process.
    static func withExisting<Result>(_ body: (Session?) -> Result) -> Result {
        guard let newest = unsafe newestCell.load(ordering: .acquiring) else { return body(nil) }
        return unsafe newest._withUnsafeGuaranteedRef { cell in
            cell.processToken == ForkGuard.processToken
                ? cell.session.withLoaded(body) : body(nil)
        }
    }

    /// Contains a process's session.
    private final class Cell: Sendable {
        let processToken = ForkGuard.processToken
        let opening = Lock(())
        let session = LazyReference<Session>()
    }

    /// The newest cell.
    ///
    /// A forked child never touches the cell that it inherits: its lock may have been held at the
    /// fork, and the ledger that it refers to is not mapped in the child.
    private static let newestCell = unsafe Atomic<Unmanaged<Cell>?>(nil)

    private static func cell() -> Cell {
        while true {
            let newest = unsafe newestCell.load(ordering: .acquiring)
            if let cell = unsafe newest?._withUnsafeGuaranteedRef({ $0 }),
                cell.processToken == ForkGuard.processToken
            {
                return cell
            }
            if ForkGuard.isForkedChild { ForkGuard.rearm() }
            initialiseStatics()
            let fresh = unsafe Unmanaged.passRetained(Cell())
            let (isOurs, _) = unsafe newestCell.compareExchange(
                expected: newest, desired: fresh, ordering: .acquiringAndReleasing)
            if !isOurs { unsafe fresh.release() }
        }
    }

    /// Whether this process has opened the session.
    ///
    /// A forked child must not use its parent's.
    package var isOurs: Bool { processToken == ForkGuard.processToken }

    // MARK: Messages to the server

    /// Sends a message now, or has the next hello stand for it.
    ///
    /// - Returns: whether the message was sent now. If not, any contents that are not in the ledger
    ///   are lost.
    @discardableResult
    func tell(_ message: ClientMessage) -> Bool {
        guard isOurs else { return false }
        let isSent = state.withLock { state in
            guard let socket = state.socket, !isDeposed(state.serverEpoch) else {
                state.owedHello.messageLost()
                return false
            }
            // Earlier answers are sent first.
            let isAllSent = sendAnswers(of: &state, on: socket)
            guard link.send(message, on: socket) else {
                state.owedHello.messageLost()
                return false
            }
            if state.serverEpoch == nil { state.owedHello.messageSentEarly() }
            return isAllSent
        }
        if !isSent { link.ring() }
        return isSent
    }

    /// Publishes `socket` and sends the hello in one step.
    ///
    /// So everything that threads write into the ledger is either found when the server reads the
    /// ledger, or is announced on this socket.
    func connected(_ socket: SequencedSocket) throws(SystemError) {
        let result = state.withLock { state in
            Swift.Result<Void, SystemError> { () throws(SystemError) in
                let hello = ClientMessage.hello(
                    Hello(ledgerName: Array(ledger.fileName.utf8)))
                Failpoint.reach(.before, .sendsHello)
                // A server finds the ledger by its name, unless the name is gone.
                state.isNameless = !isLedgerInPlace
                _ = try socket.send(
                    hello.encode(),
                    descriptors: state.isNameless ? [ledger.descriptor.number] : [])
                Failpoint.reach(.after, .sendsHello)
                state.socket = socket
                state.serverEpoch = nil
                state.owedHello.helloSent()
                state.isRefused = false
                state.answers.forget()
                state.deliveryParts = .delivery
            }
        }
        try result.get()
    }

    /// Whether only this process's hello tells a server of its ledger.
    var isNameless: Bool { state.withLock { $0.isNameless } }

    /// Whether a server in the present directory finds the ledger by its name.
    private var isLedgerInPlace: Bool {
        // It has its name in the directory in which it was made, and in no other.
        runtime.isInPlace && ledger.isInPlace(in: runtime.ledgers)
    }

    /// Whether the server of this connection has accepted the hello.
    var isWelcome: Bool { state.withLock { $0.serverEpoch != nil } }

    /// Handles the server's welcome.
    func welcomed(_ welcome: Welcome) {
        let presenters = state.withLock { state in
            state.serverEpoch = ServerEpoch(rawValue: welcome.epoch)
            state.owedHello.welcomed()
            return state.presenters
        }
        delegated.lastReport.trust()
        // What presenters have answered since the last welcome is repeated in few messages.
        beginAnswers()
        defer { endAnswers() }
        for presenter in presenters {
            let path = presenter.registration.registered.withLock { $0.place }
            presenter.mailbox.serverFound(at: path)
        }
    }

    /// Handles a refusal by the server.
    func refused(_ refusal: Refusal) {
        // The socket is removed, so that threads that file claims from now on wake the connection
        // thread.
        state.withLock { state in
            state.isRefused = true
            state.socket = nil
        }
        let reason: FailureReason =
            refusal.code == .limitReached
            ? .limitReached(refusal.text) : .arbiterUnreachable(refusal.text)
        fail(.system(reason))
    }

    /// Looks for grants to asynchronous callers whose messages have not come.
    ///
    /// Called at the server's welcome: claims that it granted without knowing this connection were
    /// granted before that, and it sends messages about later ones. Called also before this process
    /// waits without looking whether the server is stopped.
    func findMissedGrants() {
        for claim in state.withLock({ $0.claims.all }) { claim.markGranted() }
    }

    /// Discards the connection, and the questions that the former server asked presenters.
    func disconnected() {
        let presenters = state.withLock { state in
            state.socket = nil
            state.serverEpoch = nil
            state.owedHello.disconnected()
            // The server may not have read the last report of a write.
            if delegated.lastReport.forget(in: ledger) { state.owedHello.messageLost() }
            return state.presenters
        }
        for presenter in presenters {
            presenter.registration.registered.withLock { $0.blockedQuestions = [:] }
            presenter.mailbox.serverLost()
        }
    }

    /// Whether this process has presenters for which others may wait.
    var hasPresenters: Bool { state.withLock { !$0.presenters.isEmpty } }

    /// Looks for a server if there is none, because this process has just granted itself a claim,
    /// of which the next server may hear in the hello alone (Rule 18.14).
    func vouchForLocalGrant() {
        if !delegated.lastReport.hasServer { link.ring() }
    }

    /// Whether a server is needed although no thread calls.
    ///
    /// Also true before the server's first message, because the first access waits for that before
    /// it is filed.
    var needsServer: Bool {
        let isNew = packages.withLock { $0.announcement == nil }
        return state.withLock {
            !$0.isRefused
                && (isNew || !$0.claims.isEmpty || !$0.presenters.isEmpty
                    || $0.owedHello.isOwed || ledger.hasGrantedRecord)
        }
    }

    /// Whether a server must be found again, even if the last one has refused this process: other
    /// processes may wait for this process's presenters, or for the end of a claim that no server
    /// was told of.
    var mustReturn: Bool {
        state.withLock { !$0.presenters.isEmpty || $0.owedHello.isOwed }
    }

    /// Whether the server of this connection has been deposed (Rule 18.7a).
    ///
    /// The new server has raised the ledger's epoch, and messages from the old one do not count.
    var isServerDeposed: Bool { isDeposed(state.withLock { $0.serverEpoch }) }

    func isDeposed(_ epoch: ServerEpoch?) -> Bool {
        epoch.map { ledger.ledgerEpoch > $0 } ?? false
    }

    /// Whether anything waits for a message or an action of the server.
    var awaitsServer: Bool {
        let (isWelcome, claims) = state.withLock { state in
            (
                state.serverEpoch != nil && state.explanations.isEmpty && state.writers.isEmpty,
                state.socket == nil ? [] : state.claims.all.map(\.record)
            )
        }
        return !isWelcome || claims.contains { ledger.state(of: $0) == .filed }
    }

    /// Fails all waiting claims, because no server can be reached.
    func fail(_ error: AccessFailure) {
        findMissedGrants()
        for claim in state.withLock({ $0.claims.all }) {
            giveUp(claim, .failed(error))
        }
    }
}
