// SPDX-License-Identifier: Apache-2.0
//
// What counts as a package, as the arbiter announces it (Rule 1.11).

import FileCoordinationSystem
import FileCoordinationWire
import Foundation

extension Session {
    /// Takes note of the policy that all who share the arbiter have.
    func learn(_ policy: [UInt8]) {}
}
