// SPDX-License-Identifier: Apache-2.0
//
// `filecoord explain`: why would an access to this item wait now, and what can be done.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// Why an access would wait.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why an access to a file would wait now, for whom, and what to do.",
        discussion: """
            Says of a read, a write, a delete and a move of PATH: whether it would be granted at \
            once; which accesses it would have to wait for; which presenters it would ask, and \
            for what; whom it would have told. Says also whether PATH is in a package, which other \
            names of it are not held back, and follows the waits to their end: a program that is \
            stopped, a presenter that does not answer, or a cycle.

            Asking blocks no program, and nothing is claimed. The answer is of the moment at which \
            the server was asked, and of an access by a program that takes no part yet: a program \
            never waits for accesses of its own purpose.

            With --json, one object on one line:
              {"path", "kind": "file"|"directory"|"link"|"socket"|"other" or null,
               "package": path or null, "hardLinks", "otherPlaces": [path],
               "arbiter": pid or null,
               "accesses": [{"access": "read"|"write"|"delete"|"move", "immediate",
                             "waitsFor": [claim],
                             "asks": [{"presenter", "messages"}], "passesOver": [presenter],
                             "tells": [{"presenter", "messages"}]}],
               "presenters": [{"id", "pid", "process", "label", "path",
                               "relation": "item"|"above"|"inside"|"beside",
                               "unresponsive", "stopped"}],
               "chain": [{"depth", "link": "waited"|"inside"|"alongside", "claim",
                          "presenter", "pid", "process", "label", "path",
                          "role": "holder"|"waiter"|"presenter", "message",
                          "stopped", "end": "open"|"last"|"cycle"|"shown"}],
               "advice": [text]}
            Claims and presenters have the numbers of "filecoord status --json". What follows from \
            a step of the chain is behind it, one deeper. Its link says whether it is waited for, \
            was asked for inside the access before, or is another wait of the same process.

            EXAMPLES
              filecoord explain report.odt
              filecoord explain --json report.odt | jq '.accesses[] | select(.immediate | not)'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(
        help: ArgumentHelp("What to explain; need not exist.", valueName: "path"),
        completion: .file())
    var path: String

    func run() throws {
        let explanation = try Self.explanation(of: UserPath.item(path))
        guard !json else { return try Console.print(ExplanationJSON(explanation).text) }
        let directory = try StatusCommand.opening {
            try RuntimePlace(variable: { CurrentProcess.environment[$0] }).path
        }
        for line in ExplanationText(explanation, runtimeDirectory: directory).lines {
            try Console.print(line)
        }
    }

    /// Asks the server, and explains what it says of a path.
    static func explanation(of path: NativePath) throws(Failure) -> Explanation {
        let place = try path.place()
        let answer = try StatusCommand.askWithPackages(CurrentProcess.environment)
        let packages = answer?.packages ?? PackagePolicy(text: PackageConfiguration.load())
        return Explanation(ItemFacts.read(at: place, packages), answer?.report)
    }
}
