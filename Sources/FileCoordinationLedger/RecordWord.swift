// SPDX-License-Identifier: Apache-2.0
//
// The 64-bit word of a record, which decides what happens to it. The format must not change,
// because programs with different versions of this package share ledgers.
//
//      63            32 31          8 7     4 3     0
//      ┌───────────────┬─────────────┬───────┬───────┐
//      │  generation   │    epoch    │ flags │ state │
//      └───────────────┴─────────────┴───────┴───────┘
//
// State, flags and epoch share the low half, on which a futex can wait.

/// The state of a record.
///
///     free ─► draft ─► filed ◄─► granted ─► released ─► free
///               │        └─┐       └─ provisional ─► cancelled
///               │          └─► cancelled ───────────► free
///               ├─► cancelled
///               └─► granted (unreported) ─► free
///
/// An uncontended claim is granted unreported, by its client or by the server. A claim that waits
/// in a ticket queue is `filed`, and its client grants it when its ticket is served; a server that
/// wants to decide clears the flag first. A claim that had to wait is granted provisionally. Its
/// client takes the grant up by clearing the flag. Until then the server can withdraw the grant
/// (`granted` to `filed`), and the client can cancel the claim. The article about the ledger
/// protocol lists every transition.
public enum RecordState: UInt8, Hashable, Sendable, CaseIterable {
    /// Unused.
    ///
    /// The client may fill it.
    case free = 0
    /// Complete, and waiting for the server.
    ///
    /// A presenter waits to be registered.
    case filed = 1
    /// The accessor may run.
    ///
    /// A presenter is registered.
    case granted = 2
    /// Over.
    ///
    /// The outcome in the record is final.
    case released = 3
    /// Cancelled before it was granted.
    case cancelled = 4
    /// Complete and visible, but the client has not checked the ledger's epoch since.
    ///
    /// No server may act on it, but a new server raises it like other records.
    case draft = 5
}

/// The four flag bits of the word.
public struct RecordFlags: OptionSet, Hashable, Sendable {
    /// The bits; only the lower four are used.
    public let rawValue: UInt8

    /// Creates flags from their bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0xF }

    /// The claim was granted by its client under a delegation, or by the server without a report of
    /// its release.
    public static let unreported = RecordFlags(rawValue: 1)

    /// The server must be told about the release; in a draft, the claim must be filed.
    public static let reportsRelease = RecordFlags(rawValue: 2)

    /// The claim was granted after a wait, and the client has not taken the grant up: the server
    /// may withdraw it (Rule 18.6).
    public static let provisional = RecordFlags(rawValue: 4)

    /// The claim waits in a ticket queue: its client may grant it when its turn has come.
    public static let inTicketQueue = RecordFlags(rawValue: 8)
}

/// The word of a record, as read from shared memory.
///
/// Its state may be unknown to this version.
public struct RecordWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    public var rawValue: UInt64

    /// Wraps a loaded word.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a word from its parts.
    @inlinable
    public init(
        _ state: RecordState, _ flags: RecordFlags = [], _ epoch: ServerEpoch, generation: UInt32
    ) {
        rawValue =
            UInt64(generation) << 32 | UInt64(epoch.rawValue) << 8
            | UInt64(flags.rawValue) << 4 | UInt64(state.rawValue)
    }

    /// The state, or nil for a value that no known version writes.
    @inlinable
    public var state: RecordState? {
        RecordState(rawValue: UInt8(truncatingIfNeeded: rawValue & 0xF))
    }

    /// The flags.
    @inlinable
    public var flags: RecordFlags {
        RecordFlags(rawValue: UInt8(truncatingIfNeeded: rawValue >> 4))
    }

    /// The epoch in which the word was last written or raised.
    @inlinable
    public var epoch: ServerEpoch { ServerEpoch(truncating: rawValue >> 8) }

    /// The number of times that the record has been used, which distinguishes one claim in it from
    /// the next.
    @inlinable
    public var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

    /// The half on which a futex waits.
    @inlinable
    public var lowHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// Whether the word is a grant that the client has not taken up.
    @inlinable
    package var isProvisional: Bool { state == .granted && flags.contains(.provisional) }

    /// Whether the claim waits in a ticket queue.
    @inlinable
    package var isInTicketQueue: Bool { state == .filed && flags == .inTicketQueue }

    /// Whether the claim is waiting.
    @inlinable
    package var isPending: Bool { state == .filed || state == .draft || isProvisional }

    /// Returns the word of the same claim in another state.
    @inlinable
    package func with(
        _ state: RecordState, _ flags: RecordFlags, _ epoch: ServerEpoch
    ) -> RecordWord {
        RecordWord(state, flags, epoch, generation: generation)
    }

    /// Returns the word under a new server's epoch.
    ///
    /// Unreported claims report their release from then on, and claims in ticket queues are decided
    /// by the server.
    package func raised(to epoch: ServerEpoch) -> RecordWord {
        let kept = rawValue & ~(0xFFFF_FF00 | UInt64(RecordFlags.inTicketQueue.rawValue) << 4)
        return RecordWord(
            rawValue: kept | UInt64(epoch.rawValue) << 8
                | (flags.contains(.unreported)
                    ? UInt64(RecordFlags.reportsRelease.rawValue) << 4 : 0))
    }

    /// A short text for logs and test failures.
    public var description: String {
        let name = state.map { "\($0)" } ?? "state \(rawValue & 0xF)"
        let local = flags.contains(.unreported) ? "|unreported" : ""
        let reportsRelease = flags.contains(.reportsRelease) ? "|reportsRelease" : ""
        let provisional = flags.contains(.provisional) ? "|provisional" : ""
        let ticketQueue = flags.contains(.inTicketQueue) ? "|in ticket queue" : ""
        return name + local + reportsRelease + provisional + ticketQueue
            + "|\(epoch.rawValue) of generation \(generation)"
    }
}

/// The word of a delegation slot, in its owner's ledger.
///
///      63      62      61          32 31          8 7            0
///      ┌───────┬───────┬─────────────┬─────────────┬──────────────┐
///      │ reads │ report│  sequence   │    epoch    │ kind         │
///      │ only  │ writes│             │             │ (0: nothing) │
///      └───────┴───────┴─────────────┴─────────────┴──────────────┘
///
/// It is valid while its epoch equals the ledger's, so a new server revokes all delegations of its
/// predecessor by raising the ledger's epoch. The two highest bits restrict the delegation.
public struct SlotWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    public var rawValue: UInt64

    /// Wraps a word that was loaded, or received in a message.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a word from its parts.
    @inlinable
    package init(
        isDelegated: Bool, inTicketQueue ticketQueue: Int? = nil, terms: SlotTerms = [],
        _ epoch: ServerEpoch,
        sequence: UInt32
    ) {
        let kind = isDelegated ? UInt64(ticketQueue.map { $0 + 2 } ?? 1) : 0
        let high = sequence & 0x3FFF_FFFF | UInt32(terms.rawValue) << 30
        rawValue = UInt64(high) << 32 | UInt64(epoch.rawValue) << 8 | kind & 0xFF
    }

    /// The restrictions of the delegation.
    @inlinable
    public var terms: SlotTerms { SlotTerms(rawValue: UInt8(truncatingIfNeeded: rawValue >> 62)) }

    /// Whether the item is delegated to the owner without a ticket queue.
    @inlinable
    public var isDelegated: Bool { rawValue & 0xFF == 1 }

    /// The ticket queue that the item is in, or nil.
    @inlinable
    public var ticketQueue: Int? {
        let kind = Int(rawValue & 0xFF)
        return kind > 1 ? kind - 2 : nil
    }

    /// Whether the owner may grant claims itself: at any time, or in its turn.
    @inlinable
    package var letsIn: Bool { rawValue & 0xFF != 0 }

    /// Whether the owner may grant itself this kind of access.
    @inlinable
    public func lets(write isWriting: Bool) -> Bool {
        letsIn && !(isWriting && terms.contains(.readsOnly))
    }

    /// The most ticket queues of a server, which the kind byte can distinguish.
    package static let ticketQueueCount = 254

    /// The epoch of the server that granted the delegation.
    @inlinable
    public var epoch: ServerEpoch { ServerEpoch(truncating: rawValue >> 8) }

    /// The number of the slot's delegation, which distinguishes it from the next one.
    public var sequence: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) & 0x3FFF_FFFF }

    /// A short text for logs and test failures.
    public var description: String {
        let kind =
            isDelegated ? "delegated" : ticketQueue.map { "in ticket queue \($0)" } ?? "empty"
        let terms =
            (terms.contains(.readsOnly) ? "|reads only" : "")
            + (terms.contains(.reportsWrites) ? "|reports writes" : "")
        return "\(kind)\(terms)|\(epoch.rawValue) number \(sequence)"
    }
}

/// The restrictions of a delegation.
public struct SlotTerms: OptionSet, Hashable, Sendable {
    /// The bits; only the lower two are used.
    public let rawValue: UInt8

    /// Creates terms from their bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 3 }

    /// The owner may grant itself only reads, because other clients do so, too.
    public static let readsOnly = SlotTerms(rawValue: 2)
    /// The owner reports the end of each write, because a presenter is told about the change.
    public static let reportsWrites = SlotTerms(rawValue: 1)
}
