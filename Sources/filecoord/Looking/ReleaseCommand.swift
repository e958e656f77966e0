// SPDX-License-Identifier: Apache-2.0
//
// `filecoord release`: ends by hand what a process, a claim or a presenter keeps waiting.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Ends waits by hand.
struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Cut off by hand a program that waits, or that does not answer.",
        discussion: """
            NUMBER is that of a process, or of a claim or a presenter in "filecoord status \
            --json". Of a process, all of these are released.

            A claim that waits is ended: its program gets an error that names the process which \
            ran this command, and the reason. A presenter that was asked and has not answered is \
            waited for no longer: the claims go on without its answer, as they do at its \
            deadline, and it is not asked again until it answers.

            A claim that runs is left alone, because no program can be kept from going on with \
            what it has opened: it would write beside the next one. What to do about it is said, \
            with status 70.

            Asks before it does anything, unless --yes is given. The server logs what was \
            released, by which process, and why. Only programs of this user can be released.

            With --json, one object on each line:
              {"claim" or "presenter", "pid", "process", "label", "path",
               "outcome": "ended"|"passedOver"|"running"|"notAsked"|"gone"}

            EXIT STATUS
              0   released
              64  wrong usage; or --yes is missing and there is no terminal
              66  there is no such process, claim or presenter, or it keeps nothing waiting
              69  no server can be reached, or the process is not connected
              70  it runs and was left alone, or the answer to the question was no

            EXAMPLES
              filecoord release 4711 --reason "hangs since the update"
              filecoord release --yes --reason "nightly cleanup" 1099511627777
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("What the other program is told, and the log.", valueName: "text"))
    var reason = "no reason was given"

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: ArgumentHelp("A process, a claim or a presenter.", valueName: "number"))
    var number: UInt64

    func validate() throws {
        guard !reason.allSatisfy(\.isWhitespace) else {
            throw ValidationError("--reason takes a text that says why.")
        }
        guard yes || isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("There is no terminal to ask on: give --yes.")
        }
    }

    func run() throws {
        let environment = CurrentProcess.environment
        guard let report = try StatusCommand.ask(environment) else {
            throw Failure(.badPath, "there is no server here, so no program waits")
        }
        let targets = ReleaseTarget.all(number, in: report)
        guard !targets.isEmpty else { throw ReleaseTarget.absence(of: number, in: report) }
        let (running, released) = (
            targets.filter(\.isRunning), targets.filter { !$0.isRunning }
        )
        if !released.isEmpty, !yes { try confirm(released) }
        let outcomes = try dismiss(released, environment)
        for (target, outcome) in zip(released, outcomes) {
            try Console.print(json ? target.json(outcome) : target.sentence(outcome))
        }
        if json { for target in running { try Console.print(target.json(.running)) } }
        // A claim that was granted meanwhile is running now.
        let left = running + zip(released, outcomes).filter { $0.1 == .running }.map(\.0)
        guard left.isEmpty else {
            throw Failure(
                status: ExitStatus.refused.rawValue, lines: left.flatMap(\.adviceOnRunning))
        }
        guard !outcomes.contains(.unreachable) else {
            throw Failure(.unavailable, "not everything could be released; try again")
        }
        guard outcomes.contains(where: { $0 == .ended || $0 == .passedOver }) else {
            throw Failure(.badPath, "nothing waits for \(number) any more")
        }
    }

    private func confirm(_ targets: [ReleaseTarget]) throws(Failure) {
        for target in targets { Console.say(target.proposal) }
        let what = targets.count == 1 ? "it" : "these \(targets.count)"
        guard Question.ask("release \(what)? [y/N]") else {
            throw Failure(.refused, "nothing was released")
        }
    }

    private func dismiss(
        _ targets: [ReleaseTarget], _ environment: [String: String]
    ) throws(Failure) -> [DismissalOutcome] {
        let author = Self.author
        let reason = ArgumentText.shown(reason)
        let dismissals = targets.map { Dismissal($0.party, author: author, reason: reason) }
        guard !dismissals.isEmpty else { return [] }
        let outcomes = try StatusCommand.answered {
            try StatusClient.dismiss(dismissals, environment: environment)
        }
        // If there is no arbiter any more, no claim waits.
        return outcomes ?? targets.map { _ in .gone }
    }

    /// This process and the one that started it, because the latter is more informative.
    private static var author: String {
        let own = "filecoord release (pid \(CurrentProcess.id))"
        guard let starter = ProcessStarter.text(of: CurrentProcess.id) else { return own }
        return "\(own), which \(starter) ran"
    }
}
