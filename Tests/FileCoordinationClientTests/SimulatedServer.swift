// SPDX-License-Identifier: Apache-2.0
//
// A simulated server for tests: it accepts the connections of a session in the test's process, and
// sends the messages that the test chooses. The session has its own runtime directory.

import FileCoordinationArbiter
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import TestHome

@testable import FileCoordinationClient

/// A server whose messages a test chooses, and a session that finds it.
final class SimulatedServer: Sendable {
    struct NothingCame: Error {}

    let session: Session
    private let listener: SequencedSocket

    /// Listens, and then opens the session, which connects at once.
    init() throws {
        let number = UInt64.random(in: .min ... .max)
        let path = unsafe String(cString: test_home_root()) + "/" + String(number, radix: 36)
        let runtime = try RuntimeDirectory.open(
            environment: ["FILECOORDINATION_RUNTIME_DIR": path])
        listener = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket)
        session = try Session(runtime: runtime, BareServices())
    }

    /// Waits until `socket` can be read, with a bound that only a broken session reaches.
    private static func wait(for socket: SequencedSocket) throws {
        let poller = try Poller()
        try poller.add(socket.descriptor, token: 0, .readable)
        var ready: [Poller.Ready] = []
        let limit = MonotonicClock.after(.seconds(test_patience(20)))
        while ready.isEmpty {
            guard MonotonicClock.now < limit else { throw NothingCame() }
            try poller.wait(into: &ready, until: limit)
        }
    }

    /// Waits for the session's next connection.
    func accept() throws -> SequencedSocket {
        while true {
            try Self.wait(for: listener)
            if let socket = try listener.accept() { return socket }
        }
    }

    /// Waits for the next message on a connection; nil at its end.
    func receive(on socket: SequencedSocket) throws -> ClientMessage? {
        while true {
            try Self.wait(for: socket)
            switch socket.receiveMessage(limit: WireLimits.messageBytes) {
            case .bytes(let bytes): return try ClientMessage(decoding: bytes)
            case .wouldBlock: continue
            case .tooLong, .closed: return nil
            }
        }
    }

    /// Accepts the next connection, reads its hello and welcomes the session.
    func welcome() throws -> SequencedSocket {
        let socket = try accept()
        guard case .hello? = try receive(on: socket) else { throw NothingCame() }
        let welcome = Welcome(epoch: 1_000, processID: 1, kind: .embedded)
        _ = try socket.send(ServerMessage.welcome(welcome).encode())
        return socket
    }

    /// Accepts the next connection and refuses the session, without reading anything.
    func refuse() throws {
        let socket = try accept()
        let refusal = Refusal(code: .limitReached, text: "simulated")
        _ = try socket.send(ServerMessage.refused(refusal).encode())
        socket.shutDown()
    }

    /// Files a write of an item that does not exist.
    func file(
        _ name: String, purpose: Purpose? = nil,
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws -> CoordinatedAccess {
        let path = Array((session.runtime.path + "/" + name).utf8)
        return try CoordinatedAccess(
            [RequestedItem(ItemName(path: path), access: .writing([]))], in: session,
            purpose: purpose ?? Purpose(identifying: name), enclosing: [], onEnding: onEnding)
    }
}

/// The services of a face without versions, copies and queues.
private final class BareServices: ClientServices {
    struct NoCopies: Error {}

    var versions: any VersionKeeping { NoVersions() }
    var versionsPath: [UInt8] { Array("/nonexistent".utf8) }
    func isVersionsPath(_ path: [UInt8]) -> Bool { path == versionsPath }
    func copyForUploading(_ place: ItemPath) throws -> any TemporaryCopy { throw NoCopies() }
    func sweepTemporaryCopies() {}
    func canName(_ path: [UInt8], isDirectory: Bool) -> Bool { true }
    var currentSerialQueue: ObjectIdentifier? { nil }
    var isMainThread: Bool { false }
    func encode(_ failure: any Error) -> [UInt8] { Array("\(failure)".utf8) }
}

private final class NoVersions: VersionKeeping {
    var pathBytes: [UInt8] { Array("/nonexistent".utf8) }
    var shelfBytes: [UInt8] { pathBytes }
    var isThere: Bool { false }
    func mayHaveVersions(at place: ItemPath, _ status: FileStatus) -> Bool { false }
    func beginWriting(
        at place: ItemPath, for options: WritingOptions, mayHaveVersions: Bool
    ) -> EndOfVersionedWrite? { nil }
    func keepConflict(_ contents: ItemPath, of place: ItemPath) throws -> VersionNews {
        throw BareServices.NoCopies()
    }
    func itemDidMove(from old: ItemPath, to new: ItemPath) {}
}
