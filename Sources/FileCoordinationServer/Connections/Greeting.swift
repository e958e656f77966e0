// SPDX-License-Identifier: Apache-2.0
//
// The answer to a hello: whether the server speaks the client's protocol version, and the welcome.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What a server tells each new connection.
struct Greeting {
    let kind: ServerKind
    let epoch: ServerEpoch
    /// The newest protocol version that the server speaks.
    let newest: UInt16
    /// The package policy: the user's configuration and the additions of clients.
    var packagePolicy: [UInt8]

    /// Returns why a connection with this version is refused, or nil if it is not.
    func objection(to version: UInt16) -> String? {
        let spoken = ProtocolVersion.supported.lowerBound...newest
        guard !spoken.contains(version) else { return nil }
        return "it speaks protocol \(version), this server speaks \(spoken.lowerBound) to "
            + "\(spoken.upperBound): bring both to one version"
    }

    /// Returns the answer to a hello.
    func welcome(_ version: UInt16) -> ServerMessage {
        .welcome(
            Welcome(
                version: version, epoch: epoch.rawValue, processID: CurrentProcess.id, kind: kind,
                packagePolicy: packagePolicy))
    }
}
