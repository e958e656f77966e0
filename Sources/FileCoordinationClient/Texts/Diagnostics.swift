// SPDX-License-Identifier: Apache-2.0
//
// The few messages that the library prints to standard error on its own: errors that the program
// would otherwise not notice (Rules 1.10, 2.0).

import FileCoordinationSystem

/// Prints messages to standard error.
package enum Diagnostics {
    /// Prints a message.
    ///
    /// Does nothing if standard error is closed, full, or read by no process.
    ///
    /// Foundation's file handles would end the program in these cases.
    package static func say(_ sentence: String) {
        StandardError.write(Array("FileCoordination: \(sentence)\n".utf8))
    }
}
