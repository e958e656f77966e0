// SPDX-License-Identifier: Apache-2.0
//
// The protocol versions that this process speaks. An environment variable can limit it to an older
// version, for tests and for diagnosing problems between two versions.

internal import FileCoordinationSystem
package import FileCoordinationWire

extension ProtocolVersion {
    /// The newest version that this process speaks: ``current``, or the value of
    /// `FILECOORDINATION_PROTOCOL`.
    package static var spoken: UInt16 {
        guard let text = CurrentProcess.environmentVariable("FILECOORDINATION_PROTOCOL"),
            let version = UInt16(text), supported.contains(version)
        else { return current }
        return version
    }
}
