// SPDX-License-Identifier: Apache-2.0
//
// `filecoord update`: filters a file in place through a command.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient

/// Reads, changes and writes a file under one claim.
struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Put a file through a command, in one write: no change gets lost.",
        usage: "filecoord update [<options>] <path> -- <command> [<arg> ...]",
        discussion: """
            Under one write claim COMMAND gets the old content on standard input, and what it \
            writes to standard output takes the file's place in one step, but only if COMMAND ends \
            with 0: else PATH is as it was. A file that does not exist is empty, and is created. \
            If PATH was changed meanwhile, by a COMMAND such as "sed -i" or another program, \
            nothing is replaced, and the status is 74.

            With --keep-while-running, access is held on after that until the last process that \
            COMMAND has left behind has ended; filecoord itself ends when the file is in place.

            What "filecoord write" says about modes, owners, links and lists goes for this, too.

            \(CommandTemplate.manual)

            \(ConditionOptions.manual)

            \(ExitStatus.manual)

            EXAMPLES
              filecoord update list -- sort -u
              filecoord update config.json -- jq -n '(input? // {}) | .runs += 1'
              filecoord update names -- sh -c 'cat; echo "$1"' sh "$name"
            """)

    @OptionGroup var placement: PlacingOptions

    @Flag(help: "Refuse a symbolic link, instead of updating what it leads to.")
    var noFollow = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var tokens: TokenFileOption

    @OptionGroup(title: "Holding")
    var keeping: KeepingOption

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @OptionGroup var template: TemplateOptions

    @Argument(help: ArgumentHelp("The file to update.", valueName: "path"), completion: .file())
    var path: String

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    func validate() throws {
        guard !command.words.isEmpty else {
            throw ValidationError("Give a COMMAND after \"--\".")
        }
        let template = CommandTemplate(command.words, mark: template.mark)
        let complaint = template.complaint(itemCount: 1) ?? conditions.complaint(paths: 1...1)
        if let complaint { throw ValidationError(complaint) }
    }

    func run() throws {
        try UpdateRequest(
            path: path, waiting: waiting.terms, command: command.words, mark: template.mark,
            placing: placement.placing, followsLinks: !noFollow,
            keepsWhileRunning: keeping.keepWhileRunning, conditions: conditions.terms,
            tokenFile: tokens.file
        ).run()
    }
}

/// The options that choose how new content gets into place.
struct PlacingOptions: ParsableArguments {
    @Flag(help: "Write the file itself, for all its names; not in one step.")
    var inPlace = false

    @Flag(help: "Replace one name of a file with several; the others keep the old content.")
    var breakLinks = false

    /// The choice that the options make.
    var placing: Placing {
        guard !inPlace else { return .inPlace }
        return breakLinks ? .breakingLinks : .replacing
    }

    func validate() throws {
        guard !inPlace || !breakLinks else {
            throw ValidationError("Use --in-place or --break-links, not both.")
        }
    }
}
