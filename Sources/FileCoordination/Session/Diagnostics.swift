// SPDX-License-Identifier: Apache-2.0
//
// The few sentences that a library may say without being asked: mistakes that would otherwise be
// silent, on standard error (Rules 1.10, 2.0).

import Foundation

/// Says sentences on standard error.
enum Diagnostics {
    static func say(_ sentence: String) {
        FileHandle.standardError.write(Data("FileCoordination: \(sentence)\n".utf8))
    }
}
