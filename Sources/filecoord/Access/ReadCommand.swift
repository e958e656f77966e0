// SPDX-License-Identifier: Apache-2.0
//
// `filecoord read`: prints a file to standard output, or runs a command under a read claim.

import ArgumentParser
import FileCoordinationArbiter

/// A coordinated read.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read files once no program writes them, and once their editors have saved them.",
        usage: """
            filecoord read [<options>] <path> ... [-- <command> [<arg> ...]]
            """,
        discussion: """
            One claim covers all PATHs. Without COMMAND, the files are copied under the claim (by \
            reflink where the file system can), the claim is released, and the copies are printed \
            one after the other: a slow reader of the pipe blocks no other program.

            \(CommandTemplate.manual)

            \(ItemOptions.manualOfLinks)

            A claim on a directory covers nothing inside it; with --recursive it covers all of \
            that, at any depth: no other program writes there meanwhile, and editors save first.

            With --for-uploading, a copy of each PATH is made under the claim, of a directory a \
            zip archive, and then the claim ends: without COMMAND the copies are printed, and \
            COMMAND gets their paths, and keeps no program waiting. They are removed when it has \
            ended.

            With --token-to, FILE gets the tokens of what is read, for --only-if-from of a later \
            write: it is refused if any program has changed the file since.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord read notes.txt | grep milk
              filecoord read --token-to seen notes.txt >draft && $EDITOR draft &&
                filecoord write --only-if-from seen notes.txt <draft
              filecoord read --timeout 2.5 a.txt b.txt -- \\
                sh -c 'diff "$FILECOORD_PATH_1" "$FILECOORD_PATH_2"'
              filecoord read -- "$file" -- sh -c 'wc -c <"$FILECOORD_PATH_1"'
              filecoord read --recursive Photos -- \\
                sh -c 'tar -cf backup.tar "$FILECOORD_PATH_1"'
              filecoord read --for-uploading Photos | ssh host 'cat >photos.zip'
            """)

    @Flag(help: "Do not ask editors to save first.")
    var withoutChanges = false

    @Flag(help: "Read a symbolic link itself, not what it leads to.")
    var noFollow = false

    @Flag(help: "Read nothing but metadata that is at hand.")
    var metadataOnly = false

    @Flag(help: "Read a copy, a directory's as a zip archive; the claim ends once it is made.")
    var forUploading = false

    @Flag(help: "Of directories, all that is inside is read, too.")
    var recursive = false

    @OptionGroup var tokens: TokenFileOption

    @OptionGroup(title: "Holding")
    var keeping: KeepingOption

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @OptionGroup var template: TemplateOptions

    @Argument(
        help: ArgumentHelp("The files or directories to read.", valueName: "path"),
        completion: .file())
    var paths: [String]

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    /// The request that the options and arguments describe.
    var request: ReadRequest {
        var options: ReadingOptions = []
        if withoutChanges { options.insert(.withoutChanges) }
        if !noFollow { options.insert(.resolvesSymbolicLink) }
        if metadataOnly { options.insert(.immediatelyAvailableMetadataOnly) }
        if forUploading { options.insert(.forUploading) }
        if recursive { options.insert(.includingContents) }
        return ReadRequest(
            options: options, paths: paths, waiting: waiting.terms, command: command.words,
            mark: template.mark, keepsWhileRunning: keeping.keepWhileRunning,
            tokenFile: tokens.file)
    }

    func validate() throws {
        let keeps = keeping.complaint(hasCommand: !command.words.isEmpty)
        if let complaint = keeps ?? request.complaint { throw ValidationError(complaint) }
    }

    func run() throws { try request.run() }
}
