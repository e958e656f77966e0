// SPDX-License-Identifier: Apache-2.0
//
// The claims of the filecoord commands inside which this one runs. If this command waited for one
// of them, both would wait for ever, so it is refused (Rule 18.4).

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The claims of the commands around this one, and its own claim.
enum Surroundings {
    /// The value of the environment variable that tells COMMAND about these claims; nil if this
    /// command makes none, so that COMMAND gets what this process has.
    static let forCommand = Lock<String?>(nil)

    /// The claims that the environment variable names, unless the user says that no command waits
    /// for this one.
    static func own(_ terms: WaitingTerms) -> SurroundingClaims {
        guard !terms.detached,
            let text = CurrentProcess.environmentVariable(SurroundingClaims.variable)
        else { return SurroundingClaims() }
        return SurroundingClaims(text: text)
    }

    /// The part of the manual about commands inside commands.
    static let manual = """
        A filecoord that COMMAND starts, and that would have to wait for a claim around it, is \
        refused at once with status 70: with --purpose "$FILECOORD_PURPOSE" it joins that access, \
        and with --detached it waits, for which the command around it must not wait in turn. \
        $FILECOORD_CLAIM tells it what it runs under.
        """

    /// The failure to report if the claim would have waited for a command around this one.
    static func failure(
        _ failure: AccessFailure, _ access: CoordinatedAccess, _ surroundings: SurroundingClaims,
        quiet: Bool
    ) -> Failure? {
        guard case .deadlock(let parties) = failure,
            let outer = parties.last(where: {
                $0.role == .holder
                    && surroundings.areOf(processID: ProcessNumber.plain($0.processID))
            })
        else { return nil }
        guard !quiet else { return Failure(status: ExitStatus.refused.rawValue, lines: []) }
        let isDirect = parties.dropFirst().allSatisfy { $0.processID == outer.processID }
        let label = outer.label.isEmpty ? outer.processName : outer.label
        let command = "\(UserText.line(label)) (\(ProcessNumber.text(outer.processID)))"
        let way = isDirect ? "" : ", by way of others,"
        let paths = UserText.paths(access.requestedPaths)
        let first =
            "access to \(paths) would never be granted: it waits\(way) for the command around it, "
            + "\(command), which waits for this one"
        guard !isDirect else {
            let cure =
                "to join the access of that command, use --purpose \"$FILECOORD_PURPOSE\"; if it "
                + "does not wait for this one, use --detached"
            return Failure(status: ExitStatus.refused.rawValue, lines: [first, cure])
        }
        let cycle = UserText.cycle(parties)
        let hasPresenter = parties.contains { $0.role == .presenter }
        let cure =
            hasPresenter
            ? cycle.advice
            : "have each command name all its items at once, before it has any of them, as in "
                + "filecoord access --write A --write B -- COMMAND"
        return Failure(
            status: ExitStatus.refused.rawValue,
            lines: [first] + cycle.sentences.map { "  " + $0 } + [cure])
    }
}
