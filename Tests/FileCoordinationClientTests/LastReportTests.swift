// SPDX-License-Identifier: Apache-2.0
//
// When a client reports the end of a write by a message, and when it relies on the server to look
// (`LastReport`). The last test tries every order of what both do.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationLedger

@Suite struct LastReportTests {
    /// A directory with a ledger, removed with this object.
    private final class Home {
        let path: String
        let epoch: ServerEpoch
        let ledger: LedgerWriter

        init() throws {
            path =
                FileManager.default.temporaryDirectory
                .appendingPathComponent("report-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let directory = try Directory.open(path)
            let epochs = try EpochFile(directory: directory)
            epoch = try epochs.raise()
            ledger = try LedgerWriter(
                directory: directory, globalEpoch: epochs, programName: "test")
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let home: Home
    private var ledger: LedgerWriter { home.ledger }

    init() throws { home = try Home() }

    /// The record of a write that has ended and is to be reported.
    private func ended() throws -> RecordReference {
        let record = try ledger.write(kind: .claim, body: [1], outcomeCapacity: 8)
        let index = Int(record.index)
        let free = ledger.memory.recordWord(index)
        let released = RecordWord(
            .released, [.unreported, .reportsRelease], free.epoch, generation: record.generation)
        ledger.memory.word(.record(index)).store(released.rawValue)
        return record
    }

    private func giveBack(_ record: RecordReference) {
        let word = ledger.memory.word(.record(Int(record.index)))
        let free = RecordWord(
            .free, [], RecordWord(rawValue: word.load()).epoch, generation: record.generation)
        word.store(free.rawValue)
    }

    @Test func `Without a server that looks by itself, each end is reported`() throws {
        let last = LastReport()
        let first = try ended()
        #expect(last.mustSend(first, in: ledger))
        #expect(last.mustSend(try ended(), in: ledger))
    }

    @Test func `While the last reported record is kept, no message is sent`() throws {
        let last = LastReport()
        last.trust()
        let first = try ended()
        #expect(last.mustSend(first, in: ledger))
        #expect(!last.mustSend(try ended(), in: ledger))
        giveBack(first)
        let second = try ended()
        #expect(last.mustSend(second, in: ledger))
        #expect(!last.mustSend(try ended(), in: ledger))
    }

    @Test func `Many ends in a row are reported, although the record is kept`() throws {
        let last = LastReport()
        last.trust()
        var messages = 0
        for _ in 0..<(4 * LastReport.mostSilent) where last.mustSend(try ended(), in: ledger) {
            messages += 1
        }
        #expect(messages == 4)
    }

    @Test func `When the connection ends, an unread report is known`() throws {
        let last = LastReport()
        last.trust()
        #expect(!last.forget(in: ledger))
        let first = try ended()
        #expect(last.mustSend(first, in: ledger))
        #expect(last.forget(in: ledger))
        // Another server is not trusted before its first message.
        #expect(last.mustSend(try ended(), in: ledger))
        last.trust()
        let second = try ended()
        _ = last.mustSend(second, in: ledger)
        #expect(!last.mustSend(try ended(), in: ledger))
        #expect(last.forget(in: ledger))
        #expect(!last.forget(in: ledger))
    }

    /// One of two writes was reported, and the other one ends while the server returns the first.
    ///
    /// Both sides take their steps in every order. Each end is reported or seen.
    @Test func `No end is both unreported and unseen`() {
        let epoch = home.epoch
        let flags: RecordFlags = [.unreported, .reportsRelease]
        for order in Self.orders(client: 4, server: 4) {
            var words: [MemoryCell: UInt64] = [
                .record(1): RecordWord(.released, flags, epoch, generation: 1).rawValue,
                .record(2): RecordWord(.granted, flags, epoch, generation: 1).rawValue,
            ]
            func state(_ index: Int) -> RecordState? {
                words[.record(index)].flatMap { RecordWord(rawValue: $0).state }
            }
            var release = Steps(ReleaseClaim(record: 2, generation: 1))
            var reap = Steps(ReapRecord(record: 1, generation: 1, epoch: epoch))
            var isReported: Bool?
            var isSeen: Bool?
            for isClient in order {
                if isClient {
                    if !release.advance(in: &words), isReported == nil {
                        isReported = state(1) != .released
                    }
                } else if !reap.advance(in: &words), isSeen == nil {
                    isSeen = state(2) == .released
                }
            }
            #expect(isReported != nil && isSeen != nil)
            #expect(isReported == true || isSeen == true, "\(order)")
        }
    }

    /// Every order of so many steps of both sides; true is the client.
    private static func orders(client: Int, server: Int) -> [[Bool]] {
        if client == 0 { return [Array(repeating: false, count: server)] }
        if server == 0 { return [Array(repeating: true, count: client)] }
        return orders(client: client - 1, server: server).map { [true] + $0 }
            + orders(client: client, server: server - 1).map { [false] + $0 }
    }
}

/// A procedure that is run step by step on words in a dictionary.
private struct Steps<Procedure: LedgerProcedure> {
    private var procedure: Procedure
    private var observed: UInt64 = 0
    private var isOver = false

    init(_ procedure: Procedure) { self.procedure = procedure }

    /// Performs one operation; false if there was none left.
    mutating func advance(in words: inout [MemoryCell: UInt64]) -> Bool {
        guard !isOver else { return false }
        switch procedure.advance(observing: observed) {
        case .finished:
            isOver = true
            return false
        case .perform(.load(let cell)): observed = words[cell] ?? 0
        case .perform(.compareExchange(let cell, let expected, let desired)):
            observed = words[cell] ?? 0
            if observed == expected { words[cell] = desired }
        case .perform: observed = 0
        }
        return true
    }
}
