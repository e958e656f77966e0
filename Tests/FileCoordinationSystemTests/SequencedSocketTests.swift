// SPDX-License-Identifier: Apache-2.0
//
// Messages, descriptors, peers, and the ends of connections.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct SequencedSocketTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Receives without waiting, and describes what came.
    private func receive(_ socket: SequencedSocket, capacity: Int = 100) throws -> String {
        var bytes = [UInt8](repeating: 0, count: capacity)
        switch try bytes.withUnsafeMutableBytes({ try socket.receive(into: $0) }) {
        case .bytes(let count, let descriptors, let truncated):
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            return text + (descriptors.isEmpty ? "" : " +\(descriptors.count)")
                + (truncated ? " cut" : "")
        case .wouldBlock: return "(nothing)"
        case .closed: return "(closed)"
        }
    }

    @Test func `Messages keep their borders`() throws {
        let (a, b) = try SequencedSocket.pair()
        #expect(try receive(b) == "(nothing)")
        #expect(try a.send(Array("one".utf8)))
        #expect(try a.send(Array("two".utf8)))
        #expect(try receive(b) == "one")
        #expect(try receive(b) == "two")
        #expect(try receive(b) == "(nothing)")
    }

    @Test func `A message that does not fit is cut, and says so`() throws {
        let (a, b) = try SequencedSocket.pair()
        #expect(try a.send(Array("long message".utf8)))
        #expect(try receive(b, capacity: 4) == "long cut")
        #expect(try receive(b) == "(nothing)")
    }

    @Test func `Descriptors for which there is no room are an error`() async {
        await #expect(processExitsWith: .success) {
            let (a, b) = try SequencedSocket.pair()
            #expect(try a.send([1], descriptors: [a.descriptor.number]))
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            var passed: [Descriptor] = []
            let error = #expect(throws: SystemError.self) {
                try b.receiveMessage(using: MessageBuffer(limit: 9), passing: &passed)
            }
            #expect(error?.code == ErrorNumber.tooManyOpenFiles)
        }
    }

    @Test func `Descriptors travel with a message`() throws {
        let (a, b) = try SequencedSocket.pair()
        let file = try scratch.file("f", size: 123)
        let other = try scratch.file("g", size: 456)
        #expect(try a.send([1], descriptors: [file.number, other.number]))
        var byte: UInt8 = 0
        let result = try withUnsafeMutableBytes(of: &byte) { try b.receive(into: $0) }
        guard case .bytes(1, let descriptors, false) = result else {
            Issue.record("Received \(result)")
            return
        }
        #expect(try descriptors.map { try $0.status().size } == [123, 456])
        #expect(descriptors[0].number != file.number)
        let flags = descriptors.map { fcntl($0.number, F_GETFD) }
        #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
    }

    @Test func `More descriptors than a message carries are refused`() throws {
        let (a, b) = try SequencedSocket.pair()
        let most = 16
        let number = b.descriptor.number
        #expect(try a.send([65], descriptors: Array(repeating: number, count: most)))
        #expect(try receive(b) == "A +\(most)")
        let error = systemError {
            try a.send([65], descriptors: Array(repeating: number, count: most + 1))
        }
        #expect(error?.code == ErrorNumber.invalidArgument)
    }

    @Test func `What was sent before the end is read before the end`() throws {
        var (a, b): (SequencedSocket?, SequencedSocket)
        (a, b) = try SequencedSocket.pair()
        // If the closing end has unread messages, the
        // kernel reports a reset before the last message.
        #expect(try b.send(Array("unread".utf8)))
        #expect(try a?.send(Array("last words".utf8)) == true)
        a = nil
        #expect(try receive(b) == "last words")
        #expect(try receive(b) == "(closed)")
    }

    @Test func `Sending to a closed end is an error and no signal`() throws {
        let (a, b) = try SequencedSocket.pair()
        b.shutDown()
        #expect(systemError { try a.send([1]) }?.code == EPIPE)
        #expect(try receive(a) == "(closed)")
    }

    @Test func `A full queue refuses, and takes again when it is read`() throws {
        let (a, b) = try SequencedSocket.pair()
        let message = [UInt8](repeating: 7, count: 10_000)
        var sent = 0
        while try a.send(message) { sent += 1 }
        #expect(sent > 0)
        _ = try receive(b, capacity: 10_000)
        #expect(try a.send(message))
    }

    @Test func `A message of the protocol fits, a megabyte does not`() throws {
        let (a, b) = try SequencedSocket.pair()
        let size = 65_536
        #expect(try a.send([UInt8](repeating: 65, count: size)))
        #expect(try receive(b, capacity: size).utf8.count == size)
        let error = systemError { try a.send([UInt8](repeating: 65, count: 1 << 20)) }
        #expect(error?.code == ErrorNumber.messageTooLong)
    }

    @Test func `A listener is found under its name, by its owner only`() throws {
        let listener = try SequencedSocket.listener(in: scratch.directory, name: "socket")
        #expect(try scratch.directory.names() == ["socket"])
        let status = try scratch.directory.status(of: "socket")
        #expect(status.kind == .socket)
        #expect(status.permissions == 0o600)

        #expect(try listener.accept() == nil)
        let client = try SequencedSocket.connect(in: scratch.directory, name: "socket")
        let server = try #require(try listener.accept())
        #expect(try client.send([72, 105]))
        #expect(try receive(server) == "Hi")

        let me = PeerCredentials(processID: getpid(), userID: geteuid())
        #expect(try server.peerCredentials() == me)
        #expect(try client.peerCredentials() == me)
        #expect(server.peerProcess()?.hasExited == false)
    }

    @Test func `A new listener takes the name over`() throws {
        let old = try SequencedSocket.listener(in: scratch.directory, name: "socket")
        let new = try SequencedSocket.listener(in: scratch.directory, name: "socket")
        _ = try SequencedSocket.connect(in: scratch.directory, name: "socket")
        #expect(try old.accept() == nil)
        #expect(try new.accept() != nil)
        #expect(try scratch.directory.names() == ["socket"])
    }

    @Test func `A missing socket and one without a listener are told apart`() throws {
        let absent = systemError {
            try SequencedSocket.connect(in: scratch.directory, name: "socket")
        }
        #expect(absent?.code == ErrorNumber.noSuchFile)
        _ = try SequencedSocket.listener(in: scratch.directory, name: "socket")
        let refused = systemError {
            try SequencedSocket.connect(in: scratch.directory, name: "socket")
        }
        #expect(refused?.code == ErrorNumber.connectionRefused)
    }

    @Test func `A path that is too long for a socket works all the same`() throws {
        var directory = scratch.directory
        for _ in 0..<4 {
            let name = String(repeating: "d", count: 60)
            directory = try directory.openSubdirectory(name, creatingWithMode: 0o700)
        }
        #expect(directory.path.utf8.count > 200)
        let listener = try SequencedSocket.listener(in: directory, name: "socket")
        let client = try SequencedSocket.connect(in: directory, name: "socket")
        #expect(try listener.accept() != nil)
        withExtendedLifetime(client) {}
    }

    @Test func `A listener that cannot have its name leaves nothing behind`() throws {
        _ = try scratch.directory.openSubdirectory("socket", creatingWithMode: 0o700)
        #expect(throws: SystemError.self) {
            try SequencedSocket.listener(in: scratch.directory, name: "socket")
        }
        #expect(try scratch.directory.names() == ["socket"])
    }
}
