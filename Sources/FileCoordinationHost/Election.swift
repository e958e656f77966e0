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
            if let socket = try connectIfServed() { return Result(socket: socket) }
            // A host that does not listen is dying or giving up; its lock says when it is over.
            // One that was elected before us would have been found listening.
            let role = try RoleLock.acquire(RuntimeDirectory.Name.hostLock, in: runtime)
            let embedded = try EmbeddedHost.start(
                runtime: runtime, roleLock: role, log: log, onEnd: onEnd)
            if let socket = try connectIfServed() {
                return Result(socket: socket, embedded: embedded)
            }
            // It has given its role up already, to a daemon that asked for it.
        }
    }

    /// Connects to a daemon that is started for it; nil if that does not come to the role.
    private func connectOrStart(_ daemon: DaemonLauncher) throws -> SequencedSocket? {
        if let socket = try connectIfServed() { return socket }
        // The role must be free when the daemon comes to take it.
        do { _ = try RoleLock.acquire(RuntimeDirectory.Name.hostLock, in: runtime) }
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
