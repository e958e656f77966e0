// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status`: prints which processes hold access, which wait for whom, and which present
// items (Rule 18.5).

import ArgumentParser
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Prints the arbiter's status report.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show who holds which file, who waits for whom, and who presents.",
        discussion: """
            Asking blocks no program. Only programs of this user that share the runtime directory \
            are seen; "filecoord --help" says which that is. With PATHs, only those and what is \
            inside of them is shown.

            Who waits, and for whom, is listed up to \(StatusTable.rowLimit) for each file, and \
            the others are counted; --json lists all claims.

            "may use … without asking" is a delegation: the program holds nothing just now, and \
            the server takes the delegation back when another program wants the file. A PATH \
            names its delegations; without one, those of other files are counted.

            With --json, one object on one line:
              {"arbiter": {"pid", "kind": "daemon"|"embedded", "uptime", "protocol"} or null,
               "claims": [{"id", "pid", "process", "label", "purpose",
                           "state": "waiting"|"asking"|"granted", "since", "stopped",
                           "items": [{"path", "access": "reading"|"writing", "options"}],
                           "waitsFor": [{"claim", "pid", "process", "label"} or
                              {"presenter", "pid", "process", "label", "message"}],
                           "waitsForCount"}],
               "presenters": [{"id", "pid", "process", "label", "path", "unresponsive",
                               "stopped", "watching"}],
               "delegations": [{"pid", "process", "label", "path",
                                "kind": "reading"|"writing"|"directory"|"queue"}]}
            With --watch, the server tells when something changes, and is asked for nothing \
            while nothing does; the longest wait comes first. A change is shown after a quarter \
            of a second at most: on a terminal in the place of the last picture, as much of it as \
            fits, else below it; with --json as one more object on a line. Accesses by delegation \
            are no change, because the server does not know of them. \
            \(ServerLimits.recordings) programs at most watch or record at a time.

            What waits, is stopped, does not answer or works badly has a colour on a terminal, \
            unless NO_COLOR is set and not empty. Where TERM is dumb or not set, there are no \
            colours, and pictures follow each other.

            Times are in seconds, claims in the order of their line. A label is what --label or \
            a program says, and otherwise the command or the program's name. waitsFor lists \
            the first of them, waitsForCount counts all.

            EXAMPLES
              filecoord status
              filecoord status ~/Documents
              filecoord status --json | jq '.claims[] | select(.state != "granted")'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Show it again whenever it changes, until interrupted.")
    var watch = false

    @Argument(
        help: ArgumentHelp("Show these, and what is inside.", valueName: "path"),
        completion: .file())
    var paths: [String] = []

    func run() throws {
        let selection = try StatusSelection(paths)
        let environment = CurrentProcess.environment
        guard watch else {
            let view = StatusView(
                json ? .json : .text, environment: environment, isWatching: false,
                showsAllDelegations: !paths.isEmpty)
            return try view.show(Self.ask(environment).map(selection.part))
        }
        let view = try StatusView.watching(
            asJSON: json, environment: environment, showsAllDelegations: !paths.isEmpty)
        // An error is told where the user sees it.
        defer { view.screen?.restore() }
        let watch = try StatusWatch(
            environment: environment, redraw: view.screen?.redraw, part: selection.part,
            show: view.show)
        try watch.run(refreshesTimes: view.screen != nil)
    }

    /// Asks the present arbiter for a report.
    ///
    /// Returns nil if there is none.
    static func ask(_ environment: [String: String]) throws(Failure) -> StatusReport? {
        try askWithPackages(environment)?.report
    }

    /// Asks for a report, and for the package policy.
    static func askWithPackages(
        _ environment: [String: String]
    ) throws(Failure) -> (report: StatusReport, packages: PackagePolicy)? {
        try answered { try StatusClient.askWithPackages(environment: environment) }
    }

    static func answered<Answer>(_ ask: () throws -> Answer) throws(Failure) -> Answer {
        try opening {
            do {
                return try ask()
            } catch is StatusClient.Unanswered {
                throw Failure(
                    .unavailable,
                    "the server does not answer: try again, and if that does not help, end the "
                        + "process that is shown by \"fuser -v\" of the runtime directory's socket")
            }
        }
    }

    /// Runs `body`, an error of which means that no arbiter can be reached.
    static func opening<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
        do {
            return try body()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.unavailable, "\(error)")
        }
    }
}
