// SPDX-License-Identifier: Apache-2.0
//
// COMMAND, run under a claim.

import FileCoordinationArbiter

/// A command that runs while a claim is held.
struct CommandRun {
    private let template: CommandTemplate
    private let admission: Admission

    /// A command as it was typed, which of its arguments are paths, and how it gets access.
    init(_ words: [String], mark: PathMark = .braces, admission: Admission) {
        template = CommandTemplate(words, mark: mark)
        admission.name(after: words)
        self.admission = admission
    }

    /// Waits for access, runs the command to its end, and ends with its status.
    func run(_ items: [ClaimedItem]) throws(Failure) {
        if !admission.options.quiet { DirectoryNotice.say(about: items) }
        let status = try admission.run(items) { paths throws(Failure) in
            OtherNames.mention(of: paths, quiet: admission.options.quiet)
            let status = try run(at: paths)
            Holder.current?.outlast(status)
            return status
        }
        guard status == 0 else { throw Failure(status: status, lines: []) }
    }

    /// Runs the command under the claim on the items at `paths`; returns its status.
    func run(
        at paths: [NativePath], streams: ChildStreams = ChildStreams()
    ) throws(Failure) -> Int32 {
        let child = try ChildProcess(
            words: template.words(for: paths),
            environment: CommandTemplate.environment(
                for: paths, purpose: "\(admission.purpose)"))
        return try child.run(signals: admission.signals, streams: streams)
    }
}
