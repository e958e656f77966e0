// SPDX-License-Identifier: Apache-2.0
//
// Runs the user's COMMAND while filecoord holds a claim.

import FileCoordinationArbiter
import FileCoordinationClient

/// A command that runs while a claim is held.
struct CommandRun {
    private let template: CommandTemplate
    private let admission: Admission

    /// Prepares a command as the user typed it, with the arguments that stand for paths.
    init(_ words: [String], mark: PathMark = .braces, admission: Admission) {
        template = CommandTemplate(words, mark: mark)
        admission.name(after: words)
        self.admission = admission
    }

    /// Waits for access, runs the command, and ends this process with the command's exit status.
    ///
    /// - Parameters:
    ///   - items: the items.
    ///   - tokenFile: gets the tokens of what the command reads, or of what it has left if it
    ///     writes.
    /// - Throws: the failure, or the command's status if that is not 0.
    func run(_ items: [ClaimedItem], tokensTo tokenFile: TokenFile? = nil) throws(Failure) {
        if !admission.options.quiet { DirectoryNotice.say(about: items) }
        let writes = items.contains { $0.access.isWriting }
        let status = try admission.run(items) { paths, access throws(Failure) in
            OtherNames.mention(of: paths, quiet: admission.options.quiet)
            if !writes { try tokenFile?.write(access.grantedTokens) }
            let status = try run(at: paths)
            if writes, let tokenFile { try tokenFile.write(ofItemsAt: paths) }
            Holder.current?.outlast(status)
            return status
        }
        guard status == 0 else { throw Failure(status: status, lines: []) }
    }

    /// Runs the command under the granted claim.
    ///
    /// Returns its exit status.
    func run(
        at paths: [NativePath], streams: ChildStreams = ChildStreams()
    ) throws(Failure) -> Int32 {
        let child = try ChildProcess(
            words: template.words(for: paths),
            environment: CommandTemplate.environment(
                for: paths, purpose: admission.purpose))
        return try child.run(signals: admission.signals, streams: streams)
    }
}
