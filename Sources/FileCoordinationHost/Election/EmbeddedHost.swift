// SPDX-License-Identifier: Apache-2.0
//
// The arbiter on a thread of whichever program came first. The program itself is a client like
// any other: it talks to its own host through the socket, so there is one way, not two.

import FileCoordinationSystem
import FileCoordinationWire

/// A host that runs on a thread of this process.
package final class EmbeddedHost: Sendable {
    private let wakeUp: WakeUp

    private init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// Hosts the arbiter; returns once it listens.
    ///
    /// - Parameters:
    ///   - givesWay: see ``ServerConfiguration``.
    ///   - onEnd: called on the host's thread when the role was given up.
    package static func start(
        runtime: RuntimeDirectory, roleLock: RoleLock, givesWay: Bool,
        log: @escaping @Sendable (ServerLogEntry) -> Void,
        onEnd: @escaping @Sendable (ServerEnding) -> Void
    ) throws -> EmbeddedHost {
        let wakeUp = try WakeUp()
        let outcome = Monitor<Result<Void, any Error>?>(nil)
        let role = Monitor<RoleLock?>(roleLock)
        try DetachedThread.start(name: "file-arbiter") {
            do {
                let host = try makeHost(runtime, role, givesWay, log, wakeUp)
                guard let host else { return }
                ProcessEnd.end(wakeUp)
                outcome.withLock { $0 = .success(()) }
                outcome.notifyAll()
                let ending = host.run()
                ProcessEnd.forget(wakeUp)
                onEnd(ending)
            } catch {
                outcome.withLock { $0 = .failure(error) }
                outcome.notifyAll()
            }
        }
        _ = outcome.wait { $0 != nil }
        switch outcome.withLock({ $0 }) {
        case .failure(let error): throw error
        case .success, nil: return EmbeddedHost(wakeUp: wakeUp)
        }
    }

    /// Makes a host that alone has the role's lock, so that the role ends when the host says so.
    private static func makeHost(
        _ runtime: RuntimeDirectory, _ role: Monitor<RoleLock?>, _ givesWay: Bool,
        _ log: @escaping @Sendable (ServerLogEntry) -> Void, _ wakeUp: WakeUp
    ) throws -> Server? {
        guard let lock = role.withLock({ $0.take() }) else { return nil }
        var configuration = ServerConfiguration(kind: .embedded, log: log)
        configuration.givesWay = givesWay
        return try Server(
            runtime: runtime, roleLock: lock, configuration: configuration, wakeUp: wakeUp)
    }

    /// Asks the host to give up its role.
    package func stop() { wakeUp.signal() }
}
