// SPDX-License-Identifier: Apache-2.0
//
// A server of another version is not replaced, and its refusal is told as it is.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

struct VersionConflictTests {
    /// Refuses one connection, as a server of another version does.
    private static func refuseOne(_ listener: SequencedSocket, _ text: String) throws {
        let poller = try Poller()
        try poller.add(listener.descriptor, token: 0, .readable)
        try DetachedThread.start(name: "other-version") {
            var ready: [Poller.Ready] = []
            // The client then waits in vain, and the test fails by its own limit.
            guard (try? poller.wait(into: &ready, until: nil)) != nil,
                let socket = (try? listener.accept()) ?? nil,
                // A server reads what it refuses.
                (try? poller.add(socket.descriptor, token: 1, .readable)) != nil
            else { return }
            poller.forget(listener.descriptor)
            _ = try? poller.wait(into: &ready, until: nil)
            let refusal = ServerMessage.refused(Refusal(code: .wrongVersion, text: text))
            _ = try? socket.send(refusal.encode())
        }
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("it speaks protocol 10, this server speaks 1 to 9", true),
            ("the server, process \(CurrentProcess.id) of /x, speaks 11", false),
        ])
    func `Taking over from a server of another version ends in its refusal`(
        text: String, isNamedByUs: Bool
    ) throws {
        let world = try RelocationLogWorld()
        let runtime = world.runtime
        let listener = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket, backlog: 4)
        try Self.refuseOne(listener, text)
        let error = #expect(throws: VersionConflict.self) { try Handover.ask(in: runtime) }
        let ending = isNamedByUs ? " (the server is process \(CurrentProcess.id))" : ""
        #expect(error?.description == text + ending)
    }
}
