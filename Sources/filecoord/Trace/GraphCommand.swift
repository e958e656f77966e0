// SPDX-License-Identifier: Apache-2.0
//
// `filecoord graph`: prints which program waits for which, as a graph.

import ArgumentParser
import FileCoordinationSystem
import FileCoordinationWire

/// Prints the wait-for graph.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Print who waits for whom now as a graph, for Graphviz or as a picture.",
        discussion: """
            An arrow leads from an access that waits to each access that must end first, and to \
            each presenter that must answer first. With PATHs, the graph begins with the accesses \
            to these and to what is inside of them, and follows their waits to the end. Accesses \
            for which none waits are left out, unless --all is given.

            Asking blocks no program and changes nothing. "filecoord explain" says the same in \
            sentences, and "filecoord report" shows the graph at any moment of a recording.

            EXAMPLES
              filecoord graph | dot -Tpng >waits.png
              filecoord graph --format svg >waits.svg
              filecoord graph ~/Documents
            """)

    /// The formats of the graph.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case dot
        case svg
    }

    @Option(help: "dot, for Graphviz, or svg, a picture.")
    var format = Format.dot

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
                arbiter: ArbiterStatus(
                    processID: 0, kind: .daemon, uptimeNanoseconds: 0, protocolVersion: 0),
                claims: [], presenters: [])
        let graph = WaitGraph(report, isWhole: all, part: selection.part(report))
        switch format {
        case .dot: try Console.print(graph.dot)
        case .svg: try Console.print(WaitGraphPicture(graph).text)
        }
    }
}
