// SPDX-License-Identifier: Apache-2.0
//
// The hello: which version of the protocol a connection speaks, and what it is told in return.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What a server says to each new connection.
struct Greeting {
    let kind: ServerKind
    let epoch: ServerEpoch
    /// The newest version that is spoken.
    let newest: UInt16
    /// What counts as a package: as configured, and what clients have added.
    var packagePolicy: [UInt8]

    /// Why a connection that speaks this version is refused; nil if it is not.
    func objection(to version: UInt16) -> String? {
        let spoken = ProtocolVersion.supported.lowerBound...newest
        guard !spoken.contains(version) else { return nil }
        return "it speaks protocol \(version), this arbiter speaks \(spoken.lowerBound) to "
            + "\(spoken.upperBound): bring both to one version"
    }

    /// The answer to a hello.
    func welcome(_ version: UInt16) -> ServerMessage {
        .welcome(
            Welcome(
                version: version, epoch: epoch.rawValue, processID: CurrentProcess.id, kind: kind,
                packagePolicy: packagePolicy))
    }
}
