// SPDX-License-Identifier: Apache-2.0
//
// Runs the server on a thread of the program that needed it first. The program itself is a client
// like any other and talks to its own server through the socket, so there is only one code path.

import FileCoordinationSystem
import FileCoordinationWire

/// A server on a thread of this process.
package final class EmbeddedServer: Sendable {
    private let wakeUp: WakeUp

    private init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// Starts a server on a new thread, and returns when it listens.
    ///
    /// - Parameters:
    ///   - runtime: the runtime directory.
    ///   - roleLock: the lock by which this process is the server.
    ///   - starter: the ledger of this process, if it has no name.
    ///   - log: called with what the server reports.
    ///   - onEnd: called on the server's thread after it has given up the role.
    /// - Returns: the running server.
    /// - Throws: what prevented the start, such as an error of a system call. The role is given up
    ///   then.
    static func start(
        runtime: RuntimeDirectory, roleLock: RoleLock, starter: LostLedger?,
        log: @escaping @Sendable (ServerLogEntry) -> Void,
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> EmbeddedServer {
        let wakeUp = try WakeUp()
        let outcome = Monitor<Result<Void, any Error>?>(nil)
        let role = Monitor<RoleLock?>(roleLock)
        var configuration = ServerConfiguration(kind: .embedded, log: log)
        configuration.starter = starter
        try DetachedThread.start(name: "file-server") { [configuration] in
            do {
                var server = try makeServer(runtime, role, configuration, wakeUp)
                ProcessEnd.end(wakeUp)
                outcome.withLock { $0 = .success(()) }
                outcome.notifyAll()
                let ending = server.run()
                ProcessEnd.forget(wakeUp)
                onEnd(ending)
                // Its release closes inotify instances, for which an exit must not wait.
                withExtendedLifetime(server) {}
            } catch {
                outcome.withLock { $0 = .failure(error) }
                outcome.notifyAll()
            }
        }
        _ = outcome.wait { $0 != nil }
        try outcome.withLock { $0 }?.get()
        return EmbeddedServer(wakeUp: wakeUp)
    }

    /// Creates a server and gives it the only reference to the role lock, so that the role ends
    /// when the server releases it.
    private static func makeServer(
        _ runtime: RuntimeDirectory, _ role: Monitor<RoleLock?>,
        _ configuration: ServerConfiguration, _ wakeUp: WakeUp
    ) throws -> Server {
        guard let lock = role.withLock({ $0.take() }) else {
            throw SystemError(code: ErrorNumber.alreadyExists, operation: "start a server twice")
        }
        return try Server.start(
            runtime: runtime, roleLock: lock, configuration: configuration, wakeUp: wakeUp)
    }

    /// Asks the server to give up its role.
    package func stop() { wakeUp.signal() }
}
