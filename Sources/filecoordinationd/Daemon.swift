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
            leaves when no program needs it any more. A program that runs the server itself \
            hands it over.

            With the unit filecoordinationd.socket, systemd starts it instead, as a service of the \
            user. It then writes its log to the journal; started by hand, to standard error; \
            started by a program, to the file "log" in the directory where programs meet. One line \
            is one event: event=NAME, fields, and message="a sentence". Without a complaint it \
            writes nothing, unless --log or $FILECOORDINATION_LOG asks for more. To watch it:

              filecoordinationd --log info --idle-exit 0
            """,
        version: "filecoordinationd \(SoftwareVersion.number)")

    private static let defaultIdleExit = 30.0

    @Option(
        name: .customLong("idle-exit"), help: "Leave after SECONDS without any client; 0: never.")
    var idleExit: Double = Daemon.defaultIdleExit

    @Option(
        name: .customLong("log"),
        help: """
            What to log: off, warning, info or debug. The default is $FILECOORDINATION_LOG, else \
            warning (in the file of a daemon that a program has started, debug).
            """)
    var log: LogLevel?

    @Flag(
        name: .customLong("retire"),
        help: """
            Serve nothing: end the daemon that serves this user, and remove the directory where \
            programs met, unless programs use it. For uninstalling.
            """)
    var retires = false

    @Flag(
        name: .customLong("retire-idle"),
        help: """
            Serve nothing: end the daemon that serves this user, unless programs use it. For \
            upgrading.
            """)
    var retiresIdle = false

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
            try serve(
                DaemonRun(idleExit: defaultIdleExit, isElected: true, logLevel: nil))
        } catch {
            exit(withError: error)
        }
    }

    func validate() throws {
        guard idleExit >= 0, idleExit < 1e9 else {
            throw ValidationError("--idle-exit takes seconds, 0 or more.")
        }
    }

    func run() throws {
        guard retires || retiresIdle else {
            return try Self.serve(
                DaemonRun(idleExit: idleExit, isElected: isElected, logLevel: log))
        }
        let environment = CurrentProcess.environment
        let place = try RuntimePlace(variable: { environment[$0] })
        guard retires else { return Retirement.endDaemon(at: place, onlyIfIdle: true) }
        if let remark = Retirement.retire(place) { Self.say(remark) }
    }

    private static func serve(_ run: DaemonRun) throws {
        do {
            try run.serve()
        } catch let error as RuntimeDirectoryError {
            say("\(error)")
            throw ExitCode(69)
        } catch let error as VersionConflict {
            say("\(error)")
            throw ExitCode(69)
        } catch let error as SystemError {
            say("\(error)")
            throw ExitCode(69)
        }
    }

    /// Says something that is no event of a server: what the command has done, or why it failed.
    private static func say(_ line: String) {
        StandardError.write(Array((DaemonLog.sender + line + "\n").utf8))
    }
}
