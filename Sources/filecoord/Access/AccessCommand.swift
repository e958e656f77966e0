// SPDX-License-Identifier: Apache-2.0
//
// `filecoord access`: makes one claim for several items, some to read and some to write.

import ArgumentParser

/// A coordinated access to several items.
struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Run a command with access to several files, claimed all together.",
        usage: """
            filecoord access [<options>] [--read <path>[:<option>]] ...
                       [--write <path>[:<option>]] ... -- <command> [<arg> ...]
            """,
        discussion: """
            The claim holds nothing until all of it is granted, so that two such commands cannot \
            wait for each other. The order of the items is that of the command line.

            Options may follow a path after its last colon, with commas between them: \
            withoutChanges, immediatelyAvailableMetadataOnly or forUploading of --read; \
            forDeleting, forMoving, forMerging, forReplacing or contentIndependentMetadataOnly of \
            --write; of both, includingContents, of a directory with all that is inside, and \
            noFollow, of a symbolic link itself. Any other text there is an error, unless a file \
            has the whole as its name; --read-path and --write-path take a path as it is, with all \
            its colons.

            \(ItemOptions.manualOfLinks)

            \(ConditionOptions.manual)

            Of an item for uploading, COMMAND gets the path of a copy, a directory's as a zip \
            archive, which goes when COMMAND has ended. If all items are for uploading, the claim \
            ends when the copies are made.

            \(CommandTemplate.manual)

            \(ExitStatus.manual)

            EXAMPLES
              filecoord access --read a --read b --write sum -- sh -c \\
                'cat "$FILECOORD_PATH_1" "$FILECOORD_PATH_2" >"$FILECOORD_PATH_3"'
              filecoord access --write a:forMoving --write b:forReplacing -- sh -c \\
                'mv "$FILECOORD_PATH_1" "$FILECOORD_PATH_2"'
              filecoord access --read-path "$file" --write-path "$copy" -- make copy
            """)

    @OptionGroup var named: ItemOptions

    @Option(
        name: .customLong("only-if"),
        help: ArgumentHelp(
            "Do nothing unless the item PATH is as TOKEN says.", valueName: "path=token"),
        transform: { try ItemCondition(argument: $0) })
    var conditions: [ItemCondition] = []

    @OptionGroup(title: "Holding")
    var keeping: KeepingOption

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @OptionGroup var template: TemplateOptions

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    func validate() throws {
        try named.requireItem()
        guard !command.words.isEmpty else {
            throw ValidationError("Give a COMMAND after \"--\".")
        }
        let template = CommandTemplate(command.words, mark: template.mark)
        if let complaint = template.complaint(itemCount: named.all.count) {
            throw ValidationError(complaint)
        }
    }

    func run() throws {
        let items = try ItemCondition.apply(conditions, to: named.items())
        let (words, mark, terms) = (command.words, template.mark, waiting.terms)
        try Holder.run(isWanted: keeping.keepWhileRunning) { () throws(Failure) in
            let admission = Admission(terms, signals: try SignalReceiver())
            try CommandRun(words, mark: mark, admission: admission).run(items)
        }
    }
}
