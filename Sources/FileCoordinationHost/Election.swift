// SPDX-License-Identifier: Apache-2.0
//
// Connect or host. Whoever finds nobody answering waits for the election lock, looks again, and
// if there is still no host, sees to it that there is one. Losers wait on the lock, in the kernel.

package import FileCoordinationSystem
import FileCoordinationWire

/// Finds the present host of a runtime directory, or makes one.
package struct Election: Sendable {
    let runtime: RuntimeDirectory
    let daemon: DaemonLauncher?
    let log: @Sendable (HostLogEntry) -> Void

    /// An election in `runtime`; a nil `daemon` means that this program hosts the arbiter itself.
    package init(
        runtime: RuntimeDirectory, daemon: DaemonLauncher?,
        log: @escaping @Sendable (HostLogEntry) -> Void = { _ in }
    ) {
        self.runtime = runtime
        self.daemon = daemon
        self.log = log
    }

    /// A connection to the host.
    package struct Result: Sendable {
        /// The connected socket.
        package var socket: SequencedSocket
        /// The host, when it is this process that hosts.
        package var embedded: EmbeddedHost?
    }

    /// Connects to the host if there is one just now, without making one.
    package func connectIfServed() throws(SystemError) -> SequencedSocket? {
        do {
            return try SequencedSocket.connect(
                in: runtime.directory, name: RuntimeDirectory.Name.socket)
        } catch {
            switch error.code {
            case ErrorNumber.noSuchFile, ErrorNumber.connectionRefused: return nil
            default: throw error
            }
        }
    }

    /// Takes the role from a host that was seen stopped for long enough (Rule 18.7a).
    ///
    /// Does nothing if it runs again, or if another serves meanwhile. Afterwards nobody has the
    /// role; who calls ``connectOrHost(onEnd:)`` next takes it.
    package func depose(_ processID: Int32) throws {
        let election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime)
        defer { withExtendedLifetime(election) {} }
        try deposeWhileElecting(processID)
    }

    /// The same, for a caller that has the election lock.
    func deposeWhileElecting(_ processID: Int32) throws {
        guard ProcessState.isStopped(processID) else { return }
        // Not without bound: who is stopped does not empty its queue.
        let socket = try? SequencedSocket.connect(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            patience: .milliseconds(100))
        guard let socket, try socket.peerCredentials().processID == processID else { return }
        log(.deposing(processID: processID))
        // From here on it is whoever takes the new lock's file; the old one's holder sees that it
        // was removed as soon as it runs, and sees a higher epoch soon after.
        do throws(SystemError) {
            try runtime.directory.remove(RuntimeDirectory.Name.hostLock)
        } catch {
            guard error.code == ErrorNumber.noSuchFile else { throw error }
        }
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
    }

    /// Connects, making a host if there is none.
    ///
    /// Blocks while others choose one.
    package func connectOrHost(
        onEnd: @escaping @Sendable (HostEnding) -> Void
    ) throws -> Result {
        if let socket = try connectIfServed() { return Result(socket: socket) }
        let election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime)
        defer { withExtendedLifetime(election) {} }
        if let daemon, let socket = try connectOrStart(daemon) { return Result(socket: socket) }
        while true {
            let role: RoleLock
            switch try awaitHostOrRole() {
            case .connected(let socket): return Result(socket: socket)
            case .free(let lock): role = lock
            }
            let embedded = try EmbeddedHost.start(
                runtime: runtime, roleLock: role, log: log, onEnd: onEnd)
            if let socket = try connectIfServed() {
                return Result(socket: socket, embedded: embedded)
            }
            // It has given its role up already, to a daemon that asked for it.
        }
    }

    private enum Situation {
        /// A host listens.
        case connected(SequencedSocket)
        /// Nobody has the role, but we have now.
        case free(RoleLock)
    }

    /// Comes to one or the other.
    ///
    /// A host that has the role and does not listen is dying, giving up, or about to make its
    /// socket anew: each takes milliseconds, and there is no one event that tells all three.
    private func awaitHostOrRole() throws -> Situation {
        var pause: UInt64 = 500_000
        while true {
            if let socket = try connectIfServed() { return .connected(socket) }
            if let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: runtime) {
                return .free(role)
            }
            Pause.sleep(nanoseconds: pause)
            pause = min(2 * pause, 20_000_000)
        }
    }

    /// Connects to a daemon that is started for it; nil if that does not come to the role.
    private func connectOrStart(_ daemon: DaemonLauncher) throws -> SequencedSocket? {
        switch try awaitHostOrRole() {
        case .connected(let socket): return socket
        // Given back at once: the daemon takes it.
        case .free: break
        }
        var outcome = daemon.start(in: runtime)
        if case .late(let socket) = outcome {
            // It may have the role without listening yet, and then there is nothing but to wait.
            let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: runtime)
            outcome = role == nil ? DaemonLauncher.outcome(of: socket, until: nil) : .died
        }
        switch outcome {
        case .ready: return try connectIfServed()
        case .died, .late: return nil
        }
    }
}
