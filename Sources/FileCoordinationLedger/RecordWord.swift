// SPDX-License-Identifier: Apache-2.0
//
// The 64 bits that decide everything about one record. They are frozen: programs built from
// different versions of this package share ledgers.
//
//      63            32 31          8 7     4 3     0
//      ┌───────────────┬─────────────┬───────┬───────┐
//      │  generation   │    epoch    │ flags │ state │
//      └───────────────┴─────────────┴───────┴───────┘
//
// State, flags and epoch share the low half, which is the word that a futex waits on.

/// The state of a record.
///
///     free ─► draft ─► asked ◄─► granted ─► released ─► free
///               │        └─┐       └─ provisional ─► cancelled
///               │          └─► cancelled ───────────► free
///               ├─► cancelled
///               └─► granted (unreported) ─► free
///
/// An uncontended claim is granted unreported, also by the server. One that waits in a ticket queue
/// is asked, and its client grants it when its ticket is served; a server that wants to decide
/// takes the flag away first. A claim that had to wait is granted provisionally. Its client takes
/// the grant up by clearing the flag; until then the server can withdraw it (`granted` to `asked`),
/// and the client can give it up. The article about the ledger protocol lists every swap.
public enum RecordState: UInt8, Hashable, Sendable, CaseIterable {
    /// Unused.
    ///
    /// Its client may fill it.
    case free = 0
    /// Complete, and waiting for the server.
    ///
    /// A presenter: wants to be registered.
    case asked = 1
    /// The accessor may run.
    ///
    /// A presenter: is registered.
    case granted = 2
    /// Over.
    ///
    /// The outcome in the body is final.
    case released = 3
    /// Given up before it was granted.
    case cancelled = 4
    /// Complete and visible, but its client has not looked at the ledger epoch since: no server may
    /// act on it, but a new server raises it like any other.
    case draft = 5
}

/// The four bits beside the state.
public struct RecordFlags: OptionSet, Hashable, Sendable {
    /// The bits, of which the lower four count.
    public let rawValue: UInt8

    /// Flags from their bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0xF }

    /// Granted by delegation, without the server; or by the server, without a report of its end.
    public static let unreported = RecordFlags(rawValue: 1)

    /// The server wants to be told of the release, or wants a draft to become an ordinary claim.
    public static let reportsRelease = RecordFlags(rawValue: 2)

    /// Granted after a wait, and not taken up yet: the server may take it back (Rule 18.6).
    public static let provisional = RecordFlags(rawValue: 4)

    /// Asked, and in the line of a ticket queue: its client may grant it when its turn has come.
    public static let inTicketQueue = RecordFlags(rawValue: 8)
}

/// The word of a record, as read from shared memory: its state may be none that we know.
public struct RecordWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    public var rawValue: UInt64

    /// Wraps a word that was read.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A word from its parts.
    @inlinable
    public init(
        _ state: RecordState, _ flags: RecordFlags = [], _ epoch: ServerEpoch, generation: UInt32
    ) {
        rawValue =
            UInt64(generation) << 32 | UInt64(epoch.rawValue) << 8
            | UInt64(flags.rawValue) << 4 | UInt64(state.rawValue)
    }

    /// The state, or nil for bits that no version of ours writes.
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

    /// How often the record has been used: tells one claim in it from the next.
    @inlinable
    public var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

    /// What a futex on the record waits on.
    @inlinable
    public var lowHalf: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// Whether it is granted, and its client has not taken that up.
    @inlinable
    package var isProvisional: Bool { state == .granted && flags.contains(.provisional) }

    /// Whether its client waits for its turn.
    @inlinable
    package var isInTicketQueue: Bool { state == .asked && flags == .inTicketQueue }

    /// Whether its client waits.
    @inlinable
    package var isPending: Bool { state == .asked || state == .draft || isProvisional }

    /// The same claim in another state.
    @inlinable
    package func with(
        _ state: RecordState, _ flags: RecordFlags, _ epoch: ServerEpoch
    ) -> RecordWord {
        RecordWord(state, flags, epoch, generation: generation)
    }

    /// The same word under a new server, who wants to be told of the end of what it did not grant,
    /// and decides itself of what waits in a ticket queue.
    package func raised(to epoch: ServerEpoch) -> RecordWord {
        let kept = rawValue & ~(0xFFFF_FF00 | UInt64(RecordFlags.inTicketQueue.rawValue) << 4)
        return RecordWord(
            rawValue: kept | UInt64(epoch.rawValue) << 8
                | (flags.contains(.unreported)
                    ? UInt64(RecordFlags.reportsRelease.rawValue) << 4 : 0))
    }

    /// A short form for timelines and failures.
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

/// The word of a delegated place, in its owner's ledger.
///
///      63      62      61          32 31          8 7            0
///      ┌───────┬───────┬─────────────┬─────────────┬──────────────┐
///      │ reads │ report│  sequence   │    epoch    │ kind         │
///      │ only  │ writes│             │             │ (0: nothing) │
///      └───────┴───────┴─────────────┴─────────────┴──────────────┘
///
/// It counts while its epoch is the ledger's, so that a new server's raising of the ledger epoch
/// revokes all the delegations of the one before. The two uppermost bits take rights away, and
/// only clients that know them (`LedgerLayout.Abilities.knowsModes`) get words that have them.
/// Servers from before them count the sequence on; should they leave such a bit behind, its client
/// does less by itself than it may.
public struct SlotWord: Hashable, Sendable, CustomStringConvertible {
    /// All 64 bits.
    public var rawValue: UInt64

    /// Wraps a word that was read, or that a message told.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A word from its parts.
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

    /// What the owner may not do, or has to do besides.
    @inlinable
    public var terms: SlotTerms { SlotTerms(rawValue: UInt8(truncatingIfNeeded: rawValue >> 62)) }

    /// Whether the place is the owner's alone to claim.
    @inlinable
    public var isDelegated: Bool { rawValue & 0xFF == 1 }

    /// The ticket queue in which the place is the owner's in its turn; nil if it is not.
    @inlinable
    public var ticketQueue: Int? {
        let kind = Int(rawValue & 0xFF)
        return kind > 1 ? kind - 2 : nil
    }

    /// Whether the owner may grant claims there itself: at any time, or in its turn.
    @inlinable
    package var letsIn: Bool { rawValue & 0xFF != 0 }

    /// Whether the owner may grant itself this kind of access there.
    @inlinable
    public func lets(write isWriting: Bool) -> Bool {
        letsIn && !(isWriting && terms.contains(.readsOnly))
    }

    /// How many ticket queues a server can have: as many as a word can tell apart.
    package static let ticketQueueCount = 254

    /// The epoch of the server that delegated it.
    @inlinable
    public var epoch: ServerEpoch { ServerEpoch(truncating: rawValue >> 8) }

    /// Counts the slot's delegations, so that one place's is not taken for the next one's.
    public var sequence: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) & 0x3FFF_FFFF }

    /// A short form for timelines and failures.
    public var description: String {
        let kind =
            isDelegated ? "delegated" : ticketQueue.map { "in ticket queue \($0)" } ?? "empty"
        let terms =
            (terms.contains(.readsOnly) ? "|reads only" : "")
            + (terms.contains(.reportsWrites) ? "|reports writes" : "")
        return "\(kind)\(terms)|\(epoch.rawValue) number \(sequence)"
    }
}

/// The terms on which a place is delegated.
public struct SlotTerms: OptionSet, Hashable, Sendable {
    /// The bits, of which the lower two count.
    public let rawValue: UInt8

    /// Terms from their bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 3 }

    /// The owner grants itself reads there: other clients do so, too.
    public static let readsOnly = SlotTerms(rawValue: 2)
    /// The owner reports the end of each write, because a presenter is to be told of the change.
    public static let reportsWrites = SlotTerms(rawValue: 1)
}
