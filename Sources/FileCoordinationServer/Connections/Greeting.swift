// SPDX-License-Identifier: Apache-2.0
//
// The answer to a hello: the welcome, or why a client of another protocol version is refused.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What a server tells each new connection.
struct Greeting {
    let kind: ServerKind
    let epoch: ServerEpoch
    /// The package policy: the user's configuration and the additions of clients.
    var packagePolicy: [UInt8]

    /// Returns why a connection with this version is refused, or nil if it is not.
    func objection(to version: UInt16) -> String? {
        guard version != ProtocolVersion.current else { return nil }
        let program = CurrentProcess.executablePath ?? "a program without a name"
        return "this program speaks protocol \(version), and the server, process "
            + "\(CurrentProcess.id) of \(program), speaks \(ProtocolVersion.current): install "
            + "one version of both, and start the older one again"
    }

    /// The answer to a hello.
    var welcome: ServerMessage {
        .welcome(
            Welcome(
                epoch: epoch.rawValue, processID: CurrentProcess.id, kind: kind,
                packagePolicy: packagePolicy))
    }
}
