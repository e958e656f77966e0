// SPDX-License-Identifier: Apache-2.0
//
// A delegation is the right of one client to grant claims at a path without asking the server. The
// arbiter decides what is delegated to which client, in which mode, and when it is recalled. The
// server writes this into shared memory and reports what it found there.

/// The number of a delegation.
public struct DelegationID: Hashable, Comparable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Creates a delegation number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The order of numbers.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The claims that a client may grant itself under a delegation.
public enum DelegationMode: UInt8, CaseIterable, Hashable, Sendable {
    /// Reads.
    ///
    /// Several clients may have one path delegated in this mode.
    case shared = 0
    /// Reads and writes.
    ///
    /// No other client uses the path.
    case exclusive = 1
}

/// A client's request, attached to a claim, that the claim's item or the directory around it be
/// delegated to the client.
public struct DelegationRequest: Hashable, Sendable {
    /// The slot of the client's ledger for the delegation.
    public var slot: Int
    /// Whether the request is for everything directly inside the item's directory.
    public var isForDirectory: Bool
    /// Whether the client lets no claim of its own run by a delegation of the item before this
    /// claim is over, and none did when it was filed.
    public var excludesLocalClaims = false

    /// Creates a request for the item of a claim or for the directory around it.
    public init(slot: Int, forDirectory isForDirectory: Bool = false) {
        self.slot = slot
        self.isForDirectory = isForDirectory
    }
}

/// A client that may take part in a ticket queue.
public struct QueueMember: Hashable, Sendable {
    /// The client.
    public let client: ClientID
    /// The slot of its ledger for the queue.
    public let slot: Int

    /// Creates a member of a queue.
    public init(_ client: ClientID, slot: Int) {
        self.client = client
        self.slot = slot
    }
}

/// What clients may do at a path without asking the arbiter.
public struct Delegation: Hashable, Sendable {
    /// The kind of a delegation.
    public enum Holding: Hashable, Sendable {
        /// The client may claim the item.
        ///
        /// With `reportsWrites` it reports the end of each write, because a presenter is told of
        /// changes.
        case place(ClientID, slot: Int, DelegationMode, reportsWrites: Bool)
        /// The client may claim everything directly inside the directory, exclusively.
        case directory(ClientID, slot: Int)
        /// One claim is running or over; its client does not report the end.
        case claim(ClientID, isWriting: Bool)
        /// Several clients write the item in turn.
        ///
        /// Until the queue is open, the arbiter's own claims there come first.
        case queue([QueueMember], isOpen: Bool)
    }

    /// The identifier of the delegation.
    public let id: DelegationID
    /// The item or the directory.
    public let path: ItemPath
    /// The kind of the delegation.
    public var holding: Holding

    /// Creates a delegation.
    public init(_ id: DelegationID, at path: ItemPath, _ holding: Holding) {
        self.id = id
        self.path = path
        self.holding = holding
    }

    /// The client; nil for a queue, which has several.
    public var client: ClientID? {
        switch holding {
        case .place(let client, _, _, _), .directory(let client, _), .claim(let client, _):
            client
        case .queue: nil
        }
    }

    /// The ledger slot of the delegation; nil for a claim and for a queue.
    public var slot: Int? {
        switch holding {
        case .place(_, let slot, _, _), .directory(_, let slot): slot
        case .claim, .queue: nil
        }
    }

    /// Whether this is a claim whose end the client does not report.
    public var isOneClaim: Bool {
        if case .claim = holding { true } else { false }
    }

    /// Whether it permits only reads, and so does not conflict with other reads.
    public var isForReadingOnly: Bool {
        switch holding {
        case .place(_, _, let mode, _): mode == .shared
        case .claim(_, let isWriting): !isWriting
        case .directory, .queue: false
        }
    }

    /// Whether it permits writes whose ends are not reported to the server.
    public var hidesWrites: Bool {
        switch holding {
        case .place(_, _, let mode, let reportsWrites): mode == .exclusive && !reportsWrites
        case .claim(_, let isWriting): isWriting
        case .directory, .queue: true
        }
    }

    func has(_ client: ClientID) -> Bool {
        switch holding {
        case .place, .directory, .claim: self.client == client
        case .queue(let members, _): members.contains { $0.client == client }
        }
    }
}
