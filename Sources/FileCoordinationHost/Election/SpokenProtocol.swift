// SPDX-License-Identifier: Apache-2.0
//
// Which versions of the protocol this process speaks. It can be told to speak an older one only:
// to find out whether a trouble comes from two versions side by side, and for tests of that.

internal import FileCoordinationSystem
internal import FileCoordinationWire

/// The versions of the protocol that this process speaks.
package enum SpokenProtocol {
    /// The newest one: ``ProtocolVersion/current``, or what `FILECOORDINATION_PROTOCOL` says.
    package static var newest: UInt16 {
        guard let text = CurrentProcess.environmentVariable("FILECOORDINATION_PROTOCOL"),
            let version = UInt16(text), ProtocolVersion.supported.contains(version)
        else { return ProtocolVersion.current }
        return version
    }
}
