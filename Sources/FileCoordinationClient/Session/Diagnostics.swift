// SPDX-License-Identifier: Apache-2.0
//
// The few sentences that a library may say without being asked: mistakes that would otherwise be
// silent, on standard error (Rules 1.10, 2.0).

import FileCoordinationSystem

/// Says sentences on standard error.
package enum Diagnostics {
    /// Says a sentence; nothing if standard error is closed, full, or read by no process.
    ///
    /// Foundation's file handles end the program then.
    package static func say(_ sentence: String) {
        StandardError.write(Array("FileCoordination: \(sentence)\n".utf8))
    }
}
