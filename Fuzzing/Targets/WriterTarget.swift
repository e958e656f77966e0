// SPDX-License-Identifier: Apache-2.0
//
// A client that uses its ledger while another process writes anything into it. The client must not
// end, and must not copy anything from or to a place that is not its own. What nothing was written
// into reads as it should.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import Glibc

enum WriterTarget {
    @Sendable static func run(_ bytes: [UInt8]) throws {
        try stage.withLock { stage in
            let ready = try stage ?? Stage()
            stage = ready
            var play = try WriterPlay(in: ready)
            try play.perform(Bytes(bytes))
        }
    }

    struct Stage {
        let runtime: RuntimeDirectory
        let epochs: EpochFile
        let epoch: ServerEpoch

        init() throws {
            runtime = try FuzzDirectory.make()
            epochs = try EpochFile(directory: runtime.directory)
            epoch = try epochs.raise()
        }
    }

    private static let stage = Lock<Stage?>(nil)

    static var seeds: [[UInt8]] {
        let claim: [UInt8] = [0, 9, 40, 2, 0, 3, 0]
        let append: [UInt8] = [4, 0, 200, 8]
        let release: [UInt8] = [5, 0]
        let local: [UInt8] = [8, 1, 1, 20]
        let ending = append + release
        var all: [[UInt8]] = [claim + append + ending, local + ending, [0, 9, 40, 6, 0]]
        for kind in 0..<8 as Range<UInt8> {
            let scribble: [UInt8] = [9, 0, kind, 255, 255, 255, 255, 255]
            all.append(claim + scribble + ending)
            all.append(local + scribble + ending)
            all.append([0, 9, 40] + scribble + [2, 0, 0, 9, 40])
        }
        return all
    }
}

/// One ledger, its client, a server, and another process that may write.
private struct WriterPlay {
    /// A record that the client uses.
    private struct Used {
        let reference: RecordReference
        var log: [UInt8] = []
        var isFiled = false
        var isGranted = false
    }

    private let epoch: ServerEpoch
    private let writer: LedgerWriter
    private let reader: LedgerReader
    private var used: [Used] = []
    private var isScribbled = false

    typealias Record = LedgerLayout.Record

    init(in stage: WriterTarget.Stage) throws {
        epoch = stage.epoch
        writer = try LedgerWriter(
            directory: stage.runtime.ledgers, globalEpoch: stage.epochs, programName: "fuzz")
        reader = try LedgerReader(
            directory: stage.runtime.ledgers, name: writer.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
    }

    mutating func perform(_ bytes: Bytes) throws {
        var input = bytes
        while !input.isAtEnd {
            switch input.number(below: 11) {
            case 0, 1: write(&input)
            case 2: pick(&input) { play, index, _ in play.file(index) }
            case 3: pick(&input) { play, index, _ in play.grant(index) }
            case 4: try append(&input)
            case 5: pick(&input) { play, index, _ in play.release(index) }
            case 6: pick(&input) { play, index, _ in play.giveUp(index) }
            case 7: pick(&input) { play, index, input in play.look(index, &input) }
            case 8: claimLocally(&input)
            case 9: scribble(&input)
            case _: scribbleSlot(&input)
            }
        }
        try check()
        for index in used.indices.reversed() { release(index) }
    }

    private mutating func pick(
        _ input: inout Bytes, _ act: (inout WriterPlay, Int, inout Bytes) -> Void
    ) {
        let number = input.byte()
        guard !used.isEmpty else { return }
        act(&self, Int(number) % used.count, &input)
    }

    // MARK: The client

    private mutating func write(_ input: inout Bytes) {
        let body = [UInt8](repeating: 0xBB, count: Int(input.size()) % 6000)
        let capacity = Int(input.size()) % 6000
        // A full or damaged ledger is an error.
        guard used.count < 64,
            let reference = try? writer.write(
                kind: .claim, body: body, outcomeCapacity: capacity)
        else { return }
        used.append(Used(reference: reference))
    }

    private mutating func file(_ index: Int) {
        guard !used[index].isFiled else { return }
        used[index].isFiled = true
        if writer.file(used[index].reference) != .filed { used.remove(at: index) }
    }

    private mutating func grant(_ index: Int) {
        guard used[index].isFiled, !used[index].isGranted else { return }
        used[index].isGranted = reader.grant(used[index].reference, epoch) == .granted
        _ = writer.takeGrant(used[index].reference)
    }

    private mutating func append(_ input: inout Bytes) throws {
        let number = Int(input.byte())
        let count = Int(input.size()) % 3000
        let reserve = Int(input.byte())
        guard !used.isEmpty else { return }
        let index = number % used.count
        let mark = UInt8(truncatingIfNeeded: used[index].log.count)
        let more = [UInt8](repeating: mark, count: count)
        // A log that is too long is an error.
        let isDone = try? writer.appendOutcome(used[index].reference, more, reserving: reserve)
        if isDone == true { used[index].log += more }
    }

    private mutating func release(_ index: Int) {
        let record = used[index].reference
        if !used[index].isFiled {
            writer.discard(record)
        } else if !writer.releaseLocally(record) {
            // A log that is too long is an error.
            let result = try? writer.release(record, outcome: [1, 2, 3])
            if result != .released && result != .freed { _ = writer.cancel(record) }
            reader.reap(record, epoch)
        }
        used.remove(at: index)
    }

    private mutating func giveUp(_ index: Int) {
        guard used[index].isFiled else { return release(index) }
        if writer.cancel(used[index].reference) {
            reader.reap(used[index].reference, epoch)
            used.remove(at: index)
        }
    }

    private func look(_ index: Int, _ input: inout Bytes) {
        let record = used[index].reference
        _ = (writer.state(of: record), writer.isUnreported(record), writer.isUnseen(record))
        _ = (writer.isRelocated(record), writer.isRelocationLost(record), writer.serial(of: record))
        writer.setRelinquished(record, reader: input.byte() & 1 != 0)
        writer.wake(record)
    }

    private mutating func claimLocally(_ input: inout Bytes) {
        let slot = input.number(below: 4)
        let delegation = writer.delegation(inSlot: slot)
        let template = [UInt8](repeating: 0xCC, count: Int(input.size()) % 400)
        guard used.count < 64,
            let reference = writer.writeLocally(
                template, outcomeCapacity: 12, at: MonotonicClock.now, adjust: { _ in })
        else { return }
        let state = writer.claimLocally(reference, slot: slot, delegation: delegation)
        guard state != .cancelled else { return }
        used.append(Used(reference: reference, isFiled: true, isGranted: state == .granted))
        if state == .filed { grant(used.count - 1) }
    }

    // MARK: The other process

    private mutating func scribble(_ input: inout Bytes) {
        isScribbled = true
        let index = Int(input.byte()) % 16
        let record = writer.memory.mapping.base + LedgerLayout.record(index)
        switch input.number(below: 8) {
        case 0:
            let word = UInt64(input.integer(UInt32.self)) << 32 | UInt64(input.integer(UInt32.self))
            writer.memory.word(.record(index)).store(word)
        case 1:
            record.storeBytes(of: input.size(), toByteOffset: Record.bodyLength, as: UInt32.self)
        case 2:
            record.storeBytes(of: input.size(), toByteOffset: Record.bodyOffset, as: UInt32.self)
        case 3:
            record.storeBytes(
                of: input.integer(UInt32.self), toByteOffset: Record.outcomeLength, as: UInt32.self)
        case 4:
            record.storeBytes(
                of: input.integer(UInt32.self), toByteOffset: Record.outcomeOffset, as: UInt32.self)
        case 5: writer.memory.word(.recordMark).store(UInt64(input.size()))
        case 6: writer.memory.word(.ledgerEpoch).store(UInt64(input.size()))
        case _:
            let offset = Int(input.byte()) * 2 & ~7
            record.storeBytes(
                of: UInt64(input.integer(UInt32.self)) << 32, toByteOffset: offset, as: UInt64.self)
        }
    }

    private mutating func scribbleSlot(_ input: inout Bytes) {
        isScribbled = true
        let word = UInt64(input.size()) << 8 | UInt64(input.byte())
        writer.memory.word(.slot(input.number(below: 4))).store(word)
    }

    /// Without a foreign word, a server reads all that the client has written.
    private func check() throws {
        guard !isScribbled else { return }
        try require(!writer.isDamaged, "damaged without a scribble")
        for record in used where record.isFiled {
            let isRead = reader.outcome(record.reference) == record.log
            try require(isRead, "a log of \(record.log.count) bytes is lost")
        }
    }
}
