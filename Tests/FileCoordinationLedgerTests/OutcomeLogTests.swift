// SPDX-License-Identifier: Apache-2.0
//
// The log of a granted claim: the client only appends to it. A server that reads it at any time
// sees a prefix of the complete log.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc
import Testing

@testable import FileCoordinationLedger

struct OutcomeLogTests {
    private let world: LedgerWorld
    private let writer: LedgerWriter
    private let reader: LedgerReader

    init() throws {
        world = try LedgerWorld()
        writer = try world.writer()
        reader = try world.reader(of: writer)
    }

    /// A claim that is filed and granted.
    private func granted(
        body: Int = 0, outcomeCapacity: Int = 0
    ) throws -> RecordReference {
        let claim = try writer.write(
            kind: .claim, body: [UInt8](repeating: 0xBB, count: body),
            outcomeCapacity: outcomeCapacity)
        writer.file(claim)
        #expect(reader.grant(claim, world.epoch) == .granted)
        return claim
    }

    /// Bytes that say where in the log they are.
    private func pattern(_ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// The offset of the log in the heap; nil if the log is in the record.
    private func heapOffset(_ claim: RecordReference) -> Int? {
        let extent = reader.memory.outcomeExtent(Int(claim.index)).load()
        return extent >> 32 == 0 ? nil : Int(extent >> 32)
    }

    // MARK: Growing

    @Test(arguments: [0, 1, 100, 431, 432, 433, 5000])
    func `A log grows from the record into the heap, and there again`(_ body: Int) throws {
        let claim = try granted(body: body)
        var length = 0
        var places: [Int?] = [heapOffset(claim)]
        for count in [0, 1, 7, 8, 100, 300, 1, 0, 600, 5000, 3, 100_000] {
            let more = pattern(length..<length + count)
            #expect(try writer.appendOutcome(claim, more, reserving: 12))
            length += count
            #expect(reader.outcome(claim) == pattern(0..<length))
            #expect(reader.body(claim) == [UInt8](repeating: 0xBB, count: body))
            if places.last != heapOffset(claim) { places.append(heapOffset(claim)) }
        }
        #expect(places.count >= 3, "it moved once only")
        let end = pattern(length..<length + 12)
        #expect(try writer.release(claim, outcome: end) == .released)
        #expect(reader.outcome(claim) == pattern(0..<length + 12))
        #expect(reader.reap(claim, world.epoch))
        #expect(reader.outcome(claim) == nil)
    }

    @Test func `A log is read from any byte on, and from nowhere else`() throws {
        for length in [0, 5, 3000] {
            let claim = try granted(body: 3)
            #expect(try writer.appendOutcome(claim, pattern(0..<length), reserving: 0))
            for start in 0...length {
                #expect(reader.outcome(claim, from: start) == pattern(start..<length))
            }
            for start in [length + 1, 513, LedgerLayout.heap, .max, -1, -513, .min]
            where !(0...length).contains(start) {
                #expect(reader.outcome(claim, from: start) == nil, "from \(start)")
            }
        }
    }

    @Test func `Nothing that was given up is written over while its claim lasts`() throws {
        let claims = try (0..<8).map { _ in try granted() }
        var lengths = [Int](repeating: 0, count: claims.count)
        for round in 1...60 {
            for (index, claim) in claims.enumerated() {
                let count = (round * 31 + index * 17) % 300
                let more = pattern(lengths[index]..<lengths[index] + count)
                #expect(try writer.appendOutcome(claim, more, reserving: index))
                lengths[index] += count
            }
            for (claim, length) in zip(claims, lengths) {
                #expect(reader.outcome(claim) == pattern(0..<length))
            }
        }
        // Released room is used again, and shows nothing of the former log.
        for claim in claims {
            #expect(try writer.release(claim) == .released)
            reader.reap(claim, world.epoch)
        }
        let next = try granted()
        #expect(reader.outcome(next) == [])
        #expect(try writer.appendOutcome(next, [1, 2], reserving: 2000))
        #expect(reader.outcome(next) == [1, 2])
    }

    /// A server must neither miss anything nor see half of something.
    @Test func `Who reads all the time sees a beginning of the whole, and ever more`() throws {
        let count = 2000
        let lengths = (0..<count).map { $0 * 37 % 2990 + 1 }
        let whole = pattern(0..<lengths.reduce(0, +))
        let claim = try granted(body: 20)
        let progress = Monitor(Progress())
        let reader = reader
        try DetachedThread.start(name: "log-reader") {
            var seen = 0
            var look = 0
            var isOver = false
            while !isOver {
                isOver = progress.withLock { $0.isComplete }
                // Mostly reads only new bytes, which is quick; now and then the whole log.
                let start = look.isMultiple(of: 32) ? 0 : seen
                let bytes = reader.outcome(claim, from: start) ?? []
                let isFine =
                    start + bytes.count >= seen
                    && Self.isBeginning(bytes, of: whole, from: start)
                seen = max(seen, start + bytes.count)
                look += 1
                progress.withLock { progress in
                    progress.looks = look
                    progress.seen = seen
                    if !isFine { progress.faults += 1 }
                    progress.isOver = isOver
                }
                progress.notifyAll()
            }
        }
        var written = 0
        var lengthsSeen: Set<Int> = []
        for (index, length) in lengths.enumerated() {
            let more = Array(whole[written..<written + length])
            #expect(try writer.appendOutcome(claim, more, reserving: 5))
            written += length
            // Otherwise a fast writer would be done before the reader has begun.
            guard index.isMultiple(of: 50) else { continue }
            let looks = progress.withLock { $0.looks }
            lengthsSeen.insert(
                progress.wait { $0.looks > looks ? $0.seen : nil } ?? 0)
        }
        progress.withLock { $0.isComplete = true }
        #expect(progress.wait { $0.isOver })
        let end = progress.withLock { $0 }
        #expect(end.faults == 0)
        #expect(end.seen == whole.count)
        #expect(lengthsSeen.count > 20)
    }

    /// Otherwise a server could act on bytes that are not written yet.
    @Test func `What takes long to write is not seen before its last byte is there`() throws {
        let length = 1 << 19
        for byte: UInt8 in 1...8 {
            let claim = try granted(body: 20)
            let lastSeen = Monitor<UInt8?>(nil)
            let reader = reader
            try DetachedThread.start(name: "log-reader") {
                while true {
                    guard let last = reader.outcome(claim, from: length - 1)?.first else {
                        continue
                    }
                    lastSeen.withLock { $0 = last }
                    return lastSeen.notifyAll()
                }
            }
            let bytes = [UInt8](repeating: byte, count: length)
            #expect(try writer.appendOutcome(claim, bytes, reserving: 5))
            #expect(lastSeen.wait { $0 } == byte)
        }
    }

    private struct Progress: Sendable {
        var looks = 0
        var seen = 0
        var faults = 0
        var isComplete = false
        var isOver = false
    }

    /// Whether `bytes` are what is in `whole` from a place on.
    private static func isBeginning(_ bytes: [UInt8], of whole: [UInt8], from start: Int) -> Bool {
        guard start + bytes.count <= whole.count else { return false }
        return bytes.withUnsafeBytes { left in
            whole.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else {
                    return bytes.isEmpty
                }
                return memcmp(left, right + start, bytes.count) == 0
            }
        }
    }

    // MARK: Room

    /// Takes all of the heap that is left.
    private func exhaustHeap() throws {
        for length in [4 << 20, 1 << 20, 64 << 10, 4 << 10, 512] {
            do {
                while true {
                    _ = try writer.write(
                        kind: .claim, body: [UInt8](repeating: 0, count: max(length, 433)))
                }
            } catch LedgerError.bodyTooLarge {
                continue
            }
        }
    }

    @Test(arguments: [0, 300, 20_000])
    func `Room that was reserved is there at the end, even if no other is`(_ said: Int) throws {
        let outcome = 800
        let claims = try [0, 10, 500].map { body in
            let claim = try granted(body: body, outcomeCapacity: outcome)
            if said > 0 {
                #expect(try writer.appendOutcome(claim, pattern(0..<said), reserving: outcome))
            }
            return claim
        }
        try exhaustHeap()
        #expect(throws: LedgerError.self) { try writer.write(kind: .claim, body: pattern(0..<433)) }
        for claim in claims {
            // What has no room is refused, and spoils nothing.
            #expect(throws: LedgerError.self) {
                try writer.appendOutcome(claim, pattern(0..<60_000), reserving: outcome)
            }
            #expect(reader.outcome(claim) == pattern(0..<said))
            let end = pattern(said..<said + outcome)
            #expect(try writer.release(claim, outcome: end) == .released)
            #expect(reader.outcome(claim) == pattern(0..<said + outcome))
        }
    }

    @Test func `A log as long as it may be is told from one that is longer`() throws {
        let claim = try granted()
        let half = [UInt8](repeating: 1, count: LedgerLayout.maximumBodyLength / 2)
        #expect(try writer.appendOutcome(claim, half, reserving: half.count))
        #expect(throws: LedgerError.self) {
            try writer.appendOutcome(claim, half, reserving: 1)
        }
        #expect(throws: LedgerError.self) { try writer.release(claim, outcome: half + [1]) }
        #expect(writer.state(of: claim) == .granted)
        #expect(reader.outcome(claim)?.count == half.count)
        #expect(try writer.release(claim, outcome: half) == .released)
        #expect(reader.outcome(claim)?.count == LedgerLayout.maximumBodyLength)
    }

    // MARK: Not granted, or not any more

    @Test func `Nothing is said of what is not granted`() throws {
        let discarded = try writer.write(kind: .claim, body: [1])
        #expect(try !writer.appendOutcome(discarded, [9], reserving: 0))
        #expect(reader.outcome(discarded) == nil)
        writer.discard(discarded)
        #expect(try !writer.appendOutcome(discarded, [9], reserving: 0))

        let asked = try writer.write(kind: .claim, body: [1])
        writer.file(asked)
        #expect(try !writer.appendOutcome(asked, [9], reserving: 0))
        #expect(reader.outcome(asked) == [])
        #expect(reader.grant(asked, world.epoch) == .granted)
        #expect(try writer.appendOutcome(asked, [9], reserving: 0))
        #expect(try writer.release(asked, outcome: [8]) == .released)
        #expect(try !writer.appendOutcome(asked, [7], reserving: 0))
        #expect(try writer.release(asked, outcome: [6]) == .notGranted)
        #expect(reader.outcome(asked) == [9, 8])
    }

    @Test func `Another use of the record has a log of its own`() throws {
        let former = try granted()
        #expect(try writer.appendOutcome(former, [1, 2, 3], reserving: 0))
        #expect(try writer.release(former) == .released)
        reader.reap(former, world.epoch)
        let present = try granted()
        try #require(present.index == former.index)
        #expect(reader.outcome(present) == [])
        #expect(try !writer.appendOutcome(former, [4], reserving: 0))
        #expect(try writer.release(former, outcome: [5]) == .notGranted)
        #expect(try writer.appendOutcome(present, [6], reserving: 0))
        #expect(reader.outcome(former) == nil)
        #expect(reader.outcome(former, from: 1) == nil)
        #expect(reader.outcome(present) == [6])
    }
}
