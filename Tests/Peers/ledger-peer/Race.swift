// SPDX-License-Identifier: Apache-2.0
//
// Two processes on two processors, as fast as they can: does the record become visible before its
// client looks at the slot, or at the ledger epoch? One place, one accessor at a time; both sides go
// through the real procedures, and whoever finds the other one inside counts an overlap.

import FileCoordinationLedger
import FileCoordinationSystem
import Glibc

/// Either side of the race.
struct Race {
    private let ledgers: Directory
    private let globalEpoch: EpochFile
    private let fault: LedgerFault?
    private let shared: SharedMapping
    /// Who is in: 0 nobody, 1 somebody.
    private let inside: AtomicWord
    private let overlaps: AtomicWord
    private let clientAccesses: AtomicWord
    private let stop: AtomicWord

    init(
        directory: Directory, ledgers: Directory, globalEpoch: EpochFile, fault: LedgerFault?
    ) throws {
        self.ledgers = ledgers
        self.globalEpoch = globalEpoch
        self.fault = fault
        let file = try directory.openFile("race", [.read, .write, .create])
        try FileSpace.reserve(file, length: 4096)
        shared = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
        inside = shared.word(at: 0)
        overlaps = shared.word(at: 256)
        clientAccesses = shared.word(at: 512)
        stop = shared.word(at: 768)
    }

    private func access() {
        if !inside.compareExchange(expected: 0, desired: 1).exchanged {
            overlaps.store(overlaps.load() + 1)
            return
        }
        for _ in 0..<20 { _ = inside.loadRelaxed() }
        inside.store(0)
    }

    // MARK: The client

    func runClient(onSlot: Bool) throws {
        let writer = try LedgerWriter(directory: ledgers, globalEpoch: globalEpoch, fault: fault)
        // Extends the mark, once.
        let reference = try writer.write(kind: .claim, body: [0])
        writer.discard(reference)
        let memory = writer.memory
        print("ready")
        fflush(nil)
        let body = memory.mapping.base + LedgerLayout.record(0) + LedgerLayout.Record.inline
        var round: UInt8 = 0
        while stop.loadRelaxed() == 0 {
            round &+= 1
            // A body as any claim has one: plain stores, behind which that of the word must queue.
            for line in 0..<6 {
                (body + line * 64).storeBytes(of: round, as: UInt8.self)
            }
            let free = RecordWord(rawValue: memory.word(.record(0)).load())
            let isIn = onSlot ? claimLocally(memory, free) : fileAndBeGranted(memory, free)
            if isIn {
                access()
                clientAccesses.storeRelaxed(clientAccesses.loadRelaxed() + 1)
            }
            leave(memory, generation: free.generation &+ 1)
        }
    }

    /// Concrete, not generic: in a debug build generic code goes through the runtime, whose own
    /// atomic operations would order everything.
    private func claimLocally(_ memory: LedgerMemory, _ free: RecordWord) -> Bool {
        let delegation = SlotWord(rawValue: memory.word(.slot(0)).load())
        guard delegation.isDelegated else { return false }
        var procedure = ClaimLocally(
            record: 0, free: free, slot: 0, delegation: delegation, fault: fault)
        var observed: UInt64 = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation): observed = memory.perform(operation, deadline: nil)
            case .finished(.granted): return true
            case .finished(.asked), .finished(.withdrawn): return false
            }
        }
    }

    /// Files, and is granted by a host that does not know yet that it was deposed: odd epochs are
    /// its reigns, even ones are those of the other process.
    private func fileAndBeGranted(_ memory: LedgerMemory, _ free: RecordWord) -> Bool {
        let epoch = HostEpoch(truncating: memory.word(.ledgerEpoch).load())
        guard epoch.rawValue % 2 == 1 else { return false }
        var procedure = FileClaim(record: 0, free: free, fault: fault)
        var observed: UInt64 = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .perform(let operation):
                observed = memory.perform(operation, deadline: nil)
            case .finished(.asked(let word)):
                let asked = word.epoch == epoch
                let granted = GrantClaim(record: 0, generation: word.generation, epoch: epoch)
                return asked && memory.run(granted) == .granted
            case .finished(.withdrawn):
                return false
            }
        }
    }

    private func leave(_ memory: LedgerMemory, generation: UInt32) {
        if memory.run(ReleaseClaim(record: 0, generation: generation)) == .notGranted {
            _ = memory.run(CancelClaim(record: 0, generation: generation))
        }
        _ = memory.run(ReapRecord(record: 0, generation: generation, epoch: .maximum))
    }

    // MARK: The host

    func runHost(onSlot: Bool, rounds: Int, seconds: UInt64) throws {
        var name: String?
        while name == nil { name = try ledgers.names().first { LedgerName.isFinal($0) } }
        let reader = try LedgerReader(
            directory: ledgers, name: name ?? "", expectedOwner: CurrentProcess.effectiveUserID)
        let deadline = MonotonicClock.now + seconds * 1_000_000_000
        var accesses = 0
        var round = 0
        var epoch = try globalEpoch.raise()
        // The first reign of the other one is odd.
        if epoch.rawValue % 2 == 0 { epoch = epoch.successor ?? epoch }
        try reader.raise(to: epoch)
        while round < rounds, MonotonicClock.now < deadline {
            round += 1
            let isFree: Bool
            if onSlot {
                isFree = try revokeOnce(reader, epoch, spin: round & 63)
            } else {
                epoch = try raise(reader, beyond: epoch)
                isFree = isUnused(reader)
            }
            if isFree {
                access()
                accesses += 1
            }
            if !onSlot { epoch = try handBack(reader, after: epoch, spin: round & 63) }
            // A wrong client is found at once; a right one never.
            if overlaps.load() > 0 { break }
        }
        stop.store(1)
        print("\(overlaps.load()) \(accesses) \(clientAccesses.load()) \(round)")
    }

    /// Takes over.
    private func raise(_ reader: LedgerReader, beyond epoch: HostEpoch) throws -> HostEpoch {
        guard let next = epoch.successor else { return epoch }
        touchBody(reader)
        try reader.raise(to: next)
        return next
    }

    /// Lets the other host, and so the client, work for a while.
    private func handBack(
        _ reader: LedgerReader, after epoch: HostEpoch, spin: Int
    ) throws -> HostEpoch {
        guard let next = epoch.successor else { return epoch }
        try reader.raise(to: next)
        for _ in 0..<spin { _ = reader.memory.word(.record(0)).loadAcquiring() }
        return next
    }

    /// Delegates, lets the client work, and revokes. Whether nobody holds the place now.
    private func revokeOnce(
        _ reader: LedgerReader, _ epoch: HostEpoch, spin: Int
    ) throws -> Bool {
        guard let delegation = try reader.delegate(slot: 0, epoch) else { return false }
        for _ in 0..<spin { _ = reader.memory.word(.record(0)).loadAcquiring() }
        touchBody(reader)
        return try reader.revoke(slot: 0, delegation, epoch).isEmpty && isUnused(reader)
    }

    /// Whether the record, as the host sees it now, is not a claim that holds the place.
    private func isUnused(_ reader: LedgerReader) -> Bool {
        touchBody(reader)
        let word = RecordWord(rawValue: reader.memory.word(.record(0)).load())
        switch word.state {
        case .granted: return false
        case .asked, .draft, .free, .released, .cancelled, nil: return true
        }
    }

    /// Brings the body's lines here, so that the client's next stores to them take their time.
    private func touchBody(_ reader: LedgerReader) {
        let body = reader.memory.mapping.base + LedgerLayout.record(0)
            + LedgerLayout.Record.inline
        for line in 0..<6 { _ = (body + line * 64).load(as: UInt8.self) }
    }
}
