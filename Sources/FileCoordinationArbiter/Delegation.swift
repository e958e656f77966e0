// SPDX-License-Identifier: Apache-2.0
//
// What a delegation is: the right of one client to grant claims at a place without asking the
// arbiter. The arbiter decides which place is delegated to which client, in which mode, and when it
// is recalled. The server carries that out in shared memory and reports what it found there.

/// A delegation's number.
public struct DelegationID: Hashable, Comparable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// A delegation's name.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The order of numbers.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Which claims a client grants itself at a delegated place.
public enum DelegationMode: UInt8, CaseIterable, Hashable, Sendable {
    /// Reads. Any number of clients may have one place delegated in this mode.
    case shared = 0
    /// Reads and writes. No other client has anything to do with the place.
    case exclusive = 1
}

/// What a client asks for with a claim: that the claim's item, or the directory which the item is
/// in, be delegated to it.
public struct DelegationRequest: Hashable, Sendable {
    /// What the client understands of delegations, apart from the plain exclusive one.
    public struct Abilities: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Abilities from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It knows shared delegations, and reports its writes where it is told to.
        public static let modes = Self(rawValue: 1)
        /// It waits for its turn in ticket queues.
        public static let queues = Self(rawValue: 2)
    }

    /// The slot of the client's ledger that is to say so.
    public var slot: Int
    /// Whether it asks for everything directly inside the item's directory.
    public var isForDirectory: Bool
    /// What the client understands.
    public var abilities: Abilities
    /// Whether the client lets no claim of its own run by a delegation of the item before this
    /// claim is over, and none did when it was filed.
    public var excludesLocalClaims = false

    /// A request for the item of a claim, or for the directory that the item is in.
    public init(slot: Int, forDirectory isForDirectory: Bool = false, _ abilities: Abilities = []) {
        self.slot = slot
        self.isForDirectory = isForDirectory
        self.abilities = abilities
    }
}

/// A client that may take its turn in a ticket queue.
public struct QueueMember: Hashable, Sendable {
    /// The client.
    public let client: ClientID
    /// The slot of its ledger that names the queue.
    public let slot: Int

    /// A member of a queue.
    public init(_ client: ClientID, slot: Int) {
        self.client = client
        self.slot = slot
    }
}

/// What clients may do at a place without the arbiter's knowledge.
public struct Delegation: Hashable, Sendable {
    /// By what right.
    public enum Holding: Hashable, Sendable {
        /// The place is the client's to claim. With `reportsWrites` the client reports the end of
        /// each write, because a presenter is to be told of changes.
        case place(ClientID, slot: Int, DelegationMode, reportsWrites: Bool)
        /// Everything directly inside the directory is the client's to claim, exclusively.
        case directory(ClientID, slot: Int)
        /// One claim runs, or has run, whose end no client reports.
        case claim(ClientID, ClaimID, isWriting: Bool)
        /// Several clients write the place in turn. While it is not open the arbiter's own claims
        /// there come first.
        case queue([QueueMember], isOpen: Bool)
    }

    /// Its number.
    public let id: DelegationID
    /// The item, or the directory.
    public let path: ItemPath
    /// By what right.
    public var holding: Holding

    /// A delegation.
    public init(_ id: DelegationID, at path: ItemPath, _ holding: Holding) {
        self.id = id
        self.path = path
        self.holding = holding
    }

    /// Its client; nil for a queue, which has several.
    public var client: ClientID? {
        switch holding {
        case .place(let client, _, _, _), .directory(let client, _), .claim(let client, _, _):
            client
        case .queue: nil
        }
    }

    /// The slot that says so; nil for a claim and for a queue.
    public var slot: Int? {
        switch holding {
        case .place(_, let slot, _, _), .directory(_, let slot): slot
        case .claim, .queue: nil
        }
    }

    /// Whether it is one claim whose end no client reports.
    public var isOneClaim: Bool {
        if case .claim = holding { true } else { false }
    }

    /// Whether only reads take place under it, so that it goes with other reads.
    public var isForReadingOnly: Bool {
        switch holding {
        case .place(_, _, let mode, _): mode == .shared
        case .claim(_, _, let isWriting): !isWriting
        case .directory, .queue: false
        }
    }

    /// Whether writes take place under it of whose end no server is told.
    public var hidesWrites: Bool {
        switch holding {
        case .place(_, _, let mode, let reportsWrites): mode == .exclusive && !reportsWrites
        case .claim(_, _, let isWriting): isWriting
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
