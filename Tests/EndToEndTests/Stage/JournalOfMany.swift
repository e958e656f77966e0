// SPDX-License-Identifier: Apache-2.0
//
// A journal that many programs write: it tells whether two accessors ever overlapped, and who has
// got how far.

import Foundation
import XCTest

/// A journal that programs append to, each record under a claim; see `Counting.journal`.
struct JournalOfMany {
    /// The numbers that the records gave themselves.
    let numbers: [Int]
    private let sequences: [pid_t: [Int]]

    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let records = text.split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Int($0) }
        }
        XCTAssertTrue(records.allSatisfy { $0.count == 3 })
        numbers = records.map { $0[0] }
        sequences = Dictionary(grouping: records, by: { pid_t($0[1]) }).mapValues {
            $0.map { $0[2] }
        }
    }

    func count(of process: pid_t) -> Int { sequences[process]?.count ?? 0 }

    /// The processes whose records are not 0, 1, 2 and so on.
    var gaps: [pid_t] {
        sequences.filter { $0.value != Array($0.value.indices) }.keys.sorted()
    }
}

/// How far the writers of such a journal have got, which may have become long.
final class JournalProgress {
    private let path: String
    private var counts: [pid_t: Int] = [:]

    private static let recordLength = 32
    /// How many of the last records are read.
    private static let lastRecords = 2000

    init(_ path: String) { self.path = path }

    /// How many records a process has written, as far as the last records of the journal show.
    func count(of process: pid_t) throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let records = try Int(file.seekToEnd()) / Self.recordLength
        try file.seek(
            toOffset: UInt64(max(0, records - Self.lastRecords) * Self.recordLength))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ").compactMap { Int($0) }
            guard fields.count == 3 else { continue }
            counts[pid_t(fields[1])] = fields[2] + 1
        }
        return counts[process] ?? 0
    }

    /// How many records there are; nil if they are not numbered one after the other.
    func wholeCount() throws -> Int? {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let records = bytes.count / Self.recordLength
        for record in 0..<records {
            let expected = Array("\(record + 1) ".utf8)
            let start = record * Self.recordLength
            guard bytes[start..<(start + expected.count)].elementsEqual(expected) else {
                let near = bytes[max(0, start - 400)..<min(bytes.count, start + 400)]
                print("accessors overlapped:\n" + String(decoding: near, as: UTF8.self))
                return nil
            }
        }
        return records
    }
}
