// SPDX-License-Identifier: Apache-2.0
//
// Sockets where a thread waits. Blocking, hence XCTest.

import FileCoordinationSystem
import Glibc
import XCTest

final class BlockingSocketTests: XCTestCase {
    func testReceivingWaitsForAMessage() throws {
        let (a, b) = try SequencedSocket.pair()
        try DetachedThread.start(name: "sender") { _ = try? a.send([9], patience: .forever) }
        var byte: UInt8 = 0
        let result = try withUnsafeMutableBytes(of: &byte) {
            try b.receive(into: $0, patience: .forever)
        }
        guard case .bytes(1, _, false) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(byte, 9)
    }

    func testConnectingToAFullQueueEndsWithPatience() throws {
        let scratch = try Scratch()
        let listener = try SequencedSocket.listener(
            in: scratch.directory, name: "socket", backlog: 0)
        var waiting: [SequencedSocket] = []
        for _ in 0..<4 {
            do {
                waiting.append(
                    try SequencedSocket.connect(
                        in: scratch.directory, name: "socket", patience: .milliseconds(20)))
            } catch {
                XCTAssertEqual(error.code, ErrorNumber.timedOut)
            }
        }
        XCTAssertLessThan(waiting.count, 4)
        XCTAssertNotNil(try listener.accept())
    }

    func testThePeerIsAProcessThatEnds() throws {
        let scratch = try Scratch()
        let listener = try SequencedSocket.listener(in: scratch.directory, name: "socket")
        let go = try TestPipe()
        let directory = scratch.directory
        _ = try SequencedSocket.connect(in: directory, name: "socket")
        _ = try listener.accept()
        let child = Child {
            guard let connection = try? SequencedSocket.connect(in: directory, name: "socket")
            else { return 1 }
            _ = go.next()
            return withExtendedLifetime(connection) { 0 }
        }
        let poller = try Poller()
        try poller.add(listener.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        try poller.wait(into: &ready, until: nil)
        let server = try XCTUnwrap(try listener.accept())
        XCTAssertEqual(try server.peerCredentials().processID, child.id)
        let process = try XCTUnwrap(server.peerProcess())
        XCTAssertFalse(process.hasExited)

        go.write(1)
        try poller.add(process.descriptor, token: 2, .readable)
        try poller.remove(listener.descriptor)
        try poller.wait(into: &ready, until: nil)
        XCTAssertEqual(ready.map(\.token), [2])
        XCTAssertTrue(process.hasExited)
        XCTAssertEqual(child.wait(), 0)
        XCTAssertEqual(
            systemError { try process.kill(signal: 0) }?.code, ErrorNumber.noSuchProcess)
    }

    func testAForkedChildDoesNotKeepTheConnectionOpen() throws {
        var (a, b): (SequencedSocket?, SequencedSocket)
        (a, b) = try SequencedSocket.pair()
        let numbers = [a?.descriptor.number ?? -1, b.descriptor.number]
        let go = try TestPipe()
        let child = Child {
            // These numbers are closed in the child, so they are no sockets of the parent's.
            for number in numbers where fcntl(number, F_GETFD) != -1 { return 1 }
            guard ForkGuard.isForkedChild else { return 2 }
            _ = go.next()
            return 0
        }
        XCTAssertFalse(ForkGuard.isForkedChild)
        a = nil
        var byte: UInt8 = 0
        let result = try withUnsafeMutableBytes(of: &byte) {
            try b.receive(into: $0, patience: .forever)
        }
        guard case .closed = result else { return XCTFail("\(result)") }
        go.write(1)
        XCTAssertEqual(child.wait(), 0)
    }
}
