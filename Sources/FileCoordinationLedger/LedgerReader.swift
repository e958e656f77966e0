// SPDX-License-Identifier: Apache-2.0
//
// The server's access to a client's ledger. The client may be faulty or hostile, so nothing in the
// ledger is trusted: every number is copied first and validated afterwards. If the client changes
// something meanwhile, only answers about this client become wrong. Also tells whether the client
// holds the ledger's lock, that is, lives.

public import FileCoordinationArbiter
public import FileCoordinationSystem

/// A client's ledger, as the server uses it.
///
/// The methods are for the server's thread; ``isAlive`` may be used on any. Must not be used in a
/// forked child.
public final class LedgerReader: Sendable {
    /// The name of the file in the `ledgers` directory.
    public let fileName: String
    /// The client's process ID, as the client wrote it.
    public let processID: Int32
    /// The PID namespace of ``processID``, as the client wrote it; 0 if it did not.
    public let processNamespace: UInt64
    /// Whether ``processID`` is valid in this process's PID namespace.
    public let isProcessVisible: Bool
    /// The client's program, as the client wrote it.
    public let programName: String
    /// 16 random bytes that identify the client, as two words.
    public let token: [UInt64]

    package let memory: LedgerMemory
    private let file: Descriptor

    /// How often a compare-and-swap may fail before the client is considered hostile.
    static let failedSwapLimit = 1000

    /// Opens the ledger `name`, which must be a valid ledger and a regular file of `owner`.
    public convenience init(
        directory: Directory, name: String, expectedOwner owner: UInt32
    ) throws(LedgerError) {
        try self.init(directory: directory, name: name, expectedOwner: owner, observer: nil)
    }

    /// Opens a ledger whose file has no name any more, and had this one.
    public convenience init(
        file: Descriptor, name: String, expectedOwner owner: UInt32
    ) throws(LedgerError) {
        try self.init(file: file, name: name, expectedOwner: owner, observer: nil)
    }

    package convenience init(
        directory: Directory, name: String, expectedOwner owner: UInt32,
        observer: LedgerMemory.Observer?
    ) throws(LedgerError) {
        let file = try LedgerError.wrapping { () throws(SystemError) in
            try directory.openFile(name, [.read, .write, .nonBlocking])
        }
        try self.init(
            file: file, name: name, expectedOwner: owner, observer: observer)
    }

    /// Opens a ledger with an observer of the accesses to its words.
    package init(
        file: Descriptor, name: String, expectedOwner owner: UInt32,
        observer: LedgerMemory.Observer?
    ) throws(LedgerError) {
        fileName = name
        if let other = LedgerHeader.otherLayout(of: file, name: name) { throw other }
        let mapping = try LedgerError.wrapping { () throws(SystemError) in
            try Self.checkedMapping(of: file, owner: owner)
        }
        guard let mapping else {
            throw .notALedger(name: name, reason: "not a regular file of ours, of the right size")
        }
        self.file = file
        memory = LedgerMemory(mapping: mapping, observer: observer)
        let header = try LedgerHeader(mapping, name: name)
        // The kernel was asked for the owner: in another user namespace, the number in the file
        // differs.
        processID = header.processID
        processNamespace = header.processNamespace
        isProcessVisible =
            header.processNamespace != 0
            && header.processNamespace == CurrentProcess.processNamespace
        programName = header.programName
        token = header.token
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

    /// Whether the client holds the lock of its ledger.
    ///
    /// The lock can outlive the client's process; see ``ProcessState/hasEnded(_:)-(Int32)``. If it
    /// cannot be determined, this is true: a claim that is held too long does less harm than one
    /// that is given to another client while its accessor runs.
    public var isAlive: Bool { (try? FileLock.isHeldByAnother(file)) ?? true }

    /// Whether the file was truncated, so that nothing in it can be trusted.
    public var isDamaged: Bool { MappingGuard.wasTruncated(memory.mapping) }

    /// The epoch to which the ledger was raised last.
    ///
    /// It is less than the present server's only if the ledger was neither raised nor created under
    /// that server.
    public var ledgerEpoch: ServerEpoch {
        ServerEpoch(truncating: memory.word(.ledgerEpoch).load())
    }

    /// Takes over a ledger from another runtime directory, whose epochs are independent.
    ///
    /// Returns false if another server was faster.
    ///
    /// Two servers that do not know of each other must not use the ledger with the same epoch.
    public func claim(from seen: ServerEpoch, to epoch: ServerEpoch) -> Bool {
        memory.word(.ledgerEpoch).compareExchange(
            expected: UInt64(seen.rawValue), desired: UInt64(epoch.rawValue)
        ).exchanged
    }

    /// Raises the ledger to a new server's epoch.
    ///
    /// The server raises all ledgers before it grants anything. Throws `deposed` if a later server
    /// was here.
    public func raise(to epoch: ServerEpoch) throws(LedgerError) {
        let procedure = RaiseLedger(to: epoch, capacity: LedgerLayout.recordCount)
        switch try memory.run(procedure, failedSwapLimit: Self.failedSwapLimit) {
        case .raised: return
        case .deposed: throw .deposed
        }
    }

    /// Reads all records in use, in the order of their index.
    ///
    /// Drafts are omitted: their client is about to file them and will send a message.
    public func scan() -> [RecordSnapshot] {
        (0..<mark).compactMap { snapshot(ofRecord: UInt32($0)) }
    }

    /// Reads the claims that have ended and whose records the server has not returned, in the order
    /// in which they were filed or granted without the server.
    public func endedClaims() -> [RecordSnapshot] {
        (0..<mark).compactMap { index -> RecordSnapshot? in
            guard memory.recordWord(index).state == .released,
                let snapshot = snapshot(ofRecord: UInt32(index))
            else { return nil }
            return snapshot.kind == .claim && snapshot.state == .released ? snapshot : nil
        }.sorted { $0.filedAt < $1.filedAt }
    }

    /// Reads the running claims that the client has granted itself, and those that wait in a ticket
    /// queue.
    ///
    /// Changes nothing.
    public func localClaims() -> [RecordSnapshot] {
        (0..<mark).compactMap { index in
            let word = memory.recordWord(index)
            guard word.isInTicketQueue || word.flags.contains(.unreported),
                let snapshot = snapshot(ofRecord: UInt32(index)), snapshot.kind == .claim
            else { return nil }
            switch snapshot.state {
            case .granted: return snapshot.flags.contains(.unreported) ? snapshot : nil
            case .filed: return snapshot.flags.contains(.inTicketQueue) ? snapshot : nil
            case .free, .draft, .released, .cancelled: return nil
            }
        }
    }

    /// Reads one record; returns nil if it is not in use.
    public func snapshot(ofRecord index: UInt32) -> RecordSnapshot? {
        guard index < LedgerLayout.recordCount else { return nil }
        let index = Int(index)
        let word = memory.recordWord(index)
        guard let state = word.state, state != .free, state != .draft else { return nil }
        typealias Record = LedgerLayout.Record
        let record = unsafe memory.mapping.base + LedgerLayout.record(index)
        let kindField = unsafe record.load(UInt32.self, at: Record.kind)
        let number = UInt8(truncatingIfNeeded: kindField & LedgerLayout.Kind.numberMask)
        guard let kind = RecordKind(rawValue: number) else { return nil }
        let presenter = memory.presenterState(index).load()
        return unsafe RecordSnapshot(
            reference: RecordReference(index: UInt32(index), generation: word.generation),
            state: state, flags: word.flags, epoch: word.epoch, kind: kind,
            wantsMessage: kindField & LedgerLayout.Kind.wantsMessage != 0,
            requestedSlot: RequestedSlot(
                encoded: record.load(UInt32.self, at: Record.requestedSlot)),
            serial: memory.serial(index).load(),
            filedAt: Instant(nanoseconds: memory.filedAt(index).load()),
            grantedAt: ServerField.grantTime(memory.grantedAt(index).load()),
            hasRelinquishedToReader: presenter & LedgerLayout.Presenter.relinquishedToReader != 0,
            hasRelinquishedToWriter: presenter & LedgerLayout.Presenter.relinquishedToWriter != 0)
    }

    /// The number of records that may be in use: the client's mark, limited to what is possible.
    var mark: Int {
        Int(min(memory.word(.recordMark).load(), UInt64(LedgerLayout.recordCount)))
    }

    /// Reads the body of a claim or presenter; returns nil if the record was reused or is invalid.
    public func body(_ reference: RecordReference) -> [UInt8]? {
        unsafe bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let length = unsafe Int(record.load(UInt32.self, at: Record.bodyLength))
            let offset = unsafe Int(record.load(UInt32.self, at: Record.bodyOffset))
            guard offset == 0 else { return .init(heap: offset, length: length) }
            return .init(inline: Record.inline, length: length)
        }
    }

    /// Reads the supplement of a record; returns nil if there is none or the record is invalid.
    public func supplement(_ reference: RecordReference) -> [UInt8]? {
        unsafe bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let kind = unsafe record.load(UInt32.self, at: Record.kind)
            let length = unsafe record.load(UInt32.self, at: Record.supplementLength)
            guard kind & LedgerLayout.Kind.hasSupplement != 0,
                length <= UInt32(LedgerLayout.maximumSupplementLength)
            else { return nil }
            return .init(inline: Record.supplementLength - Int(length), length: Int(length))
        }
    }

    /// Reads the outcome that the client has written so far, from an offset on; returns nil if it
    /// is invalid.
    public func outcome(_ reference: RecordReference, from start: Int = 0) -> [UInt8]? {
        unsafe bytes(reference) { record in
            typealias Record = LedgerLayout.Record
            let extent = memory.outcomeExtent(Int(reference.index)).load()
            let whole = Int(UInt32(truncatingIfNeeded: extent))
            let offset = Int(extent >> 32)
            guard start >= 0, start <= whole else { return nil }
            let length = whole - start
            guard offset == 0 else { return .init(heap: offset + start, length: length) }
            let isInline = unsafe record.load(UInt32.self, at: Record.bodyOffset) == 0
            let body = unsafe isInline ? Int(record.load(UInt32.self, at: Record.bodyLength)) : 0
            guard body <= Record.inlineLength else { return nil }
            return .init(
                inline: LedgerLayout.inlineOutcome(behind: body) + start, length: length)
        }
    }

    /// Copies bytes of a record, if it has the same generation before and after the copy.
    private func bytes(
        _ reference: RecordReference, locate: (UnsafeMutableRawPointer) -> LedgerExtent?
    ) -> [UInt8]? {
        guard reference.index < LedgerLayout.recordCount else { return nil }
        let index = Int(reference.index)
        guard isUse(reference, memory.recordWord(index)) else { return nil }
        let start = LedgerLayout.record(index)
        guard let extent = unsafe locate(memory.mapping.base + start), extent.isValid else {
            return nil
        }
        let offset = extent.isInHeap ? extent.offset : start + extent.offset
        let copy = unsafe memory.mapping.base.bytes(at: offset, count: extent.length)
        // The copy must not be reordered behind the second check.
        AtomicWord.fenceAcquiring()
        return isUse(reference, memory.recordWord(index)) ? copy : nil
    }

    /// Whether a word belongs to this generation of its record.
    func isUse(_ reference: RecordReference, _ word: RecordWord) -> Bool {
        word.generation == reference.generation && word.state != .free
    }
}
