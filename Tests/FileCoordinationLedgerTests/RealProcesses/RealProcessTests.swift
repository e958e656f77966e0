// SPDX-License-Identifier: Apache-2.0
//
// The same protocol, the same faults, in real processes on real memory, with real locks and futexes.

import FileCoordinationLedger
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

    /// What happens                     | client 0        | client 1        | hosts
    /// ---------------------------------|-----------------|-----------------|----------------
    /// client 0 is about to be granted  | waits           | waits           | 0: before the swap
    /// (a faulty client is inside)      | (inside)        |                 |
    /// the host dies                    |                 |                 | 1 takes over
    /// client 1 comes first             |                 | inside          |
    private func playGrantBeforeWord(_ fault: LedgerFault?) throws -> Journal {
        let supervisor = try Supervisor(fault: fault)
        let host = try supervisor.startHost()
        let first = try supervisor.startClient(places: "0")
        let second = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, first)
        try supervisor.run(host, to: "swap granted")
        try runUntilWaiting(supervisor, second)
        if fault != nil { try supervisor.run(first, to: "inside") }
        try supervisor.kill(host)
        let next = try supervisor.startHost(order: "descending")
        try supervisor.runToRest(next)
        try runIfAwake(supervisor, second)
        return try supervisor.journal()
    }

    private func runUntilWaiting(_ supervisor: Supervisor, _ client: Peer) throws {
        for _ in 0..<100 where client.state != .asleep && client.state != .gated("poll") {
            try supervisor.go(client)
        }
    }

    /// Lets a woken client go inside.
    private func runIfAwake(_ supervisor: Supervisor, _ client: Peer) throws {
        if try supervisor.isGranted(client) { try client.listen(patience: 10_000) }
        if client.state != .asleep { try supervisor.run(client, to: "inside") }
    }

    func testLedgerWrittenAfterTheGrant() throws {
        XCTAssertEqual(try playGrantBeforeWord(.grantBeforeWord).overlap, "0")
        let right = try playGrantBeforeWord(nil)
        XCTAssertNil(right.overlap)
        XCTAssertEqual(right.accesses, 1)
    }

    /// A client is inside, forks, and dies; the place must go to the other one.
    private func playForkOfAClient(_ fault: LedgerFault?) throws -> Bool {
        let supervisor = try Supervisor(fault: fault)
        let host = try supervisor.startHost()
        let first = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, first)
        try supervisor.runToRest(host)
        try runIfAwake(supervisor, first)
        let second = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, second)
        try supervisor.fork(first)
        try supervisor.kill(first)
        try supervisor.runToRest(host)
        try runIfAwake(supervisor, second)
        return second.state == .gated("inside")
    }

    /// A host forks and dies; another one must be able to follow.
    private func playForkOfAHost(_ fault: LedgerFault?) throws -> Bool {
        let supervisor = try Supervisor(fault: fault)
        let host = try supervisor.startHost()
        try supervisor.fork(host)
        try supervisor.kill(host)
        let next = try supervisor.startHost()
        if case .gated = next.state { return true }
        return false
    }

    func testDescriptorKeptAcrossFork() throws {
        XCTAssertFalse(try playForkOfAClient(.descriptorKeptAcrossFork), "No ghost holder")
        XCTAssertTrue(try playForkOfAClient(nil))
        XCTAssertFalse(try playForkOfAHost(.descriptorKeptAcrossFork), "No ghost host")
        XCTAssertTrue(try playForkOfAHost(nil))
    }

    /// Races until there is an overlap, or for so many rounds. How many there were, and whether.
    private func race(
        _ subject: String, _ fault: LedgerFault?, rounds: Int, seconds: Int
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
        let host = try Peer(
            "host", ["race-host", directory.path, name, subject, "\(rounds)", "\(seconds)"],
            onProcessor: 1)
        let numbers = host.readToEnd().split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        client.kill()
        guard numbers.count == 4 else { throw PeerFailure(description: "The race was broken off") }
        print(
            "race \(subject) \(name): \(numbers[0]) overlaps, host in \(numbers[1]),",
            "client in \(numbers[2]) of \(numbers[3]) rounds")
        return (numbers[0], numbers[3])
    }

    func testReleasingStoreInsteadOfSwap() throws {
        try XCTSkipIf(
            ProcessInfo.processInfo.activeProcessorCount < 2, "A race takes two processors")
        let seconds = TestEnvironment.isLong ? 60 : 2
        for subject in ["slot", "epoch"] {
            let wrong = try race(subject, .recordStoreReleasing, rounds: 50_000_000, seconds: 20)
            #if arch(x86_64) || arch(arm64)
                XCTAssertEqual(wrong.overlaps, 1, "\(subject): not caught")
            #endif
            let right = try race(subject, nil, rounds: 50_000_000, seconds: seconds)
            XCTAssertEqual(right.overlaps, 0)
        }
    }
}
