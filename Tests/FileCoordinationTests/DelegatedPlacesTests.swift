// SPDX-License-Identifier: Apache-2.0
//
// Which paths that a process uses get a slot.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Testing

@Suite("Delegated places")
struct DelegatedPlacesTests {
    /// A client's places, and the directory of the ledger behind them.
    private func withPlaces(isOn: Bool = true, _ body: (DelegatedPlaces) throws -> Void) throws {
        try withLedger { _, ledger, _ in
            let places = DelegatedPlaces(ledger, isOn: isOn)
            places.lastReport.trust()
            try body(places)
        }
    }

    private func withLedger(
        _ body: (Directory, LedgerWriter, ServerEpoch) throws -> Void
    ) throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("delegated-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = try Directory.open(path)
        let epochs = try EpochFile(directory: directory)
        let epoch = try epochs.raise()
        let ledger = try LedgerWriter(
            directory: directory, globalEpoch: epochs, programName: "test")
        try body(directory, ledger, epoch)
    }

    private func item(_ number: Int) throws -> AccessItem {
        AccessItem(path: try #require(ItemPath("/\(number)/f")), access: .writing(.plain))
    }

    /// One of many items of a directory.
    private func inside(_ number: Int, _ directory: String = "/d") throws -> AccessItem {
        AccessItem(
            path: try #require(ItemPath("\(directory)/\(number)")), access: .writing(.plain))
    }

    /// The slot that a claim names if it has to be filed; the claim is over at once.
    private func wanted(_ item: AccessItem, _ places: DelegatedPlaces) -> RequestedSlot? {
        let opening = places.begin(item)
        defer { opening.close(isWriting: true) }
        if case .wanted(_, let slot) = opening { return slot }
        return nil
    }

    /// The slot of a place that is used for the second time.
    private func slot(_ number: Int, _ places: DelegatedPlaces) throws -> Int? {
        _ = places.place(for: try item(number))
        return places.place(for: try item(number))?.slot
    }

    @Test("A place gets a slot when it is used for the second time")
    func secondUse() throws {
        try withPlaces { places in
            let first = places.place(for: try item(1))
            #expect(first == nil)
            let second = places.place(for: try item(1))
            #expect(second != nil)
        }
    }

    @Test("Each place has a slot of its own, and keeps it though there are no more")
    func slotsStay() throws {
        try withPlaces { places in
            var slots: [Int] = []
            for number in 0..<LedgerLayout.slotCount {
                slots.append(try #require(try slot(number, places)))
            }
            #expect(Set(slots).count == LedgerLayout.slotCount)
            let oneMore = try slot(LedgerLayout.slotCount, places)
            #expect(oneMore == nil)
            for number in 0..<LedgerLayout.slotCount {
                let again = try slot(number, places)
                #expect(again == slots[number])
            }
        }
    }

    @Test("Without delegation no place has a slot")
    func off() throws {
        try withPlaces(isOn: false) { places in
            let slot = try slot(1, places)
            #expect(slot == nil)
        }
    }

    @Test("A directory is asked for when some of its items were used, first of all")
    func directory() throws {
        try withPlaces { places in
            for number in 0..<DelegatedPlaces.directoryUses {
                let none = wanted(try inside(number), places)
                #expect(none == nil)
            }
            let first = wanted(try inside(100), places)
            #expect(first?.isForDirectory == true)
            let other = wanted(try inside(101), places)
            #expect(other == first)
            // A client that does not get the directory asks for the item, and does so from then on.
            let second = wanted(try inside(100), places)
            #expect(second == first)
            let third = wanted(try inside(100), places)
            #expect(third?.isForDirectory == false)
            let fourth = wanted(try inside(100), places)
            #expect(fourth == third)
            let elsewhere = wanted(try inside(0, "/e"), places)
            #expect(elsewhere == nil)
        }
    }

    /// The server may leave the delegation in place beside a claim that excludes local ones.
    @Test("A filed claim says whether local ones of its process run at the place")
    func exclusionOfLocalClaims() throws {
        try withLedger { directory, ledger, epoch in
            let places = DelegatedPlaces(ledger, isOn: true)
            places.lastReport.trust()
            _ = wanted(try item(1), places)
            let filed = places.begin(try item(1))
            let slot = try #require(filed.requestedSlot)
            #expect(slot.excludesLocalClaims)
            let reader = try LedgerReader(
                directory: directory, name: ledger.fileName,
                expectedOwner: CurrentProcess.effectiveUserID)
            _ = try #require(try reader.delegate(slot: slot.number, epoch))
            // Until the filed claim is over, no local claim runs at its path.
            #expect(!self.isLocal(try item(1), places))
            filed.close(isWriting: true)
            let local = places.begin(try item(1))
            let isLocal = if case .delegated = local { true } else { false }
            #expect(isLocal)
            let besides = places.begin(try item(1))
            #expect(besides.requestedSlot?.number == slot.number)
            #expect(besides.requestedSlot?.excludesLocalClaims == false)
            local.close(isWriting: true)
            besides.close(isWriting: true)
        }
    }

    @Test("Half of the slots are left for single places")
    func manyDirectories() throws {
        try withPlaces { places in
            var directories = 0
            for directory in 0..<LedgerLayout.slotCount {
                for number in 0..<DelegatedPlaces.directoryUses {
                    _ = wanted(try inside(number, "/\(directory)"), places)
                }
                let slot = wanted(try inside(100, "/\(directory)"), places)
                if slot?.isForDirectory == true { directories += 1 }
            }
            #expect(directories == LedgerLayout.slotCount / 2)
            let single = try slot(LedgerLayout.slotCount + 1, places)
            #expect(single != nil)
        }
    }

    @Test("Rule 2.12: a delegated directory makes its items free for one writer each")
    func itemsOfADirectory() throws {
        try withLedger { directory, ledger, epoch in
            let places = DelegatedPlaces(ledger, isOn: true)
            places.lastReport.trust()
            for number in 0..<DelegatedPlaces.directoryUses {
                _ = wanted(try inside(number), places)
            }
            let filed = places.begin(try inside(100))
            let slot = try #require(filed.requestedSlot)
            let reader = try LedgerReader(
                directory: directory, name: ledger.fileName,
                expectedOwner: CurrentProcess.effectiveUserID)
            _ = try #require(try reader.delegate(slot: slot.number, epoch))
            #expect(!isLocal(try inside(100), places))
            filed.close(isWriting: true)
            #expect(isLocal(try inside(100), places))
            // An item that was used before the directory
            // was asked for, and one that was never used.
            #expect(isLocal(try inside(0), places))
            #expect(isLocal(try inside(101), places))
            let writer = places.begin(try inside(101))
            #expect(!isLocal(try inside(101), places))
            #expect(isLocal(try inside(102), places))
            writer.close(isWriting: true)
            #expect(isLocal(try inside(101), places))
            #expect(!isLocal(try inside(101, "/d/100"), places))
            #expect(!isLocal(try inside(101, "/e"), places))
            #expect(!isLocal(try item(1), places))
        }
    }

    /// A delegated directory "/d", with its ledger's reader.
    private func withDelegatedDirectory(
        _ body: (DelegatedPlaces, LedgerWriter, LedgerReader) throws -> Void
    ) throws {
        try withLedger { directory, ledger, epoch in
            let places = DelegatedPlaces(ledger, isOn: true)
            places.lastReport.trust()
            for number in 0..<DelegatedPlaces.directoryUses {
                _ = wanted(try inside(number), places)
            }
            let slot = try #require(wanted(try inside(100), places))
            let reader = try LedgerReader(
                directory: directory, name: ledger.fileName,
                expectedOwner: CurrentProcess.effectiveUserID)
            _ = try #require(try reader.delegate(slot: slot.number, epoch))
            try body(places, ledger, reader)
        }
    }

    @Test(
        "Rule 2.14: what was filed of which no place knows comes before later local claims",
        arguments: [("/d", true), ("/d/7", true), ("/", true), ("/d/8", false), ("/e", false)])
    func unseenClaims(_ path: String, isInTheWay: Bool) throws {
        try withDelegatedDirectory { places, ledger, reader in
            let item = AccessItem(
                path: try #require(ItemPath(path)), access: .writing(.deleting))
            let record = try ledger.write(kind: .claim, body: [1])
            places.trackUnseen(record, of: [item])
            #expect(isLocal(try inside(7), places) != isInTheWay)
            ledger.file(record)
            #expect(isLocal(try inside(7), places) != isInTheWay)
            // A server revokes the delegation before it gives the claim a serial number.
            _ = reader.setSerial(record, 5)
            #expect(isLocal(try inside(7), places))
        }
    }

    @Test("Rule 2.14: what was given up before a server has seen it blocks no claim")
    func unseenAndGivenUp() throws {
        try withDelegatedDirectory { places, ledger, _ in
            let record = try ledger.write(kind: .claim, body: [1])
            places.trackUnseen(record, of: [try inside(7)])
            ledger.file(record)
            #expect(!isLocal(try inside(7), places))
            #expect(ledger.cancel(record))
            #expect(isLocal(try inside(7), places))
        }
    }

    /// Whether a claim could be local now.
    private func isLocal(_ item: AccessItem, _ places: DelegatedPlaces) -> Bool {
        let opening = places.begin(item)
        defer { opening.close(isWriting: true) }
        if case .delegated = opening { return true }
        return false
    }

    @Test("Rule 2.14: while a claim of the process that was filed is not over, none is local")
    func filedClaimsComeFirst() throws {
        try withLedger { directory, ledger, epoch in
            let places = DelegatedPlaces(ledger, isOn: true)
            places.lastReport.trust()
            let item = try item(1)
            _ = places.begin(item)
            let filed = places.begin(item)
            let reader = try LedgerReader(
                directory: directory, name: ledger.fileName,
                expectedOwner: CurrentProcess.effectiveUserID)
            _ = try #require(try reader.delegate(slot: 0, epoch))
            #expect(!isLocal(item, places))
            filed.close(isWriting: true)
            #expect(isLocal(item, places))
            // A claim that began as a local one and had to be filed counts, too.
            var late = places.begin(item)
            late.becomeFiled(isWriting: true)
            #expect(!isLocal(item, places))
            late.close(isWriting: true)
            #expect(isLocal(item, places))
        }
    }
}
