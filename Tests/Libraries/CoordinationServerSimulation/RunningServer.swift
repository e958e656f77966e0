// SPDX-License-Identifier: Apache-2.0
//
// A server of the world. In the middle of its turns clients act, and the world has questions about
// the server; but a server that works cannot be asked. It shows what it knows whenever that
// changes, and the questions are answered from what it showed last.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

/// One server, which takes its turns when the world says so.
final class RunningServer {
    private var server: Server
    private let shown: ShownView

    init(
        in runtime: RuntimeDirectory, _ role: RoleLock, _ configuration: ServerConfiguration,
        _ wakeUp: WakeUp
    ) throws {
        let shown = ShownView()
        var configuration = configuration
        configuration.viewer = { view in shown.take(view) }
        server = try Server.start(
            runtime: runtime, roleLock: role, configuration: configuration, wakeUp: wakeUp)
        self.shown = shown
    }

    /// Takes one turn without waiting; returns the reason if the server has left its role.
    func turn() -> ServerEnding? {
        shown.begin(with: server.view)
        defer { shown.end() }
        return server.turn(until: .distantPast)
    }

    /// What the server knows, also in the middle of a turn.
    var view: ServerView { shown.view ?? server.view }

    var hasHeard: Bool { server.hasHeard }
    var isDeserted: Bool { server.isDeserted }
    var company: String { server.company }
    var brokenInvariant: String? { server.brokenInvariant }

    /// The process of the server is killed.
    func abandon() { server.abandon() }
}

/// What a server has shown last in the turn that it takes.
///
/// All are on one thread.
private final class ShownView: @unchecked Sendable {
    private(set) var view: ServerView?

    func begin(with view: ServerView) { self.view = view }
    func end() { view = nil }
    func take(_ view: ServerView) { if self.view != nil { self.view = view } }
}
