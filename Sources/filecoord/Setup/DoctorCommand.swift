// SPDX-License-Identifier: Apache-2.0
//
// `filecoord doctor`: reports whether programs can coordinate on this machine, and if not, what to
// do.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// Reports what prevents coordination on this machine.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether programs can coordinate here, and say what to do if not.",
        discussion: """
            Looks where the programs of this user meet, whether that is one place only, who serves \
            them, which daemon would be started and of which version it is, at the units of \
            systemd, at the kernel, and at limits. Changes nothing, and starts no server.

            A line each: "ok", a "note" of something to know, a "warning" of what may fail later, \
            or a "problem", because of which programs cannot coordinate, or do not see each other. \
            What to do follows after an arrow.

            With --json, one object on one line:
              {"findings": [{"subject", "state": "ok"|"note"|"warning"|"problem", "text",
                             "advice": text or null}]}

            Exit status 69 if there is a problem.

            EXAMPLES
              filecoord doctor
              filecoord doctor --json | jq '.findings[] | select(.state == "problem")'
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let findings = Diagnosis.findings(for: MachineFacts.gather(CurrentProcess.environment))
        if json {
            try Console.print(Diagnosis.json(findings).description)
        } else {
            for line in findings.flatMap(\.lines) { try Console.print(UserText.line(line)) }
        }
        let problems = findings.count { $0.state == .problem }
        guard problems == 0 else {
            throw Failure(
                .unavailable,
                problems == 1 ? "there is a problem" : "there are \(problems) problems")
        }
    }
}
