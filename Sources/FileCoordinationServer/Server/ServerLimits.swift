// SPDX-License-Identifier: Apache-2.0
//
// All limits of the server, with the reason for each value. They are generous: only a faulty client
// reaches one. It is told so, and other clients are not affected.

/// Bounds of the server.
package enum ServerLimits {
    // MARK: Amounts

    /// Claims of all clients together.
    ///
    /// Five times the load of a busy machine that the server is designed for (100,000); they take
    /// about half a gigabyte. The ledger of a single client has 16,384 records for its claims and
    /// presenters.
    package static let claims = 500_000
    /// Presenters of all clients together, for the same reason.
    package static let presenters = 500_000
    /// Queued messages for the presenters of one client that does not read them.
    ///
    /// Four for each presenter that it can have; repeated change notices are not queued twice. At
    /// the limit, the client is disconnected. It has its presenters look at everything when it
    /// reconnects.
    package static let deliveriesPerClient = 65_536
    /// Queued messages for all clients together: two for each presenter.
    ///
    /// At the limit, the client with the most is disconnected.
    package static let deliveries = 2 * presenters
    /// At this number of queued messages, the server sends them to a reading client without waiting
    /// for the end of the turn.
    package static let deliveriesPerTurn = 1024
    /// Bytes that may wait in the send backlog of one connection.
    package static let backlogBytes = 16 << 20
    /// Bytes in the send backlogs of all connections together.
    ///
    /// At the limit, the connection with the most is closed.
    package static let backlogBytesInAll = 256 << 20
    /// Connections of one process.
    ///
    /// A process needs one, and one more for each concurrent status request.
    package static let connectionsPerProcess = 256
    /// Connections of all processes that the server cannot identify, because they run in
    /// containers, together.
    package static let connectionsOfUnseenProcesses = 4096
    /// The length of the kernel's queue of connections that are not accepted yet.
    package static let listenBacklog: Int32 = 1024
    /// Descriptors for each client: its connection, its ledger and its process handle.
    package static let descriptorsPerClient = 3
    /// Descriptors that a daemon reserves for itself.
    package static let spareDescriptors = 32
    /// The number of items that fit into one question to a presenter, however long their paths are.
    package static let surelyUtterable = 1000
    /// The most parties that a status report lists for one claim.
    package static let reportedParties = 8
    /// The most claims of a queue that the server examines to find these parties.
    package static let partiesLookedAt = 256
    /// Bytes of all status reports that are being made or read; beyond, no further one is begun.
    package static let statusReportBytesInAll = 256 << 20
    /// Programs that record at the same time.
    package static let recordings = 4
    /// Bytes of a recording that may wait until its program reads them; entries beyond are counted
    /// and dropped.
    ///
    /// About 80,000 entries: what a busy server does in two seconds.
    package static let recordingBytes = 4 << 20
    /// Bytes of a recording that are sent together.
    package static let recordingSlice = 32 << 10
    /// How long an entry of a recording may wait for others.
    package static let recordingDelay: Duration = .milliseconds(100)
    /// The most parties that a recording lists for one claim.
    package static let recordedParties = 16
    /// The most waiting claims whose parties are recorded anew after an event that may change them.
    package static let claimsRecordedAnew = 64
    /// The time in each turn for making reports.
    ///
    /// Making the entry of one claim takes no longer.
    package static let statusSlice: Duration = .microseconds(50)
    /// Messages that the server reads from one connection before the others have their turn.
    ///
    /// An access takes two. A client that sends many messages gets as much time as eight others
    /// that send one each.
    package static let messagesPerTurn = 8

    /// Messages that the server reads from one connection when it catches up after a pause.
    ///
    /// Usually more than all waiting threads of a process have sent. Further messages are read in
    /// ordinary turns, together with those of other clients.
    package static let messagesPerCatchUp = 64

    // MARK: Times

    /// How long the server accepts no connection after a failed attempt.
    package static let acceptPause: Duration = .milliseconds(50)
    /// The time from the removal of the socket to its restoration.
    ///
    /// It is shorter than the next server waits (``OrphanRecovery/patience``).
    package static let restorePause: Duration = .milliseconds(10)
    /// The age at which an unlocked, unfinished ledger is removed.
    package static let abandonedAge: Duration = .seconds(60)
    /// How often the server checks its names if the kernel cannot report their removal.
    ///
    /// It leaves time for its clients to come before the next server's wait is over.
    package static let unwatchedPause: Duration = .milliseconds(20)
}
