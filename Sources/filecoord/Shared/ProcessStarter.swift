// SPDX-License-Identifier: Apache-2.0
//
// The program that has started a process, for people: a script says more than the `filecoord` that
// it runs.

import FileCoordinationClient
import FileCoordinationSystem

/// Who has started a process.
enum ProcessStarter {
    /// The name and number of the parent of a process; nil if they cannot be read, or if it is the
    /// parent of all that have lost theirs.
    static func text(of processID: Int32) -> String? {
        guard let parent = ProcessState.parent(of: processID), parent > 1,
            let comm = KernelText.read("/proc/\(parent)/comm")
        else { return nil }
        let name = comm.prefix { $0 != UInt8(ascii: "\n") }
        guard !name.isEmpty else { return nil }
        return "\(UserText.text(Array(name))) (pid \(parent))"
    }
}
