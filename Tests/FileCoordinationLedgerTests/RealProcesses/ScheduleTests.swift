// SPDX-License-Identifier: Apache-2.0
//
// One schedule for each mistake, played by real processes: with the mistake there must be harm, and
// without it none.

import FileCoordinationLedger
import LedgerExploration
import XCTest

/// Schedules in which a mistake shows.
final class ScheduleTests: XCTestCase {
    /// What happens                     | client 0        | client 1        | servers
    /// ---------------------------------|-----------------|-----------------|----------------
    /// client 0 is about to be granted  | waits           | waits           | 0: before the swap
    /// (a faulty client is inside)      | (inside)        |                 |
    /// the server dies                  |                 |                 | 1 takes over
    /// client 1 comes first             |                 | inside          |
    private func playGrantBeforeWord(_ fault: PlantedFault?) throws -> Journal {
        let supervisor = try Supervisor(fault: fault)
        let server = try supervisor.startServer()
        let first = try supervisor.startClient(places: "0")
        let second = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, first)
        try supervisor.run(server, to: "swap granted")
        try runUntilWaiting(supervisor, second)
        if fault != nil { try supervisor.run(first, to: "inside") }
        try supervisor.kill(server)
        let next = try supervisor.startServer(order: "descending")
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
        if try supervisor.isGranted(client) { try client.listen(patience: Peer.patience) }
        if client.state != .asleep { try supervisor.run(client, to: "inside") }
    }

    func testLedgerWrittenAfterTheGrant() throws {
        XCTAssertEqual(try playGrantBeforeWord(.grantBeforeWord).overlap, "0")
        let right = try playGrantBeforeWord(nil)
        XCTAssertNil(right.overlap)
        XCTAssertEqual(right.accesses, 1)
    }

    /// A client is inside, forks, and dies; the place must go to the other one.
    private func playForkOfAClient(_ fault: PlantedFault?) throws -> Bool {
        let supervisor = try Supervisor(fault: fault)
        let server = try supervisor.startServer()
        let first = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, first)
        try supervisor.runToRest(server)
        try runIfAwake(supervisor, first)
        let second = try supervisor.startClient(places: "0")
        try runUntilWaiting(supervisor, second)
        try supervisor.fork(first)
        try supervisor.kill(first)
        try supervisor.runToRest(server)
        try runIfAwake(supervisor, second)
        return second.state == .gated("inside")
    }

    /// A server forks and dies; another one must be able to follow.
    private func playForkOfAServer(_ fault: PlantedFault?) throws -> Bool {
        let supervisor = try Supervisor(fault: fault)
        let server = try supervisor.startServer()
        try supervisor.fork(server)
        try supervisor.kill(server)
        let next = try supervisor.startServer()
        if case .gated = next.state { return true }
        return false
    }

    func testDescriptorKeptAcrossFork() throws {
        XCTAssertFalse(try playForkOfAClient(.descriptorKeptAcrossFork), "No ghost holder")
        XCTAssertTrue(try playForkOfAClient(nil))
        XCTAssertFalse(try playForkOfAServer(.descriptorKeptAcrossFork), "No ghost server")
        XCTAssertTrue(try playForkOfAServer(nil))
    }

    /// What happens                     | client 0        | client 1        | servers
    /// ---------------------------------|-----------------|-----------------|----------------
    /// server 0 is stopped              | has looked      | waits           | 0: stopped
    /// it is deposed                    |                 |                 | 1: scans, grants
    /// client 0 files under server 0    | (filed)         | inside          |
    /// server 0 goes on                 |                 |                 | 0: (grants)
    /// client 0 looks again             | (inside)        |                 |
    private func playLateGrant(_ fault: PlantedFault?) throws -> Journal {
        let supervisor = try Supervisor(fault: fault)
        let first = try supervisor.startClient(places: "0")
        let second = try supervisor.startClient(places: "0")
        let server = try supervisor.startServer()
        try supervisor.run(server, to: "scan")
        try supervisor.run(first, to: fault == nil ? "swap draft" : "swap filed")
        try runUntilWaiting(supervisor, second)
        supervisor.stop(server)
        let next = try supervisor.startServer(deposing: true)
        try supervisor.runToRest(next)
        try runIfAwake(supervisor, second)
        try supervisor.go(first)
        supervisor.resume(server)
        try supervisor.runToRest(server)
        try supervisor.runToRest(first)
        return try supervisor.journal()
    }

    /// The protocol as it was first written down: filed first, looked at the epoch afterwards.
    func testFiledBeforeLooking() throws {
        XCTAssertEqual(try playLateGrant(.filedBeforeLook).overlap, "0")
        XCTAssertEqual(try playLateGrant(.noSecondLook).overlap, "0")
        XCTAssertNil(try playLateGrant(nil).overlap)
    }
}
