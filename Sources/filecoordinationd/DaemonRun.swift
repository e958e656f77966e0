// SPDX-License-Identifier: Apache-2.0
//
// One run of the daemon: it obtains the server lock, serves, and ends.

import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

struct DaemonRun {
    let idleExit: Double
    /// Whether a program has started the daemon, holds the election lock, and waits on descriptor
    /// 3.
    let isElected: Bool
    /// The level that the arguments ask for.
    let logLevel: LogLevel?

    func serve() throws {
        let environment = CurrentProcess.environment
        // A program's socket is no service manager's, whatever the environment says.
        let activation = isElected ? nil : try Activation()
        do {
            try serve(activation, environment)
        } catch {
            activation?.decline()
            throw error
        }
    }

    private func serve(_ activation: Activation?, _ environment: [String: String]) throws {
        CurrentProcess.raiseDescriptorLimit()
        let runtime = try RuntimeDirectory.open(environment: environment)
        let log = log(in: runtime, environment)
        log(
            Self.started(
                in: runtime, isElected ? "program" : activation == nil ? "hand" : "manager"))
        guard let role = try takeRole(in: runtime, activation, log) else {
            activation?.decline()
            let text = "another daemon serves \(runtime.path) already"
            return log(LogLine(.warning, "superfluous", [.init("place", runtime.path)], text))
        }
        var configuration = ServerConfiguration(kind: .daemon) { log($0) }
        if idleExit > 0 { configuration.idleExit = .seconds(idleExit) }
        var server = try role.makeServer(
            in: runtime, configuration, wakeUp: try Self.wakeUpOnTermination())
        if isElected { Self.tellStarter() }
        try activation?.announce()
        role.endElection()
        _ = server.run()
    }

    /// The log: on standard error or, for a daemon whose standard error is closed, in a file.
    private func log(in runtime: RuntimeDirectory, _ environment: [String: String]) -> DaemonLog {
        let level = logLevel ?? LogLevel.wanted(by: environment)
        guard !isElected else { return .file(in: runtime, level ?? .debug) }
        return .standardError(level ?? .warning, environment: environment)
    }

    private static func started(in runtime: RuntimeDirectory, _ starter: String) -> LogLine {
        let fields = [
            LogLine.Field("version", SoftwareVersion.number), .init("by", starter),
            .init("place", runtime.path),
        ]
        return LogLine(
            .information, "start", fields, "version \(SoftwareVersion.number) in \(runtime.path)")
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
            return try Server.start(
                runtime: runtime, roleLock: lock, configuration: configuration, wakeUp: wakeUp)
        }
    }

    /// Obtains the server lock.
    ///
    /// Returns nil if another daemon has it.
    ///
    /// If an embedded server has the lock, it is asked to hand over.
    private func takeRole(
        in runtime: RuntimeDirectory, _ activation: Activation?, _ log: DaemonLog
    ) throws -> Role? {
        var election: RoleLock?
        if !isElected {
            // The program for which the service manager started this daemon holds the election lock
            // until the daemon serves. Waiting for the lock would block both until the program's
            // time limit.
            election = try RoleLock.acquire(RuntimeDirectory.Name.electionLock, in: runtime) {
                activation?.isAwaited == true
            }
        }
        if let lock = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime) {
            return Role(lock: lock, election: election)
        }
        // If the program that waited for this daemon stopped waiting, it serves the arbiter itself
        // and has the lock.
        guard election != nil, try Handover.ask(in: runtime, log: { log($0) }) else { return nil }
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
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        try DetachedThread.start(name: "signals") {
            var awaited = sigset_t()
            unsafe sigemptyset(&awaited)
            for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&awaited, signal) }
            var number: Int32 = 0
            unsafe sigwait(&awaited, &number)
            wakeUp.signal()
        }
        return wakeUp
    }
}
