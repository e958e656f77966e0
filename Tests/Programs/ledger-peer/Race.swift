// SPDX-License-Identifier: Apache-2.0
//
// Two processes on two processors: does a record become visible before its client looks at the
// slot, or at the ledger epoch? In every round both sides start at the same moment, one to claim
// the place, the other one to take it away. Both perform what the real procedures say, on a real
// ledger; the one that finds the other one inside counts an overlap.

import FileCoordinationLedger
import FileCoordinationSystem
import Glibc
import LedgerExploration

/// What both sides of the race share.
struct Race {
    /// What the client checks in the race.
    enum Subject: String {
        /// A delegated claim against the revoking of its slot.
        case slot
        /// Filing against a new server's raising of the epoch, with the old server still granting.
        case epoch
    }

    let ledgers: Directory
    let globalEpoch: EpochFile
    let fault: PlantedFault?
    let subject: Subject
    private let shared: SharedMapping
    /// The round that has begun; 0 before the first, the largest number after the last.
    let go: AtomicWord
    /// The last round in which the client knows whether it is in.
    let clientDecided: AtomicWord
    /// The last round in which the server knows whether it is in.
    let serverDecided: AtomicWord
    /// The last round that the client has finished.
    let clientFinished: AtomicWord
    let overlaps: AtomicWord
    let clientAccesses: AtomicWord
    /// Whether one of them is in.
    private let inside: AtomicWord

    static let over = UInt64.max

    init(
        directory: Directory, ledgers: Directory, globalEpoch: EpochFile, fault: PlantedFault?,
        subject: String
    ) throws {
        self.ledgers = ledgers
        self.globalEpoch = globalEpoch
        self.fault = fault
        self.subject = Subject(rawValue: subject) ?? .slot
        let file = try directory.openFile("race", [.read, .write, .create])
        try FileSpace.reserve(file, length: 4096)
        shared = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
        go = shared.word(at: 0)
        clientDecided = shared.word(at: 256)
        serverDecided = shared.word(at: 512)
        clientFinished = shared.word(at: 768)
        overlaps = shared.word(at: 1024)
        clientAccesses = shared.word(at: 1280)
        inside = shared.word(at: 1536)
    }

    /// Accesses the place until the other side, too, has decided what to do in this round.
    func access(until other: AtomicWord, round: UInt64) {
        guard inside.compareExchange(expected: 0, desired: 1).exchanged else {
            overlaps.store(1)
            return
        }
        wait(for: other, toReach: round)
        inside.store(0)
    }

    /// Spins, because both sides must run at the same time.
    ///
    /// Yields now and then, in case there is only one processor.
    func wait(for word: AtomicWord, toReach round: UInt64) {
        var spins = 0
        while word.loadAcquiring() < round {
            spins += 1
            if spins % 4096 == 0 { sched_yield() }
        }
    }

    /// Passes a short time, which varies between rounds, so that the two sides meet in all ways.
    func linger(_ count: UInt64) {
        var rest = count
        while rest > 0 {
            _ = overlaps.loadAcquiring()
            rest -= 1
        }
    }

    /// Touches the lines of record and body, so that the other side's next stores to them take
    /// time.
    func touch(_ memory: LedgerMemory) {
        let record = memory.mapping.base + LedgerLayout.record(0)
        for line in 0..<8 { _ = (record + line * 64).load(as: UInt8.self) }
    }
}
