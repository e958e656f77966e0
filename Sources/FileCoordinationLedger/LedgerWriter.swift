// SPDX-License-Identifier: Apache-2.0
//
// The client's side of its own ledger. Body first, word last: what is not complete is not to be
// seen. Allocation is under a lock; the words are not.

public import FileCoordinationSystem

/// This process's ledger.
///
/// All of it may be used from any thread, for different references at the same time. In a forked
/// child the memory is not there: touch nothing, and let go of nothing, of the parent's writer
/// there (``ForkGuard/isForkedChild`` tells); make a new one.
public final class LedgerWriter: Sendable {
    /// The name of the file in the directory of ledgers.
    public let fileName: String

    package let memory: LedgerMemory
    let allocation: Lock<RecordAllocation>
    /// A record that is known to be free.
    let spare = SpareNumber()
    private let directory: Directory
    private let file: LedgerFile
    /// The process that has the ledger.
    private let processToken: UInt64
    package let fault: LedgerFault?

    /// Makes a ledger in `directory`, the runtime directory's `ledgers`.
    ///
    /// When this returns, every server either finds the ledger or has been found by it.
    public convenience init(
        directory: Directory, globalEpoch: EpochFile, programName: String = CurrentProcess.name
    ) throws(LedgerError) {
        try self.init(
            directory: directory, globalEpoch: globalEpoch, programName: programName, fault: nil)
    }

    package init(
        directory: Directory, globalEpoch: EpochFile, programName: String = "",
        fault: LedgerFault?, observer: LedgerMemory.Observer? = nil,
        token: (UInt64, UInt64)? = nil
    ) throws(LedgerError) {
        processToken = ForkGuard.processToken
        self.directory = directory
        self.fault = fault
        file = try LedgerFile(
            in: directory, programName: programName, fault: fault,
            token: token ?? (.random(in: 0 ... .max), .random(in: 0 ... .max)))
        fileName = file.name
        memory = LedgerMemory(
            mapping: file.mapping, globalEpoch: globalEpoch, observer: observer)
        var books = RecordAllocation()
        books.reservedRecords = LedgerFile.recordChunk
        allocation = Lock(books)
        _ = memory.run(AdoptEpoch(fault: fault))
    }

    deinit {
        // The name is worth nothing without the lock, which goes with the mapping.
        if processToken == ForkGuard.processToken { try? directory.remove(fileName) }
    }

    /// The newest server that the ledger has been told of.
    public var ledgerEpoch: ServerEpoch {
        ServerEpoch(truncating: memory.word(.ledgerEpoch).load())
    }

    /// Writes a record, complete but for its word: no server sees it until it is filed.
    ///
    /// `thread` is any number by which the caller tells its threads and tasks apart.
    /// `outcomeCapacity` bytes are set aside for ``release(_:outcome:)``, so that it cannot fail if
    /// no more are needed. With `wantsMessage` the server sends a message when it grants, and wakes
    /// no thread. A claim with a `requestedSlot` would like its item, or the directory that it is
    /// in, delegated in that slot, when it is over or granted without a report. A `supplement`, of
    /// at most ``LedgerLayout/maximumSupplementLength`` bytes, is for servers that know of
    /// supplements.
    public func write(
        kind: RecordKind, body: [UInt8], outcomeCapacity: Int = 0, thread: UInt32 = 0,
        wantsMessage: Bool = false, requestedSlot: RequestedSlot? = nil, supplement: [UInt8] = []
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
        let record = memory.mapping.base + LedgerLayout.record(room.index)
        let generation = memory.recordWord(room.index).generation &+ 1
        // A reader that finds a bit of what follows finds that the former claim is over.
        AtomicWord.fenceReleasing()
        var flags = wantsMessage ? LedgerLayout.Kind.wantsMessage : 0
        if !supplement.isEmpty {
            flags |= LedgerLayout.Kind.hasSupplement
            record.store(UInt32(supplement.count), at: Record.supplementLength)
            record.copy(supplement, to: Record.supplementLength - supplement.count)
        }
        record.store(UInt32(kind.rawValue) | flags, at: Record.kind)
        record.store(thread, at: Record.thread)
        record.store(UInt32(body.count), at: Record.bodyLength)
        record.store(UInt32(room.body), at: Record.bodyOffset)
        memory.outcomeExtent(room.index).storeReleasing(UInt64(room.outcome) << 32)
        record.store(UInt32(room.outcomeCapacity), at: Record.outcomeCapacity)
        record.store(requestedSlot?.encoded ?? 0, at: Record.requestedSlot)
        memory.serial(room.index).storeReleasing(0)
        memory.grantedAt(room.index).storeReleasing(ServerField.ungranted(generation))
        memory.presenterState(room.index).storeReleasing(0)
        memory.relocated(room.index).storeReleasing(ServerField.unmarked(generation))
        memory.filedAt(room.index).storeReleasing(MonotonicClock.now)
        if room.body == 0 {
            record.copy(body, to: Record.inline)
        } else {
            memory.mapping.base.copy(body, to: room.body)
        }
        return RecordReference(index: UInt32(room.index), generation: generation)
    }

    /// Whether a claim was granted without a server that is told of its end; one may ask
    /// for that at any time.
    public func isUnreported(_ reference: RecordReference) -> Bool {
        let word = memory.recordWord(Int(reference.index))
        return word.generation == reference.generation && word.state == .granted
            && word.flags == .unreported
    }

    /// Whether the arbiter may not know of a claim that was written: no server has looked at it
    /// yet, or it runs by a grant whose end is not reported.
    ///
    /// One of those that was made known meanwhile counts, too: to learn of it, the server does not
    /// recall what is delegated to the same process.
    public func isUnseen(_ reference: RecordReference) -> Bool {
        let word = memory.recordWord(Int(reference.index))
        if word.generation == reference.generation, word.state == .granted,
            word.flags.contains(.unreported)
        {
            return true
        }
        // One that is not filed yet has the number that comes next.
        if word.state == .free, word.generation &+ 1 == reference.generation { return true }
        guard word.generation == reference.generation, word.state == .draft || word.state == .asked
        else { return false }
        return memory.serial(Int(reference.index)).load() == 0
    }

    /// Gives back a record that was written and never filed.
    public func discard(_ reference: RecordReference) {
        allocation.withLock { $0.markFree(Int(reference.index)) }
    }

    /// Records that the claim in a record is over, for callers that run the procedures themselves.
    package func markEnded(_ reference: RecordReference) {
        allocation.withLock { $0.markEnded(Int(reference.index)) }
    }

    /// Files a record.
    ///
    /// Tell the server to look at it afterwards, whatever this returns.
    ///
    /// `asked`, or `cancelled` if another thread was faster.
    @discardableResult
    public func file(_ reference: RecordReference) -> RecordState {
        let index = Int(reference.index)
        let free = memory.recordWord(index)
        guard isReady(free, for: reference) else { return .cancelled }
        switch memory.run(FileClaim(record: index, free: free, fault: fault)) {
        case .asked: return .asked
        case .withdrawn: return .cancelled
        }
    }

    /// Files a claim on a place that is delegated to this process by `delegation` in `slot`.
    ///
    /// `granted`: the accessor may run, and no server need be told. Otherwise as ``file(_:)``. What
    /// the terms of the delegation want reported is granted with a report.
    public func claimLocally(
        _ reference: RecordReference, slot: Int, delegation: SlotWord, isWriting: Bool = true
    ) -> RecordState {
        let index = Int(reference.index)
        let free = memory.recordWord(index)
        guard isReady(free, for: reference) else { return .cancelled }
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        switch claimAtOnce(index, free, slot, delegation, isWriting) {
        case .granted: return .granted
        case .asked: return .asked
        case .withdrawn: return .cancelled
        }
    }

    private func claimAtOnce(
        _ index: Int, _ free: RecordWord, _ slot: Int, _ delegation: SlotWord, _ isWriting: Bool
    ) -> ClaimLocally.Outcome {
        if let fault {
            return memory.run(
                ClaimLocally(
                    record: index, free: free, slot: slot, delegation: delegation,
                    isWriting: isWriting, fault: fault))
        }
        // Known to be without a fault, the procedure needs no look at it.
        return memory.runAtOnce(
            ClaimLocally(
                record: index, free: free, slot: slot, delegation: delegation,
                isWriting: isWriting))
    }

    /// A slot's word, to see whether claiming locally is worth while.
    public func delegation(inSlot slot: Int) -> SlotWord {
        precondition(slot >= 0 && slot < LedgerLayout.slotCount, "No slot \(slot)")
        return SlotWord(rawValue: memory.word(.slot(slot)).load())
    }

    private func checkLength(_ length: Int) throws(LedgerError) {
        guard length <= LedgerLayout.maximumBodyLength else {
            throw .bodyTooLarge(length, limit: LedgerLayout.maximumBodyLength)
        }
    }

    /// Whether a record that was written can be filed: not if the file was cut off meanwhile.
    private func isReady(_ free: RecordWord, for reference: RecordReference) -> Bool {
        let isReady = free.state == .free && free.generation &+ 1 == reference.generation
        precondition(isReady || isDamaged, "A record is filed once, after it was written")
        return isReady
    }

    /// Whether another process has cut the file off: no claim of this ledger counts any more.
    public var isDamaged: Bool { MappingGuard.wasTruncated(memory.mapping) }

    /// Makes room in the file from `start` to `end`, which no access has touched yet.
    func makeRoom(from start: Int, to end: Int) throws(LedgerError) {
        try file.makeRoom(from: start, to: end)
    }

    /// Whether servers find the ledger by its name in `directory`, the runtime directory's
    /// `ledgers`.
    public func isInPlace(in directory: Directory) -> Bool { file.isInPlace(in: directory) }

    /// The ledger's file, for a server that cannot find it by its name.
    ///
    /// Closed in forked children. Without a lock: a copy of it keeps no client alive.
    public var descriptor: Descriptor { file.unlocked }
}
