// SPDX-License-Identifier: Apache-2.0
//
// Which versions of the protocol this process speaks. It can be told to speak an older one only:
// to find out whether a trouble comes from two versions side by side, and for tests of that.

internal import FileCoordinationSystem
package import FileCoordinationWire

extension ProtocolVersion {
    /// The newest one that this process speaks: ``current``, or what `FILECOORDINATION_PROTOCOL`
    /// says.
    package static var spoken: UInt16 {
        guard let text = CurrentProcess.environmentVariable("FILECOORDINATION_PROTOCOL"),
            let version = UInt16(text), supported.contains(version)
        else { return current }
        return version
    }
}
