// SPDX-License-Identifier: Apache-2.0
//
// A server's view of a ledger in which anything may stand anywhere. Whatever it does there, it
// reads what is in the ledger or nothing, and leaves behind what it says it has done.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

enum LedgerTarget {
    @Sendable static func run(_ bytes: [UInt8]) throws {
        try stage.withLock { stage in
            let scene = try stage ?? LedgerScene()
            stage = scene
            try scene.play(Bytes(bytes))
        }
    }

    private static let stage = Lock<LedgerScene?>(nil)

    static var seeds: [[UInt8]] {
        let whole: [UInt8] = [2, 0, 1, 0, 0, 1, 1, 0, 0, 1, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4]
        let claim: [UInt8] = [8, 0, 1, 0, 5, 0, 1, 0, 3, 0]
        let presenter: [UInt8] = [8, 1, 2, 1, 5, 1, 1, 0, 3, 0]
        let actions = (0..<10).map { [11, UInt8($0), 0, 0, 1] as [UInt8] }
        return [whole, claim, presenter, [0, 8, 1, 2], [1, 255, 255, 255, 255, 255], [12, 4]]
            + actions.map { claim + $0 } + [claim + presenter + actions.flatMap { $0 }]
    }
}

/// One ledger and what was written into it, by a client and by a server.
final class LedgerScene {
    private let ledger: FuzzLedger
    private let header: [UInt8]
    /// What has to be made zero again.
    private var written: [Range<Int>] = []
    private var isHeaderWritten = false

    typealias Record = LedgerLayout.Record

    init() throws {
        let runtime = try FuzzDirectory.make()
        let epochs = try EpochFile(directory: runtime.directory)
        _ = try epochs.raise()
        ledger = try FuzzLedger(in: runtime.ledgers, epochs: epochs)
        header = Array(
            UnsafeRawBufferPointer(start: ledger.base, count: LedgerLayout.headerLength))
    }

    /// Does what the bytes say, looks at everything, and cleans up.
    func play(_ bytes: Bytes) throws {
        var input = bytes
        defer { reset() }
        var reader: LedgerReader?
        while !input.isAtEnd {
            let step = input.number(below: 13)
            if step < 11 {
                scribble(step, &input)
            } else if step == 11 {
                reader = reader ?? open()
                if let reader { try act(on: reader, &input) }
            } else if input.number(below: 8) == 4 {
                // Rarely: the kernel takes its time for it.
                return try cutOff(&input)
            }
        }
        guard let fresh = open() else { return }
        try look(at: fresh)
    }

    private func open() -> LedgerReader? {
        try? LedgerReader(
            directory: ledger.directory, name: ledger.writer.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
    }

    private func reset() {
        for range in written { ledger.erase(range) }
        written = []
        // The server writes an epoch there, too.
        ledger.write(isHeaderWritten ? header : Array(header.prefix(256)), at: 0)
        isHeaderWritten = false
    }

    // MARK: The client

    func note(slot: Int) { note(LedgerLayout.slots + slot * 8, 8) }

    private func note(_ offset: Int, _ count: Int) { written.append(offset..<offset + count) }

    private func recordIndex(_ input: inout Bytes) -> Int {
        let byte = input.byte()
        let index = byte < 0xF0 ? Int(byte % 16) : Int(input.size()) % LedgerLayout.recordCount
        note(LedgerLayout.record(index), LedgerLayout.recordLength)
        return index
    }

    private func scribble(_ step: Int, _ input: inout Bytes) {
        switch step {
        case 0:
            isHeaderWritten = true
            let offset = Int(input.byte())
            ledger.write(input.take(input.number(below: 64)), at: offset)
        case 1: ledger.writer.memory.word(.recordMark).store(UInt64(input.size()))
        case 2: ledger.writer.memory.word(.ledgerEpoch).store(UInt64(input.size()))
        case 3, 4:
            let record = ledger.record(recordIndex(&input))
            let fields = [
                Record.kind, Record.bodyLength, Record.bodyOffset, Record.outcomeLength,
                Record.outcomeOffset, Record.requestedSlot,
            ]
            let field = input.choice(fields)
            record.storeBytes(of: place(&input), toByteOffset: field, as: UInt32.self)
        case 5, 6:
            let index = recordIndex(&input)
            let word = UInt64(input.byte()) | UInt64(input.size()) << 8
            ledger.setWord(index, RecordWord(rawValue: word | UInt64(input.byte()) << 32))
            ledger.raiseMark(to: UInt64(index + 1))
        case 7:
            let offset = LedgerLayout.record(recordIndex(&input)) + Int(input.byte()) * 2
            let bytes = input.take(input.number(below: 128))
            note(offset, bytes.count)
            ledger.write(bytes, at: offset)
        case 8: fill(&input)
        case 9:
            let offset = LedgerLayout.heap + Int(input.size()) % (1 << 20)
            let bytes = input.take(input.number(below: 256))
            note(offset, bytes.count)
            ledger.write(bytes, at: offset)
        case _:
            let slot = input.number(below: 16)
            note(LedgerLayout.slots + slot * 8, 8)
            ledger.writer.memory.word(.slot(slot)).store(UInt64(input.size()) << 8 | 1)
        }
    }

    /// A length or an offset, or nonsense.
    private func place(_ input: inout Bytes) -> UInt32 {
        switch input.number(below: 4) {
        case 0: input.size()
        case 1: UInt32(LedgerLayout.heap) &+ input.size()
        case 2: UInt32(LedgerLayout.fileLength) &- input.size()
        case _: UInt32(LedgerLayout.maximumBodyLength) &+ input.size() &- 64
        }
    }

    /// A valid record, with a log.
    private func fill(_ input: inout Bytes) {
        let index = input.number(below: 16)
        note(LedgerLayout.record(index), LedgerLayout.recordLength)
        note(LedgerLayout.heap + index * 8192, 8192)
        let isPresenter = input.number(below: 2) == 1
        let body = isPresenter ? DecoderSeeds.presenter.encode() : DecoderSeeds.claim.encode()
        ledger.fill(
            index, kind: isPresenter ? .presenter : .claim, body: body,
            wantsMessage: input.number(below: 2) == 1)
        let announcement = input.choice(DecoderSeeds.announcements)
        ledger.appendToLog(
            index, (try? ClaimLogEntry.announced(announcement).encodeChecked()) ?? [])
        let state = input.choice([RecordState.filed, .granted, .released, .cancelled, .draft])
        ledger.setWord(
            index,
            RecordWord(state, [], ServerEpoch(truncating: 1), generation: UInt32(input.byte()))
        )
        ledger.raiseMark(to: UInt64(index + 1))
    }

    /// Makes the file shorter under a reader's eyes, and whole again.
    private func cutOff(_ input: inout Bytes) throws {
        guard let reader = open() else { return }
        let length = Int(input.size()) << (input.number(below: 3) * 7) % LedgerLayout.fileLength
        let file = try ledger.directory.openFile(ledger.writer.fileName, [.read, .write])
        try FileSpace.truncate(file, length: UInt64(min(length, LedgerLayout.fileLength)))
        defer {
            try? FileSpace.truncate(file, length: UInt64(LedgerLayout.fileLength))
            ledger.write(header, at: 0)
            isHeaderWritten = true
        }
        for snapshot in reader.scan().prefix(64) {
            _ = reader.body(snapshot.reference)
            _ = reader.outcome(snapshot.reference)
        }
        for index in 0..<4 { _ = reader.body(RecordReference(index: UInt32(index), generation: 0)) }
        try? reader.raise(to: ServerEpoch(truncating: 9))
        let isWhole = length >= LedgerLayout.record(1)
        try require(reader.isDamaged || isWhole, "\(length) bytes are taken for a whole ledger")
    }
}
