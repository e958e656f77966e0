// SPDX-License-Identifier: Apache-2.0
//
// `filecoord write`: replaces a file atomically by the data on standard input, or runs a command
// under a write claim.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient

/// A coordinated write.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write files once no program uses them, and once their editors have let go.",
        usage: """
            filecoord write [<options>] <path>
            filecoord write [<options>] <path> ... -- <command> [<arg> ...]
            """,
        discussion: """
            Without COMMAND, standard input is read to its end first, into a file beside PATH that \
            has no name. Only then is access claimed, and the content put in place in one step: \
            a reader of PATH finds the old content or the new, never a part, also after a crash. \
            Mode, owner, group, access control list, extended attributes and security labels are \
            kept; what cannot be kept is reported, and no user gets more access by it. A new file \
            gets what the directory's default list or the umask leaves. A file with several names \
            (hard links) is refused, unless --in-place or --break-links says what is meant. If \
            anything fails, PATH is as it was, but for a failure in the midst of --in-place.

            \(ItemOptions.manualOfLinks)

            DO NOT filter a file by "filecoord read f | ... | filecoord write f": these are two \
            claims, and what another program writes in between is lost. "filecoord update f -- \
            COMMAND" is one.

            A program that dies in the midst of its output looks like one that has ended: what it \
            has written by then becomes the file. --expect-bytes refuses that, and "filecoord \
            update" looks at the status.

            \(CommandTemplate.manual)

            Of several --for options the write waits as the strictest, and editors are asked \
            whatever any of them asks. All but --for-replacing and --for-merging need a COMMAND.

            A claim on a directory covers nothing inside it; with --recursive it covers all of \
            that, at any depth: no other program reads or writes there meanwhile.

            \(ConditionOptions.manual)

            \(ExitStatus.manual)

            EXAMPLES
              date | filecoord write last-run.txt
              filecoord update list -- sort -u
              filecoord write --expect-bytes "$size" disk.img <download
              filecoord write app.db -- sh -c 'sqlite3 "$FILECOORD_PATH_1" VACUUM'
              filecoord write -- "$file" -- make
            """)

    @Flag(help: "What the write is for.")
    var aims: [WritingAim] = []

    @Flag(help: "Of directories, all that is inside is written, too.")
    var recursive = false

    @Flag(help: "Write a symbolic link itself, not what it leads to; needs a COMMAND.")
    var noFollow = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var tokens: TokenFileOption

    @OptionGroup(title: "Holding")
    var keeping: KeepingOption

    @Option(
        help: ArgumentHelp(
            "Write nothing unless standard input has N bytes.", valueName: "n"))
    var expectBytes: UInt64?

    @OptionGroup var placement: PlacingOptions

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @OptionGroup var template: TemplateOptions

    @Argument(
        help: ArgumentHelp("The files or directories to write.", valueName: "path"),
        completion: .file())
    var paths: [String]

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    func validate() throws {
        if let complaint = keeping.complaint(hasCommand: !command.words.isEmpty)
            ?? request.complaint ?? conditions.complaint(paths: paths.count...paths.count)
        {
            throw ValidationError(complaint)
        }
    }

    /// The request that the options and arguments describe.
    var request: WriteRequest {
        WriteRequest(
            aims: aims, isRecursive: recursive, followsLinks: !noFollow, paths: paths,
            waiting: waiting.terms,
            command: command.words, mark: template.mark, placing: placement.placing,
            expectedBytes: expectBytes, keepsWhileRunning: keeping.keepWhileRunning,
            conditions: conditions.terms, tokenFile: tokens.file)
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

    /// The name of the option on the command line.
    var name: String {
        switch self {
        case .forDeleting: "for-deleting"
        case .forMoving: "for-moving"
        case .forMerging: "for-merging"
        case .forReplacing: "for-replacing"
        case .metadataOnly: "metadata-only"
        }
    }

    /// Whether this kind of write can take its content from standard input.
    var takesContent: Bool {
        switch self {
        case .forMerging, .forReplacing: true
        case .forDeleting, .forMoving, .metadataOnly: false
        }
    }

    /// The corresponding value of the arbiter's type.
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
