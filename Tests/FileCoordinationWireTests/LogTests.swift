// SPDX-License-Identifier: Apache-2.0
//
// A claim's log: entries behind one another, read while the last one may still be missing, by
// a reader that trusts none of it.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

/// What an accessor says arrives, and as much of it as is there.
struct LogTests {
    private let entries: [ClaimLogEntry] = [
        .announced(
            .moved([
                ItemMove(from: .of("/a/b"), oldPackageDepths: [0, 1], to: .of("/c")),
                ItemMove(from: .of("/d"), to: .of("/a/b/e"), newPackageDepths: [1, 3]),
            ])),
        .announced(.versionChanged(.of("/c"), VersionNews(.gained, identifier: [0, 0xFF]))),
        .announced(.ubiquityAttributesChanged(.of("/c"), [[UInt8](text: "k"), []])),
        .announced(.moved([])),
        .outcomes([.created, .unchanged, .deleted, .changed]),
        .itemChanges([nil, ItemChange(before: Self.seen, after: nil)]),
        .pathChanges([
            ItemChange(before: nil, after: Self.seen), ItemChange(before: nil, after: nil),
        ]),
        .arrivals([
            ItemArrival(path: .of("/c"), after: Self.seen),
            ItemArrival(path: .of("/e"), after: nil),
        ]),
    ]
    private static let seen = ItemProperties(
        device: 1, inode: .max, mode: 0o100644, owner: 2, group: 3, size: 4, modified: .min,
        changed: .max, linkCount: 1)

    @Test func `A log of several entries is read to its end`() throws {
        let bytes = try entries.flatMap { try $0.encodeChecked() }
        let read = ClaimLogEntry.entries(decoding: bytes)
        #expect(read.entries == entries)
        #expect(read.length == bytes.count)
        #expect(ClaimLogEntry.entries(decoding: []).entries.isEmpty)
    }

    @Test func `A log that is cut anywhere is read up to the last whole entry`() throws {
        let encodings = try entries.map { try $0.encodeChecked() }
        let bytes = encodings.flatMap { $0 }
        for cut in 0...bytes.count {
            var whole = 0
            var length = 0
            while whole < encodings.count, length + encodings[whole].count <= cut {
                length += encodings[whole].count
                whole += 1
            }
            let read = ClaimLogEntry.entries(decoding: Array(bytes.prefix(cut)))
            #expect(read.entries == Array(entries.prefix(whole)), "cut at \(cut)")
            #expect(read.length == length, "cut at \(cut)")
            let rest = ClaimLogEntry.entries(decoding: Array(bytes.dropFirst(read.length)))
            #expect(rest.entries == Array(entries.dropFirst(whole)), "from \(read.length)")
        }
    }

    @Test(arguments: [
        "00", "05", "ff", "02 01000000", "02 ffffffff", "01 ffffffff 00", "01 01000100 00",
        "03 0100 61 00 0000", "03 0100 2f 03 0000", "04 0100 2f 01010000", "04 0100 2f ffffffff",
        "02 01000000 0200 2f61 01000000 0200 0200 2f62 00000000",
    ])
    func `Garbage ends a log, and takes nothing from what is before it`(_ hex: String) throws {
        let front = try entries[1].encodeChecked() + entries[4].encodeChecked()
        let garbage = [UInt8](hex: hex)
        let read = ClaimLogEntry.entries(decoding: front + garbage + front)
        #expect(read.entries == [entries[1], entries[4]])
        #expect(read.length == front.count)
        #expect(ClaimLogEntry.entries(decoding: garbage).entries.isEmpty)
    }

    /// Rule 7.8: an unnecessary message does no harm, but a missing one does.
    @Test func `An outcome that is none counts as changed`() throws {
        let bytes = [UInt8](hex: "01 04000000 00 04 03 ff")
        let read = ClaimLogEntry.entries(decoding: bytes)
        #expect(read.entries == [.outcomes([.unchanged, .changed, .deleted, .changed])])
        #expect(read.length == bytes.count)
    }

    @Test func `Every fate and every outcome survives`() throws {
        var all: [ClaimLogEntry] = VersionFate.allCases.map {
            .announced(.versionChanged(.of("/"), VersionNews($0, identifier: [])))
        }
        all.append(.outcomes(ItemOutcome.allCases))
        let bytes = try all.flatMap { try $0.encodeChecked() }
        #expect(ClaimLogEntry.entries(decoding: bytes).entries == all)
    }

    @Test func `Room for outcomes is as long as they are`() throws {
        for count in [0, 1, 7, WireLimits.items] {
            let outcomes = [ItemOutcome](repeating: .created, count: count)
            let length = try ClaimLogEntry.outcomes(outcomes).encodeChecked().count
            #expect(ClaimLogEntry.outcomesLength(count) == length)
        }
    }

    // MARK: Limits

    @Test func `An announcement at its limits survives`() throws {
        let name = [UInt8](repeating: 0xFF, count: WireLimits.identifierBytes)
        let move = ItemMove(from: .of("/a"), to: .of("/b"))
        let longest: [ClaimLogEntry] = [
            .announced(.versionChanged(.long(4096), VersionNews(.lost, identifier: name))),
            .announced(
                .ubiquityAttributesChanged(
                    .of("/"), [[UInt8]](repeating: name, count: WireLimits.attributes))),
            .announced(.moved([ItemMove](repeating: move, count: WireLimits.moves))),
            .outcomes([ItemOutcome](repeating: .deleted, count: WireLimits.items)),
        ]
        for entry in longest {
            // Compared outside the expectation, which would print megabytes.
            let isRead =
                ClaimLogEntry.entries(decoding: try entry.encodeChecked()).entries == [
                    entry
                ]
            #expect(isRead)
        }
    }

    @Test func `An announcement beyond its limits is not encoded`() {
        func fault(_ announcement: Announcement) -> WireError? {
            fault(.announced(announcement))
        }
        func fault(_ entry: ClaimLogEntry) -> WireError? {
            do throws(WireError) {
                _ = try entry.encodeChecked()
                return nil
            } catch {
                return error
            }
        }
        let name = [UInt8](repeating: 1, count: WireLimits.identifierBytes + 1)
        let path = ItemPath.of("/a")
        #expect(
            fault(.versionChanged(path, VersionNews(.gained, identifier: name)))
                == .tooLong(.identifier))
        #expect(fault(.ubiquityAttributesChanged(path, [name])) == .tooLong(.attributes))
        let names = [[UInt8]](repeating: [], count: WireLimits.attributes + 1)
        #expect(fault(.ubiquityAttributesChanged(path, names)) == .tooLong(.attributes))
        let move = ItemMove(from: path, to: .of("/b"))
        let moves = [ItemMove](repeating: move, count: WireLimits.moves + 1)
        #expect(fault(.moved(moves)) == .tooLong(.moves))
        let outcomes = [ItemOutcome](repeating: .changed, count: WireLimits.items + 1)
        #expect(fault(.outcomes(outcomes)) == .tooLong(.outcomes))
        #expect(
            fault(.moved([ItemMove(from: path, to: .long(4097))])) == .tooLong(.path))
        #expect(
            fault(.moved([ItemMove(from: path, oldPackageDepths: [2], to: path)]))
                == .illegalValue(.packageDepths))
        #expect(
            fault(.moved([ItemMove(from: path, to: path, newPackageDepths: [1, 1])]))
                == .illegalValue(.packageDepths))
        let long = ItemMove(from: .long(4096), to: .long(4096))
        #expect(fault(.moved([ItemMove](repeating: long, count: 1024))) == .tooLong(.log))
    }

    @Test func `More bytes than a log can have are not looked at`() throws {
        let entry = try entries[4].encodeChecked()
        let rest = [UInt8](repeating: 0, count: WireLimits.bodyBytes - entry.count)
        #expect(ClaimLogEntry.entries(decoding: entry + rest).length == entry.count)
        #expect(ClaimLogEntry.entries(decoding: entry + rest + [0]).length == 0)
    }
}
