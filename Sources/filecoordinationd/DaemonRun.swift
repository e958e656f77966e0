// SPDX-License-Identifier: Apache-2.0
//
// One run of the daemon: it obtains the server lock, serves, and ends.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Writes lines to standard error, or to the log file if standard error is closed.
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
            // The program that started the daemon decides how long the daemon serves.
            configuration.givesWay = true
        }
        if idleExit > 0 { configuration.idleExit = UInt64(idleExit * 1_000_000_000) }
        let server = try role.makeServer(
            in: runtime, configuration, wakeUp: try Self.wakeUpOnTermination())
        if isElected { Self.tellStarter() }
        role.endElection()
        _ = server.run()
    }

    /// Holds the server lock, and the election lock while the daemon must hold it.
    private final class Role {
        private var lock: RoleLock?
        private var election: RoleLock?

        init(lock: RoleLock, election: RoleLock?) {
            self.lock = lock
            self.election = election
        }

        func endElection() { election = nil }

        /// Makes a server that is the only owner of the lock, so that the server can release it by
        /// itself.
        func makeServer(
            in runtime: RuntimeDirectory, _ configuration: ServerConfiguration, wakeUp: WakeUp
        ) throws -> Server {
            guard let lock = lock.take() else { preconditionFailure("A role is had once") }
            return try Server(
                runtime: runtime, roleLock: lock, configuration: configuration, wakeUp: wakeUp)
        }
    }

    /// Obtains the server lock.
    ///
    /// Returns nil if another daemon has it.
    ///
    /// If an embedded server has the lock, it is asked to hand over.
    private static func takeRole(
        in runtime: RuntimeDirectory, isElected: Bool
    ) throws -> Role? {
        if isElected {
            // If the program that started the daemon stopped waiting, it serves the arbiter itself
            // and has the lock.
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
        // Descriptor 3 is a socket of the program that started the daemon. It is closed after the
        // message.
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

    /// Makes a log file in the runtime directory, for a daemon whose standard error is closed.
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

    /// The greatest length of the log file, which is meant for looking into problems, not as an
    /// archive.
    private static let logLimit: UInt64 = 1 << 20
}
