// SPDX-License-Identifier: Apache-2.0
//
// The entries of the relocation log, each with its length in front. By the length, a reader can
// tell an entry that is incomplete because its writer died, or is still writing.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

/// Whole entries are read, and nothing else.
struct RelocationEntryTests {
    private let entries = [
        RelocationEntry(serial: 1, .presenter(.of("/a/b"), isTold: false)),
        RelocationEntry(
            serial: 2,
            .claim([
                AccessItem(path: .of("/a"), access: .reading([.withoutChanges])),
                AccessItem(
                    path: .of("/a/b.rtfd"), access: .writing(.deleting), isDirectory: true,
                    packageDepths: [2]),
            ])),
        RelocationEntry(serial: .max, .handled(.max)),
        RelocationEntry(
            serial: 2,
            .moved(
                MovedItems(
                    own: [nil, AccessItem(path: .of("/c"), access: .writing(.moving))],
                    others: [AccessItem(path: .of("/o"), access: .writing(.moving))]))),
        RelocationEntry(serial: 0, .claim([])),
        RelocationEntry(serial: 1, .presenter(.of("/c"), isTold: true)),
    ]

    @Test func `A book of several entries is read to its end`() throws {
        let bytes = try entries.flatMap { try $0.encodeChecked() }
        #expect(RelocationEntry.entries(decoding: bytes) == entries)
        #expect(RelocationEntry.entries(decoding: []).isEmpty)
    }

    @Test func `A book that is cut anywhere is read up to the last whole entry`() throws {
        let encodings = try entries.map { try $0.encodeChecked() }
        let bytes = encodings.flatMap { $0 }
        var ends = [0]
        for encoding in encodings { ends.append(ends[ends.count - 1] + encoding.count) }
        for cut in 0...bytes.count {
            let whole = ends.dropFirst().count { $0 <= cut }
            #expect(
                RelocationEntry.entries(decoding: Array(bytes.prefix(cut)))
                    == Array(entries.prefix(whole)), "cut at \(cut)")
        }
    }

    @Test func `Pages that were never written end a book`() throws {
        let entry = try entries[1].encodeChecked()
        for count in [1, 3, 4, 5, 4096] {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(RelocationEntry.entries(decoding: entry + zeros + entry) == [entries[1]])
        }
    }

    @Test(arguments: [
        ("longer than what is left", "ff000000 0300000000000000 03 03020100"),
        ("as long as can be", "ffffffff 0300000000000000 03 03020100"),
        ("the sign bit", "00000080 0300000000000000 03 03020100"),
        ("shorter than its entry", "0c000000 0300000000000000 03 03020100"),
        ("longer than its entry", "0e000000 0300000000000000 03 03020100 00"),
        ("a kind that nothing has", "0d000000 0300000000000000 04 03020100"),
        ("a count that lies", "0d000000 0300000000000000 02 ffffffff"),
        ("a place that is none", "0d000000 0300000000000000 01 0100 61 00"),
    ])
    func `A length or an entry that lies ends a book`(_ what: String, _ hex: String) throws {
        let front = try entries[2].encodeChecked()
        let bytes = front + [UInt8](hex: hex)
        // Nor may any part of them be read as one of the entries behind.
        let read = RelocationEntry.entries(decoding: bytes + front)
        #expect(read == [entries[2]], "\(what)")
        #expect(RelocationEntry.entries(decoding: [UInt8](hex: hex)).isEmpty, "\(what)")
    }

    @Test func `An entry at its limits survives, and beyond them is not encoded`() throws {
        let item = AccessItem(path: .of("/a"), access: .writing(.plain))
        let items = [AccessItem](repeating: item, count: WireLimits.items)
        let longest = RelocationEntry(serial: 1, .claim(items))
        // Compared outside the expectation, which would print megabytes.
        let isRead = RelocationEntry.entries(decoding: try longest.encodeChecked()) == [longest]
        #expect(isRead)
        #expect(throws: WireError.tooLong(.items)) {
            try RelocationEntry(serial: 1, .claim(items + [item])).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.path)) {
            try RelocationEntry(serial: 1, .presenter(.long(4097), isTold: true)).encodeChecked()
        }
        let long = AccessItem(path: .long(4096), access: .reading([]))
        #expect(throws: WireError.tooLong(.relocationEntry)) {
            try RelocationEntry(serial: 1, .claim([AccessItem](repeating: long, count: 16500)))
                .encodeChecked()
        }
    }

    @Test func `A frame that is longer than an entry may be is not looked at`() throws {
        let count = UInt32(WireLimits.relocationFrameBytes + 1)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        let frame = length + [UInt8](repeating: 0, count: Int(count))
        let front = try entries[0].encodeChecked()
        #expect(RelocationEntry.entries(decoding: front + frame + front) == [entries[0]])
    }
}
