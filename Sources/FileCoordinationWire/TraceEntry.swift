// SPDX-License-Identifier: Apache-2.0
//
// The entries of a recording, for `filecoord record`: the arbiter's input and its decisions, in
// order. The server describes a client once, before the first entry that names it. A client with a
// delegation grants accesses itself, so an entry describes such an access only if the server learns
// of it later.

public import FileCoordinationArbiter

/// A claim of a recording.
public struct TracedClaim: Hashable, Sendable {
    /// The serial number.
    public var claim: UInt64
    /// The number of the client, which an earlier ``TraceEvent/client(_:processID:name:label:)``
    /// of the same recording describes.
    public var client: UInt32
    /// What the claim is for.
    public var kind: ClaimKind
    /// Its own label; empty if it has none (Rule 18.15).
    public var label: String
    /// The items and the access to each.
    public var items: [AccessItem]
    /// The claims inside whose accessors it was made; of longer lists only the front is sent.
    public var outerClaims: [UInt64]

    /// Creates a claim.
    public init(
        claim: UInt64, client: UInt32, kind: ClaimKind = .access, label: String = "",
        items: [AccessItem], outerClaims: [UInt64] = []
    ) {
        self.claim = claim
        self.client = client
        self.kind = kind
        self.label = label
        self.items = items
        self.outerClaims = outerClaims
    }
}

/// How a path is delegated.
public enum TracedDelegation: UInt8, CaseIterable, Hashable, Sendable {
    /// Several clients read it.
    case shared = 0
    /// One client reads and writes it.
    case exclusive = 1
    /// One client reads and writes all that is directly inside the directory.
    case directory = 2
    /// Several clients write it in the order of their tickets.
    case queue = 3
}

/// The kind of a message to a presenter that expects no answer.
public enum TracedNotice: UInt8, CaseIterable, Hashable, Sendable {
    /// `presentedItemDidChange()`.
    case itemDidChange = 0
    /// `presentedSubitemDidAppear(at:)`.
    case subitemDidAppear = 1
    /// `presentedSubitemDidChange(at:)`.
    case subitemDidChange = 2
    /// `presentedSubitem(at:didMoveTo:)`.
    case subitemDidMove = 3
    /// A version of the item was added, removed or resolved.
    case itemVersion = 4
    /// A version of an item inside was added, removed or resolved.
    case subitemVersion = 5
    /// `presentedItemDidChangeUbiquityAttributes(_:)`.
    case ubiquityAttributes = 6
    /// `presentedItemDidMove(to:)`.
    case itemDidMove = 7
    /// The presenter has its item back after a reader.
    case reacquireFromReader = 8
    /// The presenter has its item back after a writer.
    case reacquireFromWriter = 9
}

/// An event of the server that a recording contains.
public enum TraceEvent: Hashable, Sendable {
    /// The recording of this server begins; the time is the server's.
    case began
    /// Describes a client for the entries that follow.
    case client(UInt32, processID: Int32, name: String, label: String)
    /// A client asked for access.
    case filed(TracedClaim)
    /// The server learned of a running claim that its client granted itself, and of its age.
    case found(TracedClaim, age: Duration)
    /// The first of the claims and presenters that a claim waits for, and the number of all that
    /// the server has found.
    case waits(UInt64, claims: [UInt64], presenters: [UInt64], count: UInt32)
    /// A claim was granted; if the grant is unreported, the server is not told of its end.
    case granted(UInt64, isUnreported: Bool)
    /// A presenter was asked to yield to a claim.
    case asked(presenter: UInt64, claim: UInt64, message: String)
    /// A presenter has answered.
    case answered(presenter: UInt64, claim: UInt64, isRefusal: Bool)
    /// The questions for a claim were withdrawn; the claim waits in the queue again (Rule 18.6).
    case questionsRecalled(UInt64)
    /// An accessor has returned.
    case ended(UInt64, outcomes: [ItemOutcome])
    /// The server has found that an unreported claim is over.
    case endFound(UInt64)
    /// A client gave up a claim.
    case cancelled(UInt64)
    /// A claim failed, because a presenter refused.
    case refused(UInt64)
    /// A claim failed, because these claims wait for each other in a cycle.
    case inCycle(UInt64, [UInt64])
    /// A grant was taken back from a stopped process (Rule 18.6).
    case grantWithdrawn(UInt64)
    /// The items of a waiting claim are now at these paths.
    case claimMoved(UInt64, [ItemPath])
    /// A running accessor announced moves, each from the first path to the second.
    case announced(UInt64, [ItemPath])
    /// A presenter was registered.
    case presenterAdded(UInt64, client: UInt32, path: ItemPath?, label: String)
    /// A presenter's item is now at this path.
    case presenterMoved(UInt64, ItemPath?)
    /// A presenter was removed.
    case presenterRemoved(UInt64)
    /// A notice was sent to a presenter, because of a claim or of a change by a plain program.
    case notified(presenter: UInt64, TracedNotice, claim: UInt64?, isPlain: Bool)
    /// A path was delegated; clients may now use it without the server.
    case delegated(UInt64, TracedDelegation, ItemPath, clients: [UInt32])
    /// A delegation is to end.
    case recalled(UInt64)
    /// A delegation has ended; if it was a ticket queue, `turns` is the number of writes in it,
    /// which the recording does not contain.
    case delegationEnded(UInt64, turns: UInt32)
    /// A client's process is stopped, or runs again.
    case stopped(UInt32, Bool)
    /// A client's process has ended, and with it its claims and presenters.
    case died(UInt32)
    /// The number of entries that are missing here, because the recording program read too slowly.
    case dropped(UInt64)
    /// The recording is over, because the recording program has ended it.
    case over
}

/// An entry of a recording.
public struct TraceEntry: Hashable, Sendable {
    /// The server's monotonic time.
    public var time: Instant
    /// The event that the entry records.
    public var event: TraceEvent

    /// Creates an entry.
    public init(time: Instant, _ event: TraceEvent) {
        self.time = time
        self.event = event
    }

    /// Decodes the entries of a ``ServerMessage/trace(_:)``.
    ///
    /// - Throws: a ``WireError`` if these bytes are no whole entries.
    public static func entries(decoding bytes: [UInt8]) throws(WireError) -> [TraceEntry] {
        var decoder = try MessageDecoder(bytes, .part, limit: WireLimits.traceBytes)
        var entries: [TraceEntry] = []
        while !decoder.isAtEnd { entries.append(try decoder.value(TraceEntry.self)) }
        return entries
    }
}

/// Collects entries until they are sent.
public struct TraceEncoder: Sendable {
    private var encoder = MessageEncoder(capacity: WireLimits.traceBytes)

    /// Creates an encoder.
    public init() {}

    /// The bytes of the entries so far.
    public var count: Int { encoder.bytes.count }

    /// Adds an entry, unless it is too long for a message.
    ///
    /// - Returns: false, with nothing added, if the entry does not fit beside the others.
    public mutating func add(_ entry: TraceEntry) -> Bool {
        let start = encoder.bytes.count
        encoder.value(entry)
        guard encoder.fault == nil, encoder.bytes.count <= WireLimits.traceBytes else {
            encoder.truncate(to: start)
            return false
        }
        return true
    }

    /// Returns the bytes of the entries, and begins anew.
    public mutating func take() -> [UInt8] {
        defer { encoder = MessageEncoder(capacity: count) }
        return encoder.bytes
    }
}
