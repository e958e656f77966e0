// SPDX-License-Identifier: Apache-2.0
//
// A server that takes over, and cannot find out which processes coordinate.

import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationServer

struct OrphanRecoveryTests {
    /// Rule 2.0: a server that does not know which claims run must not grant.
    @Test func thatNoWitnessCanBeListedDoesNotMeanThatThereIsNone() throws {
        let path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("lost-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeDirectory.open(path: path)
        let role = try #require(
            try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime))
        #expect(throws: OrphanRecovery.Failure.untold) {
            _ = try OrphanRecovery(of: runtime, role: role) { _ in nil }
        }
        var listings = 0
        #expect(throws: OrphanRecovery.Failure.untold, "Nor if it fails the second time only") {
            _ = try OrphanRecovery(of: runtime, role: role) { prefix in
                listings += 1
                return listings == 1 ? [prefix + "1-2.ledger"] : nil
            }
        }
        #expect(try OrphanRecovery(of: runtime, role: role) { _ in [] }.entries.isEmpty)
    }
}
