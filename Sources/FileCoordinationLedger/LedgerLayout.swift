// SPDX-License-Identifier: Apache-2.0
//
// The layout of a ledger file, which is tested byte by byte. All numbers are little-endian. These
// bytes are the same in all versions of the layout: the magic number, the version behind it, and
// the process ID. So a server can name the program of a ledger that it cannot read.
//
//      0        header, one page: who the client is, the ledger epoch, the mark
//      4096     slots, 1024 words: one for each place that is delegated to the client
//      12288    records, 16384 of 512 bytes
//      8400896  heap: bodies and outcomes that do not fit into their record
//      25165824 end
//
// The file is sparse. Space is reserved in chunks before their first use, so that a full disk
// causes an error for the caller and not a signal.

/// The offsets and sizes of the layout.
public enum LedgerLayout {
    /// "FCLEDGER", read as a little-endian number.
    package static let magic: UInt64 = 0x5245_4744_454C_4346
    /// The layout version, the only one that a reader accepts.
    public static let version: UInt32 = 2
    /// The length of every ledger file.
    public static let fileLength = 24 << 20
    /// The number of records.
    public static let recordCount = 16384
    /// The most records that are used for presenters, so that claims find one.
    public static let presenterCount = recordCount - 256
    /// The most delegations to one client.
    public static let slotCount = 1024
    /// The most bytes of a body or outcome.
    public static let maximumBodyLength = 4 << 20
    /// The most bytes of a program name, in UTF-8.
    public static let maximumNameLength = 255
    /// The most bytes of a client's label, in UTF-8.
    public static let maximumLabelLength = 120
    /// The most bytes of a record's supplement.
    public static let maximumSupplementLength = 400

    package static let headerLength = 4096
    package static let slots = headerLength
    package static let records = slots + slotCount * 8
    package static let recordLength = 512
    package static let heap = records + recordCount * recordLength

    /// Offsets in the header.
    ///
    /// Each word that changes has its own cache line.
    package enum Header {
        package static let magic = 0
        package static let version = 8
        package static let recordCount = 12
        package static let fileLength = 16
        package static let recordLength = 24
        package static let slotCount = 28
        package static let processID = 32
        package static let userID = 36
        /// 16 random bytes, which identify the client.
        package static let token = 48
        /// A word of the protocol: the ledger's epoch.
        package static let ledgerEpoch = 64
        /// A word of the protocol: no record at or above this index was ever used.
        package static let recordMark = 128
        package static let nameLength = 192
        package static let name = 196
        /// The PID namespace of ``processID``; 0 if the client does not say.
        package static let processNamespace = 464
        /// A word with its own cache line.
        ///
        /// A server that begins to listen increments it and wakes the client's threads that sleep
        /// on it.
        package static let service = 512
        /// A server sets this word to 1 if the client may use an inotify instance, of which each
        /// user has only about a hundred.
        package static let mayWatch = 520
        /// A word with its own cache line: the length of the client's label and its sequence
        /// number, which decides between the label's two places.
        package static let label = 576
        /// The two places of the label, with ``labelRoom`` bytes each.
        package static let labels = 640
        package static let labelRoom = 128
    }

    /// Offsets in a record.
    ///
    /// The server writes the serial number, the time of the grant and the mark for relocated items,
    /// and exchanges the word. The client writes everything else.
    package enum Record {
        package static let word = 0
        package static let serial = 8
        package static let filedAt = 16
        package static let grantedAt = 24
        package static let kind = 32
        /// The four bytes before it are not used.
        package static let bodyLength = 40
        /// The offset in the file; 0 for a body inside the record.
        package static let bodyOffset = 44
        /// Forms one word with the following offset, so that both change at once.
        package static let outcomeLength = 48
        /// The offset in the file; 0 for an outcome inside the record, after the body.
        package static let outcomeOffset = 52
        /// A ``RequestedSlot``; 0 for none.
        ///
        /// The four bytes before it are not used.
        package static let requestedSlot = 60
        /// A word that the client may change while the record is granted.
        package static let presenterState = 64
        /// The record's generation in the high half.
        ///
        /// The server sets the low bits to 1 if an item is not at the path in the body, and to 2 if
        /// it could not write the new path to the relocation log.
        package static let relocated = 72
        package static let inline = 80
        /// The bytes that fit into the record itself.
        package static let inlineLength = recordLength - inline
        /// With ``Kind/hasSupplement``: the length of the supplement, which ends here.
        package static let supplementLength = recordLength - 4
    }

    /// Bits of a record's kind field.
    package enum Kind {
        package static let numberMask: UInt32 = 0xFF
        package static let wantsMessage: UInt32 = 0x100
        /// The end of the record contains a supplement.
        package static let hasSupplement: UInt32 = 0x200
    }

    /// Bits of a record's presenter state.
    package enum Presenter {
        package static let relinquishedToReader: UInt64 = 1
        package static let relinquishedToWriter: UInt64 = 2
    }

    /// Returns the bytes that a supplement of this length takes at the end of a record, in whole
    /// words.
    static func supplementRoom(_ length: Int) -> Int { length == 0 ? 0 : (length + 4 + 7) & ~7 }

    /// Returns the offset of a record.
    package static func record(_ index: Int) -> Int { records + index * recordLength }

    /// Returns the offset, in a record, of an outcome after a body of this length.
    package static func inlineOutcome(behind inlineBodyLength: Int) -> Int {
        Record.inline + (inlineBodyLength + 7) & ~7
    }

    /// Returns the offset of a word of the protocol.
    ///
    /// The global epoch and the ticket queues are in other files.
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
