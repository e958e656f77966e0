// SPDX-License-Identifier: Apache-2.0
//
// Finds the server or starts one. A process that cannot connect takes the election lock, tries
// again, and starts a server if there is still none. Other processes wait for the lock or for the
// server meanwhile.

package import FileCoordinationLedger
package import FileCoordinationSystem
import FileCoordinationWire

/// Finds the server of a runtime directory, or starts one.
package struct Election: Sendable {
    let runtime: RuntimeDirectory
    /// This process's ledger, by which it is woken when a server in another process listens; nil
    /// for processes without one.
    private let ledger: LedgerWriter?
    /// Looks for the daemon.
    ///
    /// Called only if no server answers, which is rare.
    private let findDaemon: @Sendable () -> DaemonLauncher?
    let log: @Sendable (ServerLogEntry) -> Void

    /// Creates an election in `runtime`.
    ///
    /// With a nil `daemon`, this program runs the server itself.
    package init(
        runtime: RuntimeDirectory, daemon: DaemonLauncher?,
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in }
    ) {
        self.init(runtime: runtime, log: log) { daemon }
    }

    /// Creates an election in `runtime`, which calls `findDaemon` when it needs a daemon.
    package init(
        runtime: RuntimeDirectory, ledger: LedgerWriter? = nil,
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in },
        findDaemon: @escaping @Sendable () -> DaemonLauncher?
    ) {
        self.runtime = runtime
        self.ledger = ledger
        self.findDaemon = findDaemon
        self.log = log
    }

    /// A connection to the server.
    package struct Result: Sendable {
        /// The connected socket.
        package var socket: SequencedSocket
        /// The server, if it runs in this process.
        package var embedded: EmbeddedServer?
    }

    /// Connects to the server if there is one; never starts one.
    package func connectIfServed() throws(SystemError) -> SequencedSocket? {
        try Self.connectIfServed(in: runtime)
    }

    private static func connectIfServed(
        in runtime: RuntimeDirectory
    ) throws(SystemError) -> SequencedSocket? {
        do {
            return try SequencedSocket.connect(
                in: runtime.directory, name: RuntimeDirectory.Name.socket,
                patience: .milliseconds(200))
        } catch {
            switch error.code {
            case ErrorNumber.noSuchFile, ErrorNumber.connectionRefused: return nil
            // The socket's queue is full, so the server may be stopped. The caller examines the
            // role's holder next.
            case ErrorNumber.timedOut: return nil
            default: throw error
            }
        }
    }

    /// Takes the role from a server that is dead or was seen stopped for long enough (Rule 18.7a).
    ///
    /// Does nothing if the server runs again or another one serves meanwhile. Afterwards no process
    /// has the role; the next caller of ``connectOrServe(onEnd:)`` takes it.
    package func depose(_ server: ServerWatchdog) throws {
        let runtime = try runtime.renewed()
        let election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime)
        defer { withExtendedLifetime(election) {} }
        try deposeWhileElecting(server, in: runtime)
    }

    /// Deposes a server, for a caller that holds the election lock.
    func deposeWhileElecting(_ server: ServerWatchdog, in runtime: RuntimeDirectory) throws {
        guard server.hasEnded || server.isStopped else { return }
        // The time is limited, because a stopped server does not empty its queue of connections.
        let socket = try? SequencedSocket.connect(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            patience: .milliseconds(100))
        guard let socket, ServerWatchdog(over: socket).isOfSame(as: server) else { return }
        log(.deposing(processID: server.processID))
        // From here on, the process that locks a new lock file has the role. When the deposed
        // server runs again, it finds its lock file removed, and soon a higher epoch.
        do throws(SystemError) {
            try runtime.directory.remove(RuntimeDirectory.Name.serverLock)
        } catch {
            guard error.code == ErrorNumber.noSuchFile else { throw error }
        }
        // It was never there, or the listener that follows replaces it.
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
    }

    /// Connects to the server, and starts one if there is none.
    ///
    /// Blocks the calling thread while other processes elect a server.
    package func connectOrServe(
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> Result {
        while true {
            let here = try runtime.renewed()
            do {
                return try connectOrServe(in: here, onEnd: onEnd)
            } catch is OrphanRecovery.MovedOn {
                continue
            } catch {
                // An operation that failed in a removed directory may succeed in the next one.
                if here.isInPlace { throw error }
            }
        }
    }

    private func connectOrServe(
        in runtime: RuntimeDirectory,
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> Result {
        if ProcessEnd.hasBegun, let socket = try awaitOthers(in: runtime) {
            return Result(socket: socket)
        }
        Failpoint.reach(.before, .elects)
        let election: RoleLock
        switch try awaitServer(or: RuntimeDirectory.Name.electionLock, in: runtime) {
        case .connected(let socket): return Result(socket: socket)
        case .free(let lock): election = lock
        }
        Failpoint.reach(.after, .elects)
        defer { withExtendedLifetime(election) {} }
        if let daemon = findDaemon(), let socket = try connectOrStart(daemon, in: runtime) {
            return Result(socket: socket)
        }
        while true {
            let role: RoleLock
            switch try awaitServer(or: RuntimeDirectory.Name.serverLock, in: runtime) {
            case .connected(let socket): return Result(socket: socket)
            case .free(let lock): role = lock
            }
            Failpoint.reach(.before, .takesRole)
            defer { Failpoint.reach(.after, .takesRole) }
            let embedded = try EmbeddedServer.start(
                runtime: runtime, roleLock: role, starter: lostLedger(in: runtime), log: log,
                onEnd: onEnd)
            if let socket = try Self.connectIfServed(in: runtime) {
                return Result(socket: socket, embedded: embedded)
            }
            // The embedded server has given up its role already, because a daemon asked for it.
        }
    }

    /// This process's ledger, if it has no name in `runtime`.
    ///
    /// The thread that says hello starts the server and waits for it, which waits for hellos.
    private func lostLedger(in runtime: RuntimeDirectory) -> LostLedger? {
        guard let ledger, !ledger.isInPlace(in: runtime.ledgers) else { return nil }
        return LostLedger(name: ledger.fileName, file: ledger.descriptor)
    }

    /// Says hello to a server that listens, if this process's ledger has no name there.
    ///
    /// Returns whether it did. The directory may be removed while a daemon starts.
    private func isHeard(in runtime: RuntimeDirectory) -> Bool {
        // The next attempt may succeed.
        guard let here = try? runtime.renewed() else { return false }
        return lostLedger(in: here)?.isHeard(in: here) == true
    }

    /// Connects to the server of another process, or returns nil if there is none for a while.
    ///
    /// An exiting process becomes the server only if no other process does.
    private func awaitOthers(in runtime: RuntimeDirectory) throws -> SequencedSocket? {
        let end = MonotonicClock.after(ProcessEnd.restraint)
        while MonotonicClock.now < end {
            if let socket = try Self.connectIfServed(in: runtime),
                !ServerWatchdog(over: socket).hasEnded
            {
                return socket
            }
            Pause.sleep(.milliseconds(2))
        }
        return nil
    }

    private enum Situation {
        /// A server listens.
        case connected(SequencedSocket)
        /// No process held the lock; this process holds it now.
        case free(RoleLock)
    }

    /// Waits until a server listens or the lock `name` can be taken.
    ///
    /// An election takes milliseconds. So does a server that has the role but does not listen,
    /// because it is dying, leaving or restoring its socket. No single event reports all of these,
    /// and a stopped process reports none, so this function polls.
    private func awaitServer(or name: String, in runtime: RuntimeDirectory) throws -> Situation {
        var wait = RoleWait(for: name, in: runtime, serverReady: ledger?.serverReadyEvent)
        while true {
            // The folder of ledgers may lose names and keep that of the mark.
            if lostLedger(in: runtime) != nil { runtime.unsettle() }
            if let socket = try Self.connectIfServed(in: runtime) {
                let server = ServerWatchdog(over: socket)
                guard server.hasEnded else { return .connected(socket) }
                // The socket of a dead server can exist for long, and accept connections. The
                // elected process, which has the election lock, removes it.
                if name == RuntimeDirectory.Name.serverLock {
                    try deposeWhileElecting(server, in: runtime)
                }
            }
            if let lock = try RoleLock.tryAcquire(name, in: runtime) { return .free(lock) }
            wait.pause()
        }
    }

    /// Has a daemon started, or starts one, and connects to it.
    ///
    /// Returns nil if the daemon does not get the role.
    private func connectOrStart(
        _ daemon: DaemonLauncher, in runtime: RuntimeDirectory
    ) throws -> SequencedSocket? {
        switch try awaitServer(or: RuntimeDirectory.Name.serverLock, in: runtime) {
        case .connected(let socket): return socket
        // The lock is released at once, so that the daemon can take it.
        case .free: break
        }
        // The manager's daemon does not know of a directory that was chosen for this process.
        if let activation = daemon.activation, !runtime.place.isChosen {
            switch activation.start(meanwhile: { isHeard(in: runtime) }) {
            // Without a server here, the daemon is leaving, or serves in another place.
            case .ready: if let socket = try Self.connectIfServed(in: runtime) { return socket }
            // As below.
            case .late: return nil
            case .died: break
            }
        }
        // A daemon that is killed as soon as it listens is started again, once.
        for _ in 0..<2 {
            switch daemon.start(in: runtime, meanwhile: { isHeard(in: runtime) }) {
            case .ready: if let socket = try Self.connectIfServed(in: runtime) { return socket }
            // A late daemon may have the role without listening yet. The caller checks that.
            case .died, .late: return nil
            }
        }
        return nil
    }
}
