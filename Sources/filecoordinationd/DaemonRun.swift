// SPDX-License-Identifier: Apache-2.0
//
// One run of the daemon: come to the role, serve, leave.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Says lines on standard error, or in the log file when standard error is closed.
enum StandardError {
    static func say(_ line: String) {
        let text = "filecoordinationd[\(CurrentProcess.id)]: \(line)\n"
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}

struct DaemonRun {
    let idleExit: Double
    let isElected: Bool

    func serve() throws {
        CurrentProcess.raiseDescriptorLimit()
        let runtime = try RuntimeDirectory.open(environment: CurrentProcess.environment)
        if let warning = runtime.warning { StandardError.say(warning) }
        guard let role = try Self.takeRole(in: runtime, isElected: isElected) else {
            return StandardError.say("another daemon serves \(runtime.path) already")
        }
        var configuration = ServerConfiguration(kind: .daemon) { StandardError.say("\($0)") }
        if isElected {
            configuration.log = Self.fileLog(in: runtime)
            // Its starter decides for how long.
            configuration.givesWay = true
        }
        if idleExit > 0 { configuration.idleExit = UInt64(idleExit * 1_000_000_000) }
        let server = try role.makeServer(
            in: runtime, configuration, wakeUp: try Self.wakeUpOnTermination())
        if isElected { Self.tellStarter() }
        role.endElection()
        _ = server.run()
    }

    /// The server lock, and the election lock while it is ours to hold.
    private final class Role {
        private var lock: RoleLock?
        private var election: RoleLock?

        init(lock: RoleLock, election: RoleLock?) {
            self.lock = lock
            self.election = election
        }

        func endElection() { election = nil }

        /// Makes a server that alone has the lock, so that the role ends when the server says so.
        func makeServer(
            in runtime: RuntimeDirectory, _ configuration: ServerConfiguration, wakeUp: WakeUp
        ) throws -> Server {
            guard let lock = lock.take() else { preconditionFailure("A role is had once") }
            return try Server(
                runtime: runtime, roleLock: lock, configuration: configuration, wakeUp: wakeUp)
        }
    }

    /// Comes to the role; nil if another daemon has it.
    ///
    /// An embedded server is asked to hand over.
    private static func takeRole(
        in runtime: RuntimeDirectory, isElected: Bool
    ) throws -> Role? {
        if isElected {
            // A starter that lost patience serves the arbiter itself.
            return try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime).map {
                Role(lock: $0, election: nil)
            }
        }
        let election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime)
        if let lock = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime) {
            return Role(lock: lock, election: election)
        }
        guard try Handover.ask(in: runtime) else { return nil }
        let lock = try RoleLock.acquire(RuntimeDirectory.Name.serverLock, in: runtime)
        return Role(lock: lock, election: election)
    }

    private static func tellStarter() {
        // Descriptor 3 is the starter's socket; closed as soon as it has been told.
        _ = try? SequencedSocket(adopting: 3).send([1])
    }

    private static func wakeUpOnTermination() throws -> WakeUp {
        let wakeUp = try WakeUp()
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try DetachedThread.start(name: "signals") {
            var awaited = sigset_t()
            sigemptyset(&awaited)
            for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&awaited, signal) }
            var number: Int32 = 0
            sigwait(&awaited, &number)
            wakeUp.signal()
        }
        return wakeUp
    }

    /// A log in the runtime directory, for a daemon whose standard error is not read.
    private static func fileLog(in runtime: RuntimeDirectory) -> @Sendable (ServerLogEntry) -> Void
    {
        guard
            let file = try? runtime.directory.openFile(
                RuntimeDirectory.Name.log, [.write, .create, .append])
        else { return { _ in } }
        return { entry in
            guard let size = try? file.status().size, size < logLimit else { return }
            let line = Array("\(CurrentProcess.id) \(entry)\n".utf8)
            _ = line.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        }
    }

    /// The log is for looking at after something went wrong, not an archive.
    private static let logLimit: UInt64 = 1 << 20
}
