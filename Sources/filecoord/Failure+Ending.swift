// SPDX-License-Identifier: Apache-2.0
//
// How a failure ends the program.

import Glibc

extension Failure {
    /// Prints the failure, and ends this process with its exit status.
    func endProgram() -> Never {
        for line in lines { Console.say(line) }
        exit(status)
    }
}
