// SPDX-License-Identifier: Apache-2.0
//
// The same protocol, the same faults, in real processes on real memory, with real locks and
// futexes.

import FileCoordinationLedger
import LedgerExploration
import XCTest

/// Histories of real processes.
final class RealProcessTests: XCTestCase {
    func testRandomHistories() throws {
        let count = TestEnvironment.isLong ? 3000 : 60
        let first = UInt64.random(in: 0..<1 << 40)
        var accesses = 0
        let clock = ContinuousClock()
        let start = clock.now
        for seed in first..<first + UInt64(count) {
            var history = try RandomHistory(seed: seed)
            do {
                accesses += try history.run()
            } catch {
                let log = history.log.joined(separator: "\n")
                return XCTFail("seed \(seed): \(error)\n\(log)")
            }
        }
        print("\(count) histories, \(accesses) accesses, \((clock.now - start).formatted)")
        XCTAssertGreaterThan(accesses, count)
    }

    /// A fault that shows in any order of operations in which a server is deposed.
    func testRandomHistoriesFindAFault() throws {
        var found: String?
        var seed: UInt64 = 0
        while found == nil, seed < 500 {
            seed += 1
            var history = try RandomHistory(seed: seed, fault: .noEpochRaise)
            do { _ = try history.run() } catch { found = "\(error)" }
        }
        print("noEpochRaise: \(found ?? "NOTHING") in history \(seed)")
        XCTAssertNotNil(found)
    }

    /// Races until there is an overlap, or for so many rounds; returns how many there were of each.
    private func race(
        _ subject: String, _ fault: PlantedFault?, rounds: Int, seconds: Int
    ) throws -> (overlaps: Int, rounds: Int) {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("ledger-race-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        let name = fault?.rawValue ?? "none"
        let client = try Peer(
            "client", ["race-client", directory.path, name, subject], onProcessor: 0)
        let server = try Peer(
            "server", ["race-server", directory.path, name, subject, "\(rounds)", "\(seconds)"],
            onProcessor: 1)
        let numbers = server.readToEnd().split(whereSeparator: \.isWhitespace).compactMap {
            Int($0)
        }
        client.kill()
        guard numbers.count == 4 else { throw PeerFailure(description: "The race was broken off") }
        print(
            "race \(subject) \(name): \(numbers[0]) overlaps, server in \(numbers[1]),",
            "client in \(numbers[2]) of \(numbers[3]) rounds")
        return (numbers[0], numbers[3])
    }

    func testReleasingStoreInsteadOfSwap() throws {
        try XCTSkipIf(TestEnvironment.isSanitized, "A sanitizer orders stores that are to race")
        try XCTSkipIf(
            ProcessInfo.processInfo.activeProcessorCount < 2, "A race takes two processors")
        let seconds = TestEnvironment.isLong ? 60 : 2
        var isTooSlow = false
        for subject in ["slot", "epoch"] {
            let wrong = try race(subject, .recordStoreReleasing, rounds: 400_000_000, seconds: 60)
            #if arch(x86_64) || arch(arm64)
            if wrong.overlaps == 0, wrong.rounds < Self.enoughRounds {
                isTooSlow = true
            } else {
                XCTAssertEqual(wrong.overlaps, 1, "\(subject): not caught")
            }
            #endif
            let right = try race(subject, nil, rounds: 50_000_000, seconds: seconds)
            XCTAssertEqual(right.overlaps, 0)
        }
        // The explorer finds the fault nevertheless, in a model of such a memory.
        try XCTSkipIf(isTooSlow, "On a busy machine, the processes do not run at the same time")
    }

    /// The rounds after which the fault must have been found; on a quiet machine it takes a few
    /// thousand, and there are 100,000 in a second.
    private static let enoughRounds = 1_000_000
}
