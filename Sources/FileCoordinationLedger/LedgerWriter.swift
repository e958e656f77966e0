// SPDX-License-Identifier: Apache-2.0
//
// The client's access to its own ledger. The body of a record is written before its word, so that
// no incomplete record is visible. Allocation uses a lock; the words do not.

public import FileCoordinationArbiter
public import FileCoordinationSystem

/// This process's ledger.
///
/// Everything may be used from any thread, for different references at the same time. The memory is
/// not mapped in a forked child (``ForkGuard/isForkedChild``): the child must not use or release
/// its parent's writer, but create its own.
public final class LedgerWriter: Sendable {
    /// The name of the file in the `ledgers` directory.
    public let fileName: String

    package let memory: LedgerMemory
    let allocation: Lock<RecordAllocation>
    /// A record that is known to be free.
    let spare = SpareNumber()
    let outcomes = OutcomePlaces()
    /// Whether a word of the ledger was found that this process did not write.
    private let overwritten = PrivateWords(count: 1)
    private let directory: Directory
    private let file: LedgerFile
    /// The process that owns the ledger.
    private let processToken: UInt64

    /// Creates a ledger in `directory`, the `ledgers` folder of the runtime directory.
    ///
    /// When this returns, every server either finds the ledger by its name, or the ledger has that
    /// server's epoch.
    public convenience init(
        directory: Directory, globalEpoch: EpochFile, programName: String = CurrentProcess.name
    ) throws(LedgerError) {
        try self.init(
            directory: directory, globalEpoch: globalEpoch, programName: programName, observer: nil)
    }

    package init(
        directory: Directory, globalEpoch: EpochFile, programName: String = "",
        observer: LedgerMemory.Observer?,
        token: (UInt64, UInt64)? = nil
    ) throws(LedgerError) {
        processToken = ForkGuard.processToken
        self.directory = directory
        file = try LedgerFile(
            in: directory, programName: programName,
            token: token ?? (.random(in: 0 ... .max), .random(in: 0 ... .max)))
        fileName = file.name
        memory = LedgerMemory(
            mapping: file.mapping, globalEpoch: globalEpoch, observer: observer)
        var books = RecordAllocation()
        books.reservedRecords = LedgerFile.recordChunk
        allocation = Lock(books)
        _ = memory.run(AdoptEpoch())
    }

    deinit {
        // The name is useless without the lock, which ends with the mapping.
        if processToken == ForkGuard.processToken { try? directory.remove(fileName) }
    }

    /// The epoch to which the ledger was raised last.
    public var ledgerEpoch: ServerEpoch {
        ServerEpoch(truncating: memory.word(.ledgerEpoch).load())
    }

    /// Writes a record, complete except for its word.
    ///
    /// No server sees it until it is filed.
    ///
    /// - Parameters:
    ///   - kind: what the record is about.
    ///   - body: the contents.
    ///   - outcomeCapacity: the bytes to reserve for ``release(_:outcome:)``, which cannot fail if
    ///     it needs no more.
    ///   - wantsMessage: whether the server sends a message with the grant instead of waking a
    ///     thread.
    ///   - requestedSlot: the slot in which the client requests a delegation of the item or its
    ///     directory, for the time after the claim.
    ///   - supplement: additional contents, at most ``LedgerLayout/maximumSupplementLength``
    ///     bytes.
    /// - Returns: the reference of the new record.
    /// - Throws: ``LedgerError`` if there is no room, or the file was truncated.
    public func write(
        kind: RecordKind, body: [UInt8], outcomeCapacity: Int = 0, wantsMessage: Bool = false,
        requestedSlot: RequestedSlot? = nil, supplement: [UInt8] = []
    ) throws(LedgerError) -> RecordReference {
        guard !isDamaged else { throw .cutOff }
        try checkLength(body.count)
        try checkLength(outcomeCapacity)
        precondition(
            supplement.count <= LedgerLayout.maximumSupplementLength, "A supplement is short")
        let room = try allocation.withLock { (books) throws(LedgerError) in
            try allocate(
                body: body.count, outcome: outcomeCapacity, supplement: supplement.count,
                in: &books)
        }
        Failpoint.reach(.before, .writesRecord)
        defer { Failpoint.reach(.after, .writesRecord) }
        typealias Record = LedgerLayout.Record
        let record = unsafe memory.mapping.base + LedgerLayout.record(room.index)
        let generation = memory.recordWord(room.index).generation &+ 1
        // A reader that sees any of the following stores also sees that the former claim is over.
        AtomicWord.fenceReleasing()
        var flags = wantsMessage ? LedgerLayout.Kind.wantsMessage : 0
        if !supplement.isEmpty {
            flags |= LedgerLayout.Kind.hasSupplement
            unsafe record.store(UInt32(supplement.count), at: Record.supplementLength)
            unsafe record.copy(supplement, to: Record.supplementLength - supplement.count)
        }
        unsafe record.store(UInt32(kind.rawValue) | flags, at: Record.kind)
        unsafe record.store(UInt32(body.count), at: Record.bodyLength)
        unsafe record.store(UInt32(room.body), at: Record.bodyOffset)
        let log = OutcomePlaces.Place(
            start: room.outcome == 0
                ? LedgerLayout.record(room.index)
                    + LedgerLayout.inlineOutcome(behind: room.body == 0 ? body.count : 0)
                : room.outcome,
            capacity: room.outcomeCapacity)
        outcomes[room.index] = log
        memory.outcomeExtent(room.index).storeReleasing(log.extent)
        unsafe record.store(requestedSlot?.encoded ?? 0, at: Record.requestedSlot)
        memory.serial(room.index).storeReleasing(0)
        memory.grantedAt(room.index).storeReleasing(ServerField.ungranted(generation))
        memory.presenterState(room.index).storeReleasing(0)
        memory.relocated(room.index).storeReleasing(ServerField.unmarked(generation))
        memory.filedAt(room.index).storeReleasing(MonotonicClock.now.nanoseconds)
        if room.body == 0 {
            unsafe record.copy(body, to: Record.inline)
        } else {
            unsafe memory.mapping.base.copy(body, to: room.body)
        }
        return RecordReference(index: UInt32(room.index), generation: generation)
    }

    /// Whether a claim was granted without a report of its release.
    ///
    /// A server may request a report at any time.
    public func isUnreported(_ reference: RecordReference) -> Bool {
        let word = memory.recordWord(Int(reference.index))
        return word.generation == reference.generation && word.state == .granted
            && word.flags == .unreported
    }

    /// Whether the arbiter may not know a claim: no server has looked at it yet, or it runs under
    /// an unreported grant.
    ///
    /// Also true for an unreported claim that the server has learned of meanwhile, because that
    /// does not make the server recall the process's delegations.
    public func isUnseen(_ reference: RecordReference) -> Bool {
        let word = memory.recordWord(Int(reference.index))
        if word.generation == reference.generation, word.state == .granted,
            word.flags.contains(.unreported)
        {
            return true
        }
        // A record that is not filed yet has the next generation.
        if word.state == .free, word.generation &+ 1 == reference.generation { return true }
        guard word.generation == reference.generation, word.state == .draft || word.state == .filed
        else { return false }
        return memory.serial(Int(reference.index)).load() == 0
    }

    /// Returns a record that was written and never filed.
    public func discard(_ reference: RecordReference) {
        allocation.withLock { $0.markFree(Int(reference.index)) }
    }

    /// Records that a claim is over, for callers that run the procedures themselves.
    package func markEnded(_ reference: RecordReference) {
        allocation.withLock { $0.markEnded(Int(reference.index)) }
    }

    /// Files a record.
    ///
    /// The caller must then tell the server to look at it, whatever this returns: `filed`, or
    /// `cancelled` if another thread was faster.
    @discardableResult
    public func file(_ reference: RecordReference) -> RecordState {
        let index = Int(reference.index)
        let free = memory.recordWord(index)
        guard isReady(free, for: reference) else { return .cancelled }
        switch memory.run(FileClaim(record: index, free: free)) {
        case .filed: return .filed
        case .withdrawn: return .cancelled
        }
    }

    /// Files a claim on an item that is delegated to this process by `delegation` in `slot`.
    ///
    /// Returns `granted` if the accessor may run and no server need be told; otherwise see
    /// ``file(_:)``. If the terms require it, the claim is granted with a report of its release.
    public func claimLocally(
        _ reference: RecordReference, slot: Int, delegation: SlotWord, isWriting: Bool = true
    ) -> RecordState {
        let index = Int(reference.index)
        let free = memory.recordWord(index)
        guard isReady(free, for: reference) else { return .cancelled }
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        let claim = ClaimLocally(
            record: index, free: free, slot: slot, delegation: delegation, isWriting: isWriting)
        switch memory.runAtOnce(claim) {
        case .granted: return .granted
        case .filed: return .filed
        case .withdrawn: return .cancelled
        }
    }

    /// Reads a slot's word, to see whether a local claim is possible.
    public func delegation(inSlot slot: Int) -> SlotWord {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        return SlotWord(rawValue: memory.word(.slot(slot)).load())
    }

    private func checkLength(_ length: Int) throws(LedgerError) {
        guard length <= LedgerLayout.maximumBodyLength else {
            throw .bodyTooLarge(length, limit: LedgerLayout.maximumBodyLength)
        }
    }

    /// Whether a written record can be filed.
    ///
    /// If not, another process has truncated the file or overwritten the word, and the ledger is
    /// damaged from now on.
    func isReady(_ free: RecordWord, for reference: RecordReference) -> Bool {
        let isReady = free.state == .free && free.generation &+ 1 == reference.generation
        if !isReady { overwritten[0] = 1 }
        return isReady
    }

    /// Whether another process has truncated the file or overwritten a record, so that no claim in
    /// it is valid any more.
    public var isDamaged: Bool {
        overwritten[0] != 0 || MappingGuard.wasTruncated(memory.mapping)
    }

    /// Reserves space in the file from `start` to `end`, which was never used.
    func makeRoom(from start: Int, to end: Int) throws(LedgerError) {
        try file.makeRoom(from: start, to: end)
    }

    /// Whether servers find the ledger by its name in `directory`, the `ledgers` folder of the
    /// runtime directory.
    public func isInPlace(in directory: Directory) -> Bool { file.isInPlace(in: directory) }

    /// Whether a claim of this process is granted, or a presenter registered.
    public var hasGrantedRecord: Bool {
        let mark = min(Int(memory.word(.recordMark).load()), LedgerLayout.recordCount)
        return (0..<mark).contains { memory.recordWord($0).state == .granted }
    }

    /// The ledger's file, for a server that cannot find it by its name.
    ///
    /// It is closed in forked children. It has no lock, so a copy of it does not make the client
    /// seem alive.
    public var descriptor: Descriptor { file.unlocked }
}
