// SPDX-License-Identifier: Apache-2.0
//
// Every number that bounds something in the server, with the reason why it is this one. They are
// generous: a client that reaches one has a fault, and is told so; no other client is concerned.

/// Bounds of the server.
package enum ServerLimits {
    // MARK: How much there may be

    /// Claims of all clients together.
    ///
    /// Five times what a busy machine was built for (100,000), in about half a gigabyte. One
    /// client's claims and presenters are bounded by its ledger, which has 16,384 records.
    package static let claims = 500_000
    /// Presenters of all clients together; for the same reason.
    package static let presenters = 500_000
    /// Messages that wait for one client that does not read, be it stopped or deaf.
    ///
    /// Four for each presenter that it can have. What only says again that something has changed
    /// is not kept twice. Beyond that the client is let go: it looks at everything when it is back.
    package static let deliveriesPerClient = 65_536
    /// The same for all clients together; beyond that the one with the most is let go.
    package static let deliveries = 1_000_000
    /// So many messages for a client that reads are sent at once, and not at the end of the turn.
    package static let deliveriesPerTurn = 1024
    /// What may wait to be sent to one client that does not read, as bytes.
    package static let backlogBytes = 16 << 20
    /// The same for all connections together; beyond that the one with the most is let go.
    package static let backlogBytesInAll = 256 << 20
    /// Connections of one process.
    ///
    /// It needs one, and one for each question about the status.
    package static let connectionsPerProcess = 256
    /// Connections of all processes in containers that are not seen from the server's, together.
    package static let connectionsOfUnseenProcesses = 4096
    /// The waiting connections that the kernel keeps for the listener.
    package static let listenBacklog: Int32 = 1024
    /// Descriptors for one client: its connection, its ledger, its process.
    package static let descriptorsPerClient = 3
    /// Descriptors that a server in a process of its own leaves for itself.
    package static let spareDescriptors = 32
    /// A presenter can be asked about this many items at once, however long their paths are.
    package static let surelyUtterable = 1000
    /// The most parties that a status report lists for one claim.
    package static let reportedParties = 8
    /// So many claims of a line are looked at to find them.
    package static let partiesLookedAt = 256
    /// For how long in each turn reports are made, in nanoseconds: a claim takes no longer.
    package static let statusSlice: UInt64 = 50_000
    /// The messages that are taken from one connection before the others have their turn.
    ///
    /// An access is three; a client that sends many gets as much of the time as eight others.
    package static let messagesPerTurn = 8

    /// The messages that are taken from one connection after the server has not listened.
    ///
    /// More than those of all threads of a process that wait, as a rule; the rest of a client
    /// that has said more is read as all clients' messages are, some in each turn.
    package static let messagesPerCatchUp = 64

    // MARK: How long it may take

    /// How much older than a change its stamp may be, in nanoseconds.
    package static let stampTick: Int64 = 20_000_000

    /// How long no connection is accepted after one could not be, in nanoseconds.
    package static let acceptPause: UInt64 = 50_000_000
    /// How long after its removal the socket is made anew, in nanoseconds.
    package static let restorePause: UInt64 = 50_000_000
    /// How old an unlocked, unfinished ledger is when it is removed, in nanoseconds.
    package static let abandonedAge: Int64 = 60_000_000_000
    /// How often the names are looked at when the kernel cannot tell of their removal.
    package static let unwatchedPause: UInt64 = 1_000_000_000
    /// How soon a server that has lost its directory tries again where another gives way.
    package static let busyPause: UInt64 = 3_000_000
    /// How soon a place that seems to come is looked at again, in nanoseconds; then after twice
    /// that, and so on.
    package static let placesPause: UInt64 = 10_000_000
    /// After a pause of this length no further file system is expected to be mounted there.
    package static let longestPlacesPause: UInt64 = 8_000_000_000
}
