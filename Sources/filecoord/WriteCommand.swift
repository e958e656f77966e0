// SPDX-License-Identifier: Apache-2.0
//
// `filecoord write`: standard input put in place in one step, or a command that runs under the
// claim.

import ArgumentParser
import FileCoordinationArbiter

/// A coordinated write.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write files once nobody else uses them, and once their editors have let go.",
        usage: """
            filecoord write [<options>] <path>
            filecoord write [<options>] <path> ... -- <command> [<arg> ...]
            """,
        discussion: """
            Without COMMAND, standard input is read to its end first, into a file beside PATH that \
            has no name. Only then is access claimed, and the content put in place in one step: \
            whoever reads PATH finds the old content or the new, never a part, and so does whoever \
            looks after a crash. Mode and owner are kept; a new file gets what the umask leaves. \
            A symbolic link is not followed, and is refused. If anything fails, PATH is as it was.

            \(CommandTemplate.manual)

            Of several --for options the write waits as the strictest, and editors are asked \
            whatever any of them asks. All but --for-replacing and --for-merging need a COMMAND.

            \(ExitStatus.manual)

            EXAMPLES
              date | filecoord write last-run.txt
              filecoord read list | sort -u | filecoord write list
              filecoord write --timeout 5 app.db -- sqlite3 {} 'VACUUM'
              filecoord write --for-moving old new -- mv {1} {2}
            """)

    @Flag(help: "What the write is for.")
    var aims: [WritingAim] = []

    @OptionGroup(title: "Holding")
    var keeping: KeepingOption

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @Argument(help: ArgumentHelp("The files or directories to write.", valueName: "path"))
    var paths: [String]

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    func validate() throws {
        if let complaint = keeping.complaint(hasCommand: !command.words.isEmpty)
            ?? request.complaint
        {
            throw ValidationError(complaint)
        }
    }

    /// What the words on the command line ask for.
    var request: WriteRequest {
        WriteRequest(
            aims: aims, paths: paths, waiting: waiting.terms, command: command.words,
            keepsWhileRunning: keeping.keepWhileRunning)
    }

    func run() throws { try request.run() }
}

/// What a write is for.
enum WritingAim: String, EnumerableFlag {
    case forDeleting
    case forMoving
    case forMerging
    case forReplacing
    case metadataOnly

    /// The option's name on the command line.
    var name: String {
        switch self {
        case .forDeleting: "for-deleting"
        case .forMoving: "for-moving"
        case .forMerging: "for-merging"
        case .forReplacing: "for-replacing"
        case .metadataOnly: "metadata-only"
        }
    }

    /// Whether new content can come from standard input.
    var takesContent: Bool {
        switch self {
        case .forMerging, .forReplacing: true
        case .forDeleting, .forMoving, .metadataOnly: false
        }
    }

    /// The same in the arbiter's words.
    var option: WritingOptions {
        switch self {
        case .forDeleting: .deleting
        case .forMoving: .moving
        case .forMerging: .merging
        case .forReplacing: .replacing
        case .metadataOnly: .metadataOnly
        }
    }

    static func help(for value: WritingAim) -> ArgumentHelp? {
        switch value {
        case .forDeleting: "COMMAND deletes the files; of directories, all that is inside, too."
        case .forMoving: "COMMAND moves the files; of directories, all that is inside, too."
        case .forMerging: "Editors save first; what is written builds on that."
        case .forReplacing: "Other files take the place of these."
        case .metadataOnly: "Nothing but metadata is written, no content."
        }
    }
}
