// SPDX-License-Identifier: Apache-2.0
//
// `filecoord read`: a private copy on standard output, or a command that runs under the claim.

import ArgumentParser
import FileCoordination
import FileCoordinationArbiter

/// A coordinated read.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read files once nobody writes them, and once their editors have saved them.",
        usage: """
            filecoord read [<options>] <path> ... [-- <command> [<arg> ...]]
            """,
        discussion: """
            One claim covers all PATHs. Without COMMAND, the files are copied under the claim (by \
            reflink where the file system can), the claim is released, and the copies are printed \
            one after the other: a slow reader of the pipe holds nobody up.

            \(CommandTemplate.manual)

            A symbolic link is a file of its own here: the claim is on the link, not on what it \
            leads to. Name the target instead.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord read notes.txt | grep milk
              filecoord read --timeout 2.5 a.txt b.txt -- diff {1} {2}
              filecoord read Photos -- tar -cf backup.tar {}
            """)

    @Flag(help: "Do not ask editors to save first.")
    var withoutChanges = false

    @Flag(help: "Read nothing but metadata that is at hand.")
    var metadataOnly = false

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptions

    @Argument(help: ArgumentHelp("The files or directories to read.", valueName: "path"))
    var paths: [String]

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    private var options: FileCoordinationArbiter.ReadingOptions {
        var options: FileCoordinationArbiter.ReadingOptions = []
        if withoutChanges { options.insert(.withoutChanges) }
        if metadataOnly { options.insert(.immediatelyAvailableMetadataOnly) }
        return options
    }

    func run() throws {
        let signals = try SignalDesk()
        var items: [RequestedItem] = []
        for path in paths {
            items.append(
                RequestedItem(url: try UserPath.url(path), access: .reading(options)))
        }
        let admission = Admission(waiting, signals: signals)
        guard command.words.isEmpty else {
            return try CommandRun(command.words, admission: admission).run(items)
        }
        let copies = try admission.run(items) { urls throws(Failure) in
            // Reading changes nothing: a signal may end the program in the middle of it.
            try signals.end(removing: nil)
            var copies: [PrivateCopy] = []
            for url in urls {
                copies.append(try PrivateCopy(of: url.systemPath, quiet: waiting.quiet))
            }
            return copies
        }
        for copy in copies { try Console.print(contentsOf: copy.contents) }
    }
}
