// SPDX-License-Identifier: Apache-2.0
//
// How a failure ends the program: on standard error, and as the exit status. A holder, which runs
// on a thread of its own, ends in the same way as other commands.

import Glibc

extension Failure {
    /// Prints the failure, and ends this process with its exit status.
    func endProgram() -> Never {
        for line in lines { Console.say(line) }
        exit(status)
    }
}
