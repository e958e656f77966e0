// SPDX-License-Identifier: Apache-2.0
//
// The server's side of a client's ledger. The client may be broken or hostile: nothing that is read
// is believed, every number is checked after it was copied, and what the client changes meanwhile
// makes for a wrong answer about the client itself, and for nothing worse.

public import FileCoordinationSystem

/// One client's ledger, as a server has it.
///
/// Not for use in a forked child. Its methods are for the server's thread; ``isAlive`` is for any.
public final class LedgerReader: Sendable {
    /// The name of the file in the directory of ledgers.
    public let fileName: String
    /// The client's process, as it says itself.
    public let processID: Int32
    /// The namespace in which it has that number, as it says itself; 0 if it does not say.
    public let processNamespace: UInt64
    /// Whether that is its number in this process's namespace, too.
    public let isProcessVisible: Bool
    /// The client's program, as it says itself.
    public let programName: String
    /// 16 random bytes by which the client names itself, as two words.
    public let token: [UInt64]

    /// Whether the client takes up what it is offered, as it says itself.
    public let confirmsGrants: Bool
    /// Whether the client waits for its turn in ticket queues, as it says itself.
    public let waitsInTicketQueues: Bool
    /// Whether its client knows the terms on which a place is delegated (``SlotTerms``).
    public let knowsModes: Bool

    package let memory: LedgerMemory
    private let file: Descriptor
    package let fault: LedgerFault?

    /// How often a swap may fail before the client is taken for hostile.
    static let failedSwapLimit = 1000

    /// Opens the ledger `name`, which must be a regular file of `owner`, and a ledger.
    public convenience init(
        directory: Directory, name: String, expectedOwner owner: UInt32
    ) throws(LedgerError) {
        try self.init(directory: directory, name: name, expectedOwner: owner, fault: nil)
    }

    /// The same for a file that has no name any more, and had this one.
    public convenience init(
        file: Descriptor, name: String, expectedOwner owner: UInt32
    ) throws(LedgerError) {
        try self.init(file: file, name: name, expectedOwner: owner, fault: nil, observer: nil)
    }

    package convenience init(
        directory: Directory, name: String, expectedOwner owner: UInt32, fault: LedgerFault?,
        observer: LedgerMemory.Observer? = nil
    ) throws(LedgerError) {
        let file = try LedgerError.wrapping { () throws(SystemError) in
            try directory.openFile(name, [.read, .write, .nonBlocking])
        }
        try self.init(
            file: file, name: name, expectedOwner: owner, fault: fault, observer: observer)
    }

    /// The same, with an observer of what is done to the ledger's words.
    package init(
        file: Descriptor, name: String, expectedOwner owner: UInt32, fault: LedgerFault?,
        observer: LedgerMemory.Observer?
    ) throws(LedgerError) {
        fileName = name
        self.fault = fault
        let mapping = try LedgerError.wrapping { () throws(SystemError) in
            try Self.checkedMapping(of: file, owner: owner)
        }
        guard let mapping else {
            throw .notALedger(name: name, reason: "not a regular file of ours, of the right size")
        }
        self.file = file
        memory = LedgerMemory(mapping: mapping, observer: observer)
        let header = try LedgerHeader(mapping, name: name)
        // Who owns it was asked of the kernel: in another user namespace the number is another.
        processID = header.processID
        processNamespace = header.processNamespace
        isProcessVisible =
            header.processNamespace != 0
            && header.processNamespace == CurrentProcess.processNamespace
        programName = header.programName
        token = header.token
        confirmsGrants = header.confirmsGrants
        waitsInTicketQueues = header.waitsInTicketQueues
        knowsModes = header.knowsModes
    }

    private static func checkedMapping(
        of file: Descriptor, owner: UInt32
    ) throws(SystemError) -> SharedMapping? {
        let status = try file.status()
        guard status.kind == .regular, status.ownerUserID == owner,
            status.size == UInt64(LedgerLayout.fileLength)
        else { return nil }
        let mapping = try SharedMapping(
            file: file, length: LedgerLayout.fileLength, writable: true, inheritedByFork: false)
        try MappingGuard.protect(mapping)
        return mapping
    }

    /// Whether the client's memory is there: its lock is held.
    ///
    /// That can outlast its process: see ``ProcessState/hasEnded(_:)-(Int32)``.
    ///
    /// True when that cannot be told: a claim that is kept too long does less harm than one that is
    /// given away while its accessor runs.
    public var isAlive: Bool { (try? FileLock.isHeldByAnother(file)) ?? true }

    /// Whether the client has cut off its file: nothing in it can be trusted.
    public var isDamaged: Bool { MappingGuard.wasTruncated(memory.mapping) }

    /// The newest server that the ledger has been told of.
    ///
    /// Less than the reigning server's only if it was neither raised nor born under it.
    public var ledgerEpoch: ServerEpoch {
        ServerEpoch(truncating: memory.word(.ledgerEpoch).load())
    }

    /// Takes a ledger over that was brought from another directory, whose servers count for
    /// themselves: false if one of them was faster.
    ///
    /// Two servers that know nothing of each other must not reign over it under the same number.
    public func claim(from seen: ServerEpoch, to epoch: ServerEpoch) -> Bool {
        memory.word(.ledgerEpoch).compareExchange(
            expected: UInt64(seen.rawValue), desired: UInt64(epoch.rawValue)
        ).exchanged
    }

    /// Puts the ledger under a new server.
    ///
    /// All ledgers come first; grants come afterwards.
    ///
    /// `deposed` if a later server was here.
    public func raise(to epoch: ServerEpoch) throws(LedgerError) {
        // The fault is that of a server which raises no epoch; its ledgers keep theirs, too.
        if fault == .noEpochRaise { return }
        let procedure = RaiseLedger(
            to: epoch, capacity: LedgerLayout.recordCount, fault: fault)
        switch try memory.run(procedure, failedSwapLimit: Self.failedSwapLimit) {
        case .raised: return
        case .deposed: throw .deposed
        }
    }

    /// All records that are in use, in the order of their index.
    ///
    /// Drafts are left out: their client is about to file them, and will say so.
    public func scan() -> [RecordSnapshot] {
        (0..<mark).compactMap { snapshot(ofRecord: UInt32($0)) }
    }

    /// Claims that the client has granted itself and that run, and those that wait in a ticket
    /// queue; nothing is changed by looking.
    public func localClaims() -> [RecordSnapshot] {
        (0..<mark).compactMap { index in
            let word = memory.recordWord(index)
            guard word.isInTicketQueue || word.flags.contains(.unreported),
                let snapshot = snapshot(ofRecord: UInt32(index)), snapshot.kind == .claim
            else { return nil }
            switch snapshot.state {
            case .granted: return snapshot.flags.contains(.unreported) ? snapshot : nil
            case .asked: return snapshot.flags.contains(.inTicketQueue) ? snapshot : nil
            case .free, .draft, .released, .cancelled: return nil
            }
        }
    }

    /// One record, if it is in use.
    public func snapshot(ofRecord index: UInt32) -> RecordSnapshot? {
        guard index < LedgerLayout.recordCount else { return nil }
        let index = Int(index)
        let word = memory.recordWord(index)
        guard let state = word.state, state != .free, state != .draft else { return nil }
        typealias Record = LedgerLayout.Record
        let record = memory.mapping.base + LedgerLayout.record(index)
        let kindField = record.load(UInt32.self, at: Record.kind)
        let number = UInt8(truncatingIfNeeded: kindField & LedgerLayout.Kind.numberMask)
        guard let kind = RecordKind(rawValue: number) else { return nil }
        let presenter = memory.presenterState(index).load()
        return RecordSnapshot(
            reference: RecordReference(index: UInt32(index), generation: word.generation),
            state: state, flags: word.flags, epoch: word.epoch, kind: kind,
            wantsMessage: kindField & LedgerLayout.Kind.wantsMessage != 0,
            requestedSlot: RequestedSlot(
                encoded: record.load(UInt32.self, at: Record.requestedSlot)),
            serial: memory.serial(index).load(), filedAt: memory.filedAt(index).load(),
            grantedAt: ServerField.grantTime(memory.grantedAt(index).load()),
            thread: record.load(UInt32.self, at: Record.thread),
            hasRelinquishedToReader: presenter & LedgerLayout.Presenter.relinquishedToReader != 0,
            hasRelinquishedToWriter: presenter & LedgerLayout.Presenter.relinquishedToWriter != 0)
    }

    /// How many records may be in use: what the client says, as far as it makes sense.
    var mark: Int {
        Int(min(memory.word(.recordMark).load(), UInt64(LedgerLayout.recordCount)))
    }

    /// What the claim says, or nil if it is over or makes no sense.
    public func body(_ reference: RecordReference) -> [UInt8]? {
        bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let length = Int(record.load(UInt32.self, at: Record.bodyLength))
            let offset = Int(record.load(UInt32.self, at: Record.bodyOffset))
            guard offset == 0 else { return .init(heap: offset, length: length) }
            return .init(inline: Record.inline, length: length)
        }
    }

    /// What a record says beside its body; nil if there is nothing, or it makes no sense.
    public func supplement(_ reference: RecordReference) -> [UInt8]? {
        bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let kind = record.load(UInt32.self, at: Record.kind)
            let length = record.load(UInt32.self, at: Record.supplementLength)
            guard kind & LedgerLayout.Kind.hasSupplement != 0,
                length <= UInt32(LedgerLayout.maximumSupplementLength)
            else { return nil }
            return .init(inline: Record.supplementLength - Int(length), length: Int(length))
        }
    }

    /// What the client has said of the claim until now, from a byte on; nil if it makes no sense.
    public func outcome(_ reference: RecordReference, from start: Int = 0) -> [UInt8]? {
        bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let extent = memory.outcomeExtent(Int(reference.index)).load()
            let whole = Int(UInt32(truncatingIfNeeded: extent))
            let offset = Int(extent >> 32)
            guard start >= 0, start <= whole else { return nil }
            let length = whole - start
            guard offset == 0 else { return .init(heap: offset + start, length: length) }
            let isInline = record.load(UInt32.self, at: Record.bodyOffset) == 0
            let body = isInline ? Int(record.load(UInt32.self, at: Record.bodyLength)) : 0
            guard body <= Record.inlineLength else { return nil }
            return .init(
                inline: LedgerLayout.inlineOutcome(behind: body) + start, length: length)
        }
    }

    /// Copies bytes of a record that is the same use of it before and after.
    private func bytes(
        _ reference: RecordReference, locate: (UnsafeMutableRawPointer) -> LedgerExtent?
    ) -> [UInt8]? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let index = Int(reference.index)
        guard isUse(reference, memory.recordWord(index)) else { return nil }
        let start = LedgerLayout.record(index)
        guard let extent = locate(memory.mapping.base + start), extent.isValid else { return nil }
        let offset = extent.isInHeap ? extent.offset : start + extent.offset
        let copy = memory.mapping.base.bytes(at: offset, count: extent.length)
        // The copy may not sink below the second look.
        AtomicWord.fenceAcquiring()
        return isUse(reference, memory.recordWord(index)) ? copy : nil
    }

    /// Whether a word is that of this use of its record.
    func isUse(_ reference: RecordReference, _ word: RecordWord) -> Bool {
        word.generation == reference.generation && word.state != .free
    }
}
