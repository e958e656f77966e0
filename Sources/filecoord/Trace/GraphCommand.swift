// SPDX-License-Identifier: Apache-2.0
//
// `filecoord graph`: prints which program waits for which, as a graph.

import ArgumentParser
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire

/// Prints the wait-for graph.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Print who waits for whom now as a graph or JSON.",
        discussion: """
            An arrow leads from an access that waits to each access that must end first, and to \
            each presenter that must answer first. With PATHs, the graph begins with the accesses \
            to these and to what is inside of them, and follows their waits to the end. Accesses \
            for which none waits are left out, unless --all is given.

            Asking blocks no program and changes nothing. "filecoord explain" says the same in \
            sentences, and "filecoord report" tells the longest waits of a recording.

            With --json, one object on one line:
              {"nodes": [{"id", "kind": "claim", "claim", "pid", "process", "label",
                 "state": "waiting"|"asking"|"granted", "since", "stopped",
                 "items": [{"path", "access": "reading"|"writing", "options"}]} or
                {"id", "kind": "presenter", "presenter", "pid", "process", "label",
                 "path", "unresponsive", "stopped"} or
                {"id", "kind": "party", "claim" or "presenter", "pid", "process",
                 "label", "path", "stopped"} or
                {"id", "kind": "others", "count"}],
               "edges": [{"from", "to", "message"}]}
            An edge leads from the id of what waits to that of what it waits for; message is what \
            a presenter must answer, else null. A party has just come or gone, and "others" \
            stands for so many more than are listed for a claim.

            EXAMPLES
              filecoord graph | dot -Tsvg >waits.svg
              filecoord graph ~/Documents
              filecoord graph --json | jq '.edges | length'
            """)

    @Flag(help: "Print JSON, and no text for Graphviz.")
    var json = false

    @Flag(help: "Show also accesses and presenters for which none waits.")
    var all = false

    @Argument(
        help: ArgumentHelp("Begin with these, and with what is inside.", valueName: "path"),
        completion: .file())
    var paths: [String] = []

    func run() throws {
        let selection = try StatusSelection(paths)
        let report =
            try StatusCommand.ask(CurrentProcess.environment)
            ?? StatusReport(
                arbiter: ServerStatus(
                    processID: 0, kind: .daemon, uptime: .zero, protocolVersion: 0),
                claims: [], presenters: [])
        let graph = WaitGraph(report, isWhole: all, part: selection.part(report))
        try Console.print(json ? graph.json : graph.dot)
    }
}
