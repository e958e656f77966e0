// SPDX-License-Identifier: Apache-2.0
//
// How many writes a client begins before the server has read the reports of others.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationLedger

@Suite struct UnreadReportsTests {
    private func withLedger(_ body: (LedgerWriter) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("unread-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = try Directory.open(path)
        let epochs = try EpochFile(directory: directory)
        _ = try epochs.raise()
        try body(LedgerWriter(directory: directory, globalEpoch: epochs, programName: "test"))
    }

    private func begin(
        _ count: Int, _ reports: inout UnreadReports, in ledger: LedgerWriter
    ) throws -> [RecordReference] {
        var records: [RecordReference] = []
        for _ in 0..<count {
            let record = try ledger.write(kind: .claim, body: [1], outcomeCapacity: 8)
            guard reports.add(record, in: ledger) else { break }
            end(record, in: ledger)
            records.append(record)
        }
        return records
    }

    /// As a client does at the end of a write that is to be reported.
    private func end(_ record: RecordReference, in ledger: LedgerWriter) {
        let word = ledger.memory.word(.record(Int(record.index)))
        let ended = RecordWord(
            .released, [.unreported, .reportsRelease], RecordWord(rawValue: word.load()).epoch,
            generation: record.generation)
        word.store(ended.rawValue)
    }

    /// As the server does when it has read a report.
    private func giveBack(_ record: RecordReference, in ledger: LedgerWriter) {
        let word = ledger.memory.word(.record(Int(record.index)))
        let free = RecordWord(
            .free, [], RecordWord(rawValue: word.load()).epoch, generation: record.generation)
        word.store(free.rawValue)
    }

    @Test func `If the server reads nothing, the bound is reached`() throws {
        try withLedger { ledger in
            var reports = UnreadReports()
            for expected in [UnreadReports.most, 0] {
                let begun = try begin(500, &reports, in: ledger)
                #expect(begun.count == expected)
            }
        }
    }

    @Test func `As long as the server reads, it is never reached`() throws {
        try withLedger { ledger in
            var reports = UnreadReports()
            var unread: [RecordReference] = []
            let batch = UnreadReports.half / 4
            for _ in 0..<80 {
                let begun = try begin(batch, &reports, in: ledger)
                #expect(begun.count == batch)
                for record in unread { giveBack(record, in: ledger) }
                unread = begun
            }
            // It stops: what it has not read by now counts.
            let rest = try begin(500, &reports, in: ledger)
            #expect(rest.count < UnreadReports.most)
        }
    }

    @Test func `A server that has read only what came first holds up the writer`() throws {
        try withLedger { ledger in
            var reports = UnreadReports()
            let begun = try begin(UnreadReports.most, &reports, in: ledger)
            for record in begun.prefix(UnreadReports.half) { giveBack(record, in: ledger) }
            let tooMany = try begin(1, &reports, in: ledger)
            #expect(tooMany.isEmpty)
            giveBack(begun[UnreadReports.half], in: ledger)
            let rest = try begin(500, &reports, in: ledger)
            #expect(rest.count == UnreadReports.half)
        }
    }
}
