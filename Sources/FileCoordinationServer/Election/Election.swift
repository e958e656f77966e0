// SPDX-License-Identifier: Apache-2.0
//
// Connect or serve. A process that gets no answer waits for the election lock, looks
// again, and if there is still no server, starts one. Losers wait on the lock, in the kernel.

package import FileCoordinationLedger
package import FileCoordinationSystem
import FileCoordinationWire

/// Finds the present server of a runtime directory, or makes one.
package struct Election: Sendable {
    let runtime: RuntimeDirectory
    /// Rings when another's server begins to listen; nil for those who have no ledger.
    private let serverReady: ServerReadyEvent?
    /// Looks for the daemon: only if no server answers, as most of the time one does.
    private let findDaemon: @Sendable () -> DaemonLauncher?
    let log: @Sendable (ServerLogEntry) -> Void

    /// An election in `runtime`; a nil `daemon` means that this program serves the arbiter itself.
    package init(
        runtime: RuntimeDirectory, daemon: DaemonLauncher?,
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in }
    ) {
        self.init(runtime: runtime, log: log) { daemon }
    }

    /// An election in `runtime`, with the daemon that `findDaemon` finds when one is needed.
    package init(
        runtime: RuntimeDirectory, serverReady: ServerReadyEvent? = nil,
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in },
        findDaemon: @escaping @Sendable () -> DaemonLauncher?
    ) {
        self.runtime = runtime
        self.serverReady = serverReady
        self.findDaemon = findDaemon
        self.log = log
    }

    /// A connection to the server.
    package struct Result: Sendable {
        /// The connected socket.
        package var socket: SequencedSocket
        /// The server, when it is this process that serves.
        package var embedded: EmbeddedServer?
    }

    /// Connects to the server if there is one just now, without making one.
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
            // Too many wait for it already: it may be stopped. Who has the role is looked at next.
            case ErrorNumber.timedOut: return nil
            default: throw error
            }
        }
    }

    /// Takes the role from a server that was seen stopped for long enough, or is dead (Rule 18.7a).
    ///
    /// Does nothing if it runs again, or if another serves meanwhile. Afterwards no process has
    /// the role; the next caller of ``connectOrServe(onEnd:)`` takes it.
    package func depose(_ server: ServerWatchdog) throws {
        let runtime = try runtime.renewed()
        let election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime)
        defer { withExtendedLifetime(election) {} }
        try deposeWhileElecting(server, in: runtime)
    }

    /// The same, for a caller that has the election lock.
    func deposeWhileElecting(_ server: ServerWatchdog, in runtime: RuntimeDirectory) throws {
        guard server.hasEnded || server.isStopped else { return }
        // Not without bound: who is stopped does not empty its queue.
        let socket = try? SequencedSocket.connect(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            patience: .milliseconds(100))
        guard let socket, ServerWatchdog(over: socket).isOfSame(as: server) else { return }
        log(.deposing(processID: server.processID))
        // From here on the process that takes the new lock's file has the role; the old one's
        // holder sees that it was removed as soon as it runs, and sees a higher epoch soon after.
        do throws(SystemError) {
            try runtime.directory.remove(RuntimeDirectory.Name.serverLock)
        } catch {
            guard error.code == ErrorNumber.noSuchFile else { throw error }
        }
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
    }

    /// Connects, making a server if there is none.
    ///
    /// Blocks while others choose one.
    package func connectOrServe(
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> Result {
        var givesWayUntil: UInt64?
        while true {
            let here = try runtime.renewed()
            let givesWay = MonotonicClock.now < givesWayUntil ?? .max
            do {
                return try connectOrServe(in: here, givesWay: givesWay, onEnd: onEnd)
            } catch OrphanRecovery.Failure.movedOn {
                continue
            } catch RuntimeDirectoryError.busy where givesWay {
                // A server is there that may make its directory anew; here it finds the role free.
                givesWayUntil = givesWayUntil ?? MonotonicClock.now + Self.restoreLimit
                Pause.sleep(nanoseconds: Self.busyPause)
            } catch {
                // What cannot be done in a directory that was removed can be in the next one.
                if here.isInPlace { throw error }
            }
        }
    }

    /// How long a server that has lost its directory may take to make it anew, in nanoseconds.
    private static let restoreLimit: UInt64 = 1_000_000_000
    private static let busyPause: UInt64 = 2_000_000

    private func connectOrServe(
        in runtime: RuntimeDirectory, givesWay: Bool,
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> Result {
        // A process that is about to end serves only if no other process does.
        if ProcessEnd.hasBegun { Pause.sleep(nanoseconds: ProcessEnd.restraint) }
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
                runtime: runtime, roleLock: role, givesWay: givesWay, log: log, onEnd: onEnd)
            if let socket = try Self.connectIfServed(in: runtime) {
                return Result(socket: socket, embedded: embedded)
            }
            // It has given its role up already, to a daemon that asked for it.
        }
    }

    private enum Situation {
        /// A server listens.
        case connected(SequencedSocket)
        /// No process had the lock, but this one has now.
        case free(RoleLock)
    }

    /// Comes to one or the other.
    ///
    /// Who is choosing a server takes milliseconds, as does a server that has the role and does not
    /// listen: it is dying, giving up, or about to make its socket anew. There is no one event that
    /// tells all that, and a stopped one tells nothing.
    private func awaitServer(or name: String, in runtime: RuntimeDirectory) throws -> Situation {
        var wait = RoleWait(for: name, in: runtime, serverReady: serverReady)
        while true {
            if let socket = try Self.connectIfServed(in: runtime) { return .connected(socket) }
            if let lock = try RoleLock.tryAcquire(name, in: runtime) { return .free(lock) }
            wait.pause()
        }
    }

    /// Connects to a daemon that is started for it; nil if that does not come to the role.
    private func connectOrStart(
        _ daemon: DaemonLauncher, in runtime: RuntimeDirectory
    ) throws -> SequencedSocket? {
        switch try awaitServer(or: RuntimeDirectory.Name.serverLock, in: runtime) {
        case .connected(let socket): return socket
        // Given back at once: the daemon takes it.
        case .free: break
        }
        switch daemon.start(in: runtime) {
        case .ready: return try Self.connectIfServed(in: runtime)
        // Late, it may have the role without listening yet; the caller looks at that.
        case .died, .late: return nil
        }
    }
}
