// SPDX-License-Identifier: Apache-2.0
//
// A program that uses the library as any application would, for tests that need other processes.
// It announces what happens on standard output, a line each, and does the next thing when a line
// comes on standard input; so tests wait for events and never for time.

import FileCoordination

@main
enum Peer {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let role = arguments.first else { usage() }
        let rest = Array(arguments.dropFirst())
        switch (role, rest.count) {
        case ("count", 2): Counting.run(path: rest[0], times: Int(rest[1]) ?? 0)
        case ("read", 1): Holding.read(rest[0])
        case ("write", 1): Holding.write(rest[0])
        case ("fork-holder", 1): Forking.holdAndFork(rest[0])
        case ("fork-host", 1): Forking.hostAndFork(rest[0])
        case ("edit-main", 1): Editing.onMainQueue(rest[0])
        case ("edit-default", 1): Editing.onBusyDefaultQueue(rest[0])
        case ("edit", 1): Editing.onOwnQueue(rest[0])
        default: usage()
        }
    }

    static func usage() -> Never {
        say("unknown role")
        exit(64)
    }

    /// Announces something that happened.
    static func say(_ line: String) {
        // Unbuffered: the test waits for it.
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Waits for the test's word to go on; ends the process when the test is gone.
    @discardableResult
    static func hear() -> String {
        guard let line = readLine() else { exit(0) }
        return line
    }

}
