// SPDX-License-Identifier: Apache-2.0
//
// COMMAND, run under a claim.

import FileCoordination
import FileCoordinationArbiter
import Foundation

/// A command that runs while a claim is held.
struct CommandRun {
    private let template: CommandTemplate
    private let admission: Admission

    /// A command as it was typed, and how it gets access.
    init(_ words: [String], admission: Admission) {
        template = CommandTemplate(words)
        admission.name(after: words)
        self.admission = admission
    }

    /// Waits for access, runs the command to its end, and ends with its status.
    func run(_ items: [RequestedItem]) throws(Failure) {
        let status = try admission.run(items) { urls throws(Failure) in
            OtherNames.mention(of: urls, quiet: admission.options.quiet)
            let paths = urls.map(\.systemPath)
            let child = try ChildProcess(
                words: template.words(for: paths),
                environment: CommandTemplate.environment(
                    for: paths, purpose: "\(admission.purpose)"))
            let status = try child.run(signals: admission.signals)
            Holder.current?.outlast(status)
            return status
        }
        guard status == 0 else { throw Failure(status: status, lines: []) }
    }
}
