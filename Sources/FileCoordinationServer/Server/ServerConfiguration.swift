// SPDX-License-Identifier: Apache-2.0
//
// What the program that runs a server chooses: everything else a server finds in its runtime
// directory, or in the ledgers of its clients.

package import FileCoordinationArbiter
package import FileCoordinationLedger
package import FileCoordinationWire

/// How a server is to behave.
package struct ServerConfiguration: Sendable {
    /// Daemon or embedded; announced to clients.
    package var kind: ServerKind
    /// After how long without any client it leaves, in nanoseconds; nil: never.
    package var idleExit: UInt64?
    /// The newest version of the protocol that it speaks.
    package var protocolVersion: UInt16
    /// What counts as a package, announced to clients; opaque here (Rule 1.11).
    package var packagePolicy: [UInt8]
    /// Whether the kernel is to tell when a process removes the names under which it is found.
    ///
    /// False only for programs that make thousands of servers: to end such a watch takes
    /// milliseconds.
    package var watchesDirectory = true
    /// Whether changes by programs that do not coordinate are told (Rule 7.14).
    ///
    /// False only where time is not the kernel's.
    package var watchesItems = true
    /// When places are delegated.
    package var delegationPolicy = DelegationPolicy()
    /// Observes what the server does to the words of ledgers; simulations let clients act there.
    package var observers: LedgerMemory.Observers?
    /// Whether the process of a ledger is stopped, for simulations; nil: the kernel says.
    package var isStopped: (@Sendable (String) -> Bool)?
    /// Whether to give way to a server that is about to make its directory anew.
    package var givesWay = false
    /// Receives log entries, on the server's thread.
    package var log: @Sendable (ServerLogEntry) -> Void

    /// A configuration.
    package init(
        kind: ServerKind, idleExit: UInt64? = nil,
        protocolVersion: UInt16 = ProtocolVersion.spoken,
        packagePolicy: [UInt8] = PackageConfiguration.load(),
        log: @escaping @Sendable (ServerLogEntry) -> Void = { _ in }
    ) {
        self.kind = kind
        self.idleExit = idleExit
        self.protocolVersion = protocolVersion
        self.packagePolicy = packagePolicy
        self.log = log
    }
}
