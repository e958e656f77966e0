// SPDX-License-Identifier: Apache-2.0
//
// When the epochs begin anew, and when they must not.

import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationServer

struct EpochRenewalTests {
    private static let due: UInt64 = 1 << 23

    /// The epoch after a renewal was tried.
    private func epochAfterRenewal(isSettled: Bool, isUsed: Bool = false) throws -> UInt64 {
        let path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("epochs-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeDirectory.open(path: path)
        let epochs = try EpochFile(directory: runtime.directory)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/epoch"))
        try withUnsafeBytes(of: Self.due.littleEndian) { try file.write(contentsOf: $0) }
        if isSettled { runtime.settle() }
        let ledger =
            isUsed ? try LedgerWriter(directory: runtime.ledgers, globalEpoch: epochs) : nil
        EpochRenewal.renewIfDue(epochs, in: runtime)
        withExtendedLifetime(ledger) {}
        return UInt64(epochs.load().rawValue)
    }

    @Test func `They begin anew where no program coordinates`() throws {
        #expect(try epochAfterRenewal(isSettled: true) == 0)
    }

    @Test func `They do not under a program`() throws {
        #expect(try epochAfterRenewal(isSettled: true, isUsed: true) == Self.due)
    }

    @Test func `If a ledger comes meanwhile, the running server is not deposed by it`() throws {
        let world = try TemporaryRuntime()
        let epochs = try EpochFile(directory: world.runtime.directory)
        let epoch = try epochs.raise()
        let era = epochs.era
        var checks = 0
        let isNew = epochs.beginAnew {
            checks += 1
            return checks == 2
        }
        #expect(!isNew && checks == 2)
        #expect(epochs.load() == epoch)
        #expect(!epochs.isPast(epoch, era: era))
    }

    @Test func `They do not where a program's ledger may have lost its name`() throws {
        #expect(try epochAfterRenewal(isSettled: false) == Self.due)
    }
}
