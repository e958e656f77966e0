// SPDX-License-Identifier: Apache-2.0
//
// Where everything is in a ledger file. Frozen, and tested byte by byte: programs built from
// different versions of this package map each other's ledgers. All numbers are little-endian.
//
//      0        header, one page: who the client is, the ledger epoch, the mark
//      4096     slots, 1024 words: one for each place that is delegated to the client
//      12288    records, 16384 of 512 bytes
//      8400896  heap: bodies and outcomes that do not fit into their record
//      25165824 end
//
// The file is sparse. Room is made in chunks before they are touched for the first time, so a full
// disk is an error to the caller and not a signal.

/// The offsets and sizes of layout version 1.
public enum LedgerLayout {
    /// "FCLEDGER", read as a little-endian word.
    package static let magic: UInt64 = 0x5245_4744_454C_4346
    /// What a reader must know how to read.
    public static let version: UInt32 = 1
    /// The length of every ledger file.
    public static let fileLength = 24 << 20
    /// How many records there are.
    public static let recordCount = 16384
    /// How many places can be delegated to one client.
    public static let slotCount = 1024
    /// The longest body or outcome.
    public static let maximumBodyLength = 4 << 20
    /// The longest program name, in bytes of UTF-8.
    public static let maximumNameLength = 255
    /// The longest label of a client, in bytes of UTF-8.
    public static let maximumLabelLength = 120
    /// The longest supplement of a record.
    public static let maximumSupplementLength = 400

    package static let headerLength = 4096
    package static let slots = headerLength
    package static let records = slots + slotCount * 8
    package static let recordLength = 512
    package static let heap = records + recordCount * recordLength

    /// Offsets in the header.
    ///
    /// Words that change have a cache line of their own.
    package enum Header {
        package static let magic = 0
        package static let version = 8
        package static let recordCount = 12
        package static let fileLength = 16
        package static let recordLength = 24
        package static let slotCount = 28
        package static let processID = 32
        package static let userID = 36
        // 40: eight unused bytes. Some clients write there when their process started.
        /// 16 random bytes.
        package static let token = 48
        /// A word of the protocol.
        package static let ledgerEpoch = 64
        /// A word of the protocol: no record from here on was ever used.
        package static let recordMark = 128
        package static let nameLength = 192
        package static let name = 196
        /// What the client can do that clients could not from the beginning.
        package static let abilities = 456
        /// The namespace in which ``processID`` is the client's number; 0 if it does not say.
        package static let processNamespace = 464
        /// A word of its own cache line: servers count in it how often one of them began to listen,
        /// and wake the client if it sleeps on it.
        package static let service = 512
        /// A word that a server makes 1: the client may have a watch of directories, of which each
        /// user has but a hundred or so for all programs.
        package static let mayWatch = 520
        /// A word of its own cache line: how long the client's label is, and how often it was set,
        /// from which follows in which of two places it is.
        package static let label = 576
        /// The two places, each of ``labelRoom`` bytes.
        package static let labels = 640
        package static let labelRoom = 128
    }

    /// Offsets in a record.
    ///
    /// The server writes the serial number, the time of the grant and the mark for relocated items,
    /// and swaps the word; all else is the client's.
    package enum Record {
        package static let word = 0
        package static let serial = 8
        package static let filedAt = 16
        package static let grantedAt = 24
        package static let kind = 32
        package static let thread = 36
        package static let bodyLength = 40
        /// From the beginning of the file; 0 for a body in the record itself.
        package static let bodyOffset = 44
        /// With the offset behind it one word: so both change at once.
        package static let outcomeLength = 48
        /// From the beginning of the file; 0 for an outcome behind the body in the record.
        package static let outcomeOffset = 52
        package static let outcomeCapacity = 56
        /// A ``RequestedSlot``; 0 for none.
        package static let requestedSlot = 60
        /// A word that the client may change while the record is granted.
        package static let presenterState = 64
        /// A word that the server makes 1 when an item of the record is not where the body says,
        /// and 2 when it could not write down where it is; above that the record's generation.
        package static let relocated = 72
        package static let inline = 80
        /// How much fits into the record itself.
        package static let inlineLength = recordLength - inline
        /// With ``Kind/hasSupplement``, how long the supplement is, which ends here.
        package static let supplementLength = recordLength - 4
    }

    /// Bits of what a client can do.
    package enum Abilities {
        /// It takes up what it is offered (``RecordFlags/provisional``).
        package static let confirmsGrants: UInt32 = 1
        /// It waits for its turn in ticket queues (``SlotWord/ticketQueue``).
        package static let waitsInTicketQueues: UInt32 = 2
        /// It knows the terms of slots (``SlotTerms``).
        package static let knowsModes: UInt32 = 4
    }

    /// Bits of a record's kind field.
    package enum Kind {
        package static let numberMask: UInt32 = 0xFF
        package static let wantsMessage: UInt32 = 0x100
        /// The end of the record holds a supplement, which servers that know nothing of it pass
        /// over.
        package static let hasSupplement: UInt32 = 0x200
    }

    /// Bits of a record's presenter state.
    package enum Presenter {
        package static let relinquishedToReader: UInt64 = 1
        package static let relinquishedToWriter: UInt64 = 2
    }

    /// How much of a record's end a supplement of this length takes, in whole words.
    static func supplementRoom(_ length: Int) -> Int { length == 0 ? 0 : (length + 4 + 7) & ~7 }

    /// Where a record begins.
    package static func record(_ index: Int) -> Int { records + index * recordLength }

    /// Where an outcome begins that is in the record, behind a body of this length.
    package static func inlineOutcome(behind inlineBodyLength: Int) -> Int {
        Record.inline + (inlineBodyLength + 7) & ~7
    }

    /// Where a word of the protocol is.
    ///
    /// The global epoch and ticket queues are not in a ledger.
    package static func offset(of cell: MemoryCell) -> Int {
        switch cell {
        case .globalEpoch: 0
        case .ticketQueue(let number): number * TicketQueueFile.stride
        case .ledgerEpoch: Header.ledgerEpoch
        case .recordMark: Header.recordMark
        case .record(let index): record(index) + Record.word
        case .slot(let index): slots + index * 8
        }
    }
}
