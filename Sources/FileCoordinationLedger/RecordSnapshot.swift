// SPDX-License-Identifier: Apache-2.0
//
// How clients and server speak about records: a name for one claim's use of a record, and what the
// server reads of it.

/// One use of one record.
///
/// The generation tells it from the record's earlier and later uses.
public struct RecordReference: Hashable, Sendable, CustomStringConvertible {
    /// Which record of the ledger.
    public var index: UInt32
    /// Which of its uses.
    public var generation: UInt32

    /// Names a use of a record.
    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A short form for timelines and failures.
    public var description: String { "record \(index).\(generation)" }
}

/// What a record is about.
public enum RecordKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A claim of access.
    ///
    /// Granted: the accessor may run.
    case claim = 1
    /// A presenter.
    ///
    /// Granted: it is registered.
    case presenter = 2
}

/// How a claim ended for its client.
public enum ReleaseResult: Hashable, Sendable {
    /// The server must be told to look at the record.
    case released
    /// It was decided locally and no report is asked for: there is nothing more to do.
    case freed
    /// It was not granted.
    case notGranted
}

/// What came of granting.
public enum GrantResult: Hashable, Sendable {
    /// The accessor may run, and the thread that waits for it was woken.
    case granted
    /// The accessor may run, and the client wants a message that says so.
    case grantedWantsMessage
    /// The claim was cancelled or ended meanwhile, or the server is deposed.
    case refused
}

/// What the server reads of a record besides its body.
///
/// Nothing in it is trustworthy but its shape.
public struct RecordSnapshot: Hashable, Sendable {
    /// Which use of which record.
    public var reference: RecordReference
    /// Never `free` and never `draft`.
    public var state: RecordState
    /// The flags.
    public var flags: RecordFlags
    /// The epoch in which the word was written or raised: only its own concerns a server.
    public var epoch: ServerEpoch
    /// What it is about.
    public var kind: RecordKind
    /// Whether the client waits for a message, and not on the word.
    public var wantsMessage: Bool
    /// The slot in which the client would like what its claim is about delegated.
    public var requestedSlot: RequestedSlot?
    /// The place in the queue; 0 if no server has given it one.
    public var serial: UInt64
    /// When it was filed, in nanoseconds of the monotonic clock, as the client says.
    public var filedAt: UInt64
    /// When it was granted; 0 if it was not, or not by a server.
    public var grantedAt: UInt64
    /// The client's number for the thread or task that filed it.
    public var thread: UInt32
    /// Whether the presenter has relinquished to a reader.
    public var hasRelinquishedToReader: Bool
    /// Whether the presenter has relinquished to a writer.
    public var hasRelinquishedToWriter: Bool
}
