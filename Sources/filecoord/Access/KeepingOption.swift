// SPDX-License-Identifier: Apache-2.0
//
// The option `--keep-while-running`, which all commands that run a COMMAND have.

import ArgumentParser

/// Determines how long the access is held.
struct KeepingOption: ParsableArguments {
    @Flag(
        help: """
            Hold access until the last process that COMMAND leaves behind has ended, too.
            """)
    var keepWhileRunning = false

    /// The part of the manual about this option.
    static let manual = """
        With --keep-while-running, access is held on after COMMAND has ended, until the last \
        process has gone that inherited a certain descriptor from it, as a lock of flock(1) is: \
        filecoord ends with COMMAND's status, and a process of its name holds the access. A \
        program that closes all descriptors, as many daemons do when they start, is not waited for.
        """

    /// Returns what is wrong with the option, as text for the user, or nil if nothing is.
    func complaint(hasCommand: Bool) -> String? {
        keepWhileRunning && !hasCommand
            ? "--keep-while-running needs a COMMAND after \"--\"." : nil
    }
}
