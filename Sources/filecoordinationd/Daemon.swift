// SPDX-License-Identifier: Apache-2.0
//
// The daemon: a process that only serves the arbiter, so that no application's crash, fork or
// debugger can stop it. The first program that needs the arbiter starts it, or a user does. It ends
// when no program needs it.

import ArgumentParser
import FileCoordinationServer
import FileCoordinationSystem

@main
struct Daemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filecoordinationd",
        abstract: "Arbitrates access to files among the programs of one user.",
        discussion: """
            Programs that use file coordination start this by themselves when they find it, and it \
            leaves when no program needs it any more. Start it by hand to watch it: it says on \
            standard error what it does. A program that serves the arbiter itself hands it over.
            """)

    private static let defaultIdleExit = 30.0

    @Option(
        name: .customLong("idle-exit"), help: "Leave after SECONDS without any client; 0: never.")
    var idleExit: Double = Daemon.defaultIdleExit

    @Flag(
        name: .customLong("elected"),
        help: ArgumentHelp(
            "The starter holds the election, and waits on descriptor 3.", visibility: .hidden))
    var isElected = false

    /// Runs the daemon.
    ///
    /// The program that started the daemon waits until it serves. So the arguments that such a
    /// program gives are read without the argument parser, which would take longer than the rest of
    /// the start.
    static func main() {
        guard CommandLine.arguments.dropFirst().elementsEqual([DaemonLauncher.electedFlag]) else {
            return main(nil)
        }
        do {
            try serve(idleExit: defaultIdleExit, isElected: true)
        } catch {
            exit(withError: error)
        }
    }

    func validate() throws {
        guard idleExit >= 0, idleExit < 1e9 else {
            throw ValidationError("--idle-exit takes seconds, 0 or more.")
        }
    }

    func run() throws { try Self.serve(idleExit: idleExit, isElected: isElected) }

    private static func serve(idleExit: Double, isElected: Bool) throws {
        do {
            try DaemonRun(idleExit: idleExit, isElected: isElected).serve()
        } catch let error as RuntimeDirectoryError {
            StandardError.say("\(error)")
            throw ExitCode(69)
        } catch let error as SystemError {
            StandardError.say("\(error)")
            throw ExitCode(69)
        }
    }
}
