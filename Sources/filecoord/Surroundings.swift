// SPDX-License-Identifier: Apache-2.0
//
// The commands around this one, and what happens if it waits for one of them: nothing, for ever,
// were it not refused (Rule 18.4).

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The claims of the commands around this one, and its own.
enum Surroundings {
    /// What COMMAND is told of the claims around it; empty: nothing.
    static let forCommand = Lock("")

    /// What this program was told, unless no program waits for it.
    static func own(_ terms: WaitingTerms) -> SurroundingClaims {
        guard !terms.detached,
            let text = CurrentProcess.environmentVariable(SurroundingClaims.variable)
        else { return SurroundingClaims() }
        return SurroundingClaims(text: text)
    }

    /// The part of the manual that is about commands in commands.
    static let manual = """
        A filecoord that COMMAND starts, and that would have to wait for a claim around it, is \
        refused at once with status 70: with --purpose "$FILECOORD_PURPOSE" it joins that access, \
        and with --detached it waits, for which the command around it must not wait in turn. \
        $FILECOORD_CLAIM tells it what it runs under.
        """

    /// A refusal, if what was waited for is a command around this one.
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
        let others = parties.dropFirst().filter { $0.processID != outer.processID }
        let label = outer.label.isEmpty ? outer.processName : outer.label
        let command = "\(PeopleText.line(label)) (pid \(ProcessNumber.plain(outer.processID)))"
        let way = others.isEmpty ? "" : ", by way of others,"
        let paths = PeopleText.paths(access.requestedPaths)
        let first =
            "access to \(paths) would never be granted: it waits\(way) for the command around it, "
            + "\(command), which waits for this one"
        let last =
            "to join the access of that command, use --purpose \"$FILECOORD_PURPOSE\"; if it does "
            + "not wait for this one, use --detached"
        return Failure(
            status: ExitStatus.refused.rawValue,
            lines: [first] + others.map { "  " + PeopleText.sentence($0) } + [last])
    }
}
