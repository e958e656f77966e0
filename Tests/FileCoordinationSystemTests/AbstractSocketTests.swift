// SPDX-License-Identifier: Apache-2.0
//
// Names in the abstract namespace: each belongs to its socket, is listed while the socket lives,
// and disappears with it.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct AbstractSocketTests {
    private let prefix = "file-coordination-test/\(UInt64.random(in: 0 ... .max))/"

    @Test func `A name is listed as long as its socket lives`() throws {
        var first: SequencedSocket? = try .listener(abstract: prefix + "a b", backlog: 1)
        let second = try SequencedSocket.listener(abstract: prefix + "c", backlog: 1)
        #expect(
            SequencedSocket.abstractNames(beginningWith: prefix) == [prefix + "a b", prefix + "c"])
        #expect(throws: SystemError.self) {
            try SequencedSocket.listener(abstract: prefix + "c", backlog: 1)
        }
        #expect(first != nil)
        first = nil
        #expect(SequencedSocket.abstractNames(beginningWith: prefix) == [prefix + "c"])
        withExtendedLifetime(second) {}
    }

    @Test func `Many names are all listed`() throws {
        let sockets = try (0..<300).map {
            try SequencedSocket.listener(abstract: prefix + "\($0)", backlog: 1)
        }
        #expect(SequencedSocket.abstractNames(beginningWith: prefix)?.count == sockets.count)
    }

    @Test func `Who connects can be talked to, and is seen`() throws {
        let listener = try SequencedSocket.listener(abstract: prefix + "x", backlog: 1)
        #expect(try listener.accept() == nil)
        let caller = try SequencedSocket.connect(abstract: prefix + "x")
        let answerer = try #require(try listener.accept())
        #expect(try answerer.peerCredentials().processID == getpid())
        #expect(try answerer.send([7]))
        guard case .bytes([7]) = caller.receiveMessage(limit: 8) else {
            Issue.record("nothing came")
            return
        }
    }

    @Test func `Connecting never waits`() throws {
        #expect(throws: SystemError.self) { try SequencedSocket.connect(abstract: prefix + "none") }
        let listener = try SequencedSocket.listener(abstract: prefix + "full", backlog: 0)
        var waiting: [SequencedSocket] = []
        #expect(throws: SystemError.self) {
            for _ in 0..<10 { waiting.append(try .connect(abstract: prefix + "full")) }
        }
        withExtendedLifetime(listener) {}
    }
}
