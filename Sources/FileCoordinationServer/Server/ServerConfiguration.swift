// SPDX-License-Identifier: Apache-2.0
//
// The settings that the program chooses for the server that it runs. The server finds everything
// else in its runtime directory and in its clients' ledgers.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
package import FileCoordinationWire

/// The settings of a server.
package struct ServerConfiguration: Sendable {
    /// Daemon or embedded; announced to clients.
    package var kind: ServerKind
    /// The time without any client after which the server leaves; nil means never.
    package var idleExit: Duration?
    /// The package policy, which the server sends to clients without interpreting it (Rule 1.11).
    package var packagePolicy: [UInt8]
    /// Whether the server watches for the removal of its socket and directory.
    ///
    /// Programs that start thousands of servers switch it off, because ending such a watch takes
    /// milliseconds.
    package var watchesDirectory = true
    /// Whether the server reports changes by programs that do not coordinate (Rule 7.14).
    ///
    /// Simulations switch it off, because their clock is not the kernel's.
    package var watchesItems = true
    /// Determines when paths are delegated.
    package var delegationPolicy = DelegationPolicy()
    /// Whether a debug build of the arbiter checks its invariants after each event.
    ///
    /// Our tests alone have that, and the programs that they start: it slows a server many times,
    /// and with it the programs that it serves.
    package var checksInvariants =
        CurrentProcess.environmentVariable("FILECOORDINATION_INVARIANTS") == "check"
    /// Observers of the server's accesses to ledger words.
    ///
    /// Simulations use them to let clients act in between.
    package var observers: LedgerMemory.Observers?
    /// Receives the server's view after each decision and before gathered messages are sent, for
    /// simulations.
    package var viewer: (@Sendable (ServerView) -> Void)?
    /// Returns whether the process of a ledger is stopped, for simulations.
    ///
    /// If nil, the kernel is asked.
    package var isStopped: (@Sendable (String) -> Bool)?
    /// The ledger of the client that starts the server, if it has no name (Rule 18.14).
    var starter: LostLedger?
    /// Receives log entries, on the server's thread.
    package var log: @Sendable (ServerLogEntry) -> Void

    /// Creates a configuration.
    package init(
        kind: ServerKind, idleExit: Duration? = nil,
        packagePolicy: [UInt8] = PackageConfiguration.load(),
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in }
    ) {
        self.kind = kind
        self.idleExit = idleExit
        self.packagePolicy = packagePolicy
        self.log = log
    }
}
