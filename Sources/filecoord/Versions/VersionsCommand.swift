// SPDX-License-Identifier: Apache-2.0
//
// `filecoord versions`: lists and changes the versions of an item, including conflicting ones.
// Every change is made inside a coordinated write, so that all presenters of the item are told
// (Rule 10.2).

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationVersions

/// Lists and changes the versions of an item.
struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List, add, restore and remove versions of a file, and resolve its conflicts.",
        discussion: """
            Versions are kept on this computer for this user. They belong to the file: they follow \
            it through coordinated moves and stay with it through coordinated writes. A conflict \
            is a version too: what another program made of the file at the same time.

            VERSION is a number, as "filecoord versions list" shows it, or an identifier, which \
            stays the same when other versions come and go.

            \(ExitStatus.manualWithoutCommand)

            EXAMPLES
              filecoord versions add report.txt
              filecoord versions list report.txt
              filecoord versions restore report.txt 1
              filecoord versions conflict report.txt --contents theirs --computer laptop
              filecoord versions resolve report.txt
            """,
        subcommands: [
            List.self, Add.self, Restore.self, Remove.self, Resolve.self, Conflict.self,
        ])

    /// The item whose versions are meant, and the options for access to it.
    struct Subject: ParsableArguments {
        @Argument(
            help: ArgumentHelp("The file or directory.", valueName: "path"), completion: .file())
        var path: String

        @OptionGroup(title: "Waiting")
        var waiting: WaitingOptionsOf<WaitingToAct>

        /// Changes versions of the item inside a coordinated write.
        ///
        /// - Parameters:
        ///   - options: what the write does to the item.
        ///   - contents: an item that is read under the same claim, if there is one.
        ///   - orOrphans: whether versions of an item that does not exist any more are accepted.
        ///   - body: gets the versions of the item, and the present path of `contents`, or else of
        ///     the item.
        /// - Returns: what `body` returns.
        /// - Throws: ``Failure`` of `body`, or because the item does not exist or access was not
        ///   granted.
        func change<Result>(
            _ options: WritingOptions = .plain, reading contents: NativePath? = nil,
            orOrphans: Bool = false,
            _ body: (KeptVersions, _ contents: NativePath) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let signals = try SignalReceiver()
            let path = try UserPath.item(path)
            // Without this check, presenters would be asked about an item that does not exist.
            try KeptVersions(of: path).requireItem(orOrphans: orOrphans)
            var items = [ClaimedItem(path: path, access: .writing(options))]
            if let contents { items.append(ClaimedItem(path: contents, access: .reading([]))) }
            return try Admission(waiting.terms, signals: signals).run(items) {
                paths throws(Failure) in
                let versions = KeptVersions(of: paths[0])
                try versions.requireItem(orOrphans: orOrphans)
                return try body(versions, paths.last ?? paths[0])
            }
        }
    }

    /// `versions list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the versions of a file, the oldest first.",
            usage: """
                filecoord versions list [--json] <path>
                filecoord versions list [--json] --orphans
                """,
            discussion: """
                Each line has the number of a version, the date of its contents, its name, the \
                computer on which it was saved, whether it is a conflict, or was one that is \
                resolved, or an orphan, and its identifier. What the file is now is not listed.

                An orphan is a version of a file that was at PATH and is gone: "filecoord versions \
                restore" brings the file back, with all its versions. PATH need not exist then. \
                With --orphans, all of them are listed, each with the path of its file.

                With --json, each line is an object with the fields number, date, name, computer, \
                conflict, resolved, orphan, path, identifier and contents; the last is a path from \
                which the version can be read, and which must not be written to.
                """)

        @Flag(help: "Print JSON, one object a line.")
        var json = false

        @Flag(help: "List all versions of files that are gone.")
        var orphans = false

        @Argument(
            help: ArgumentHelp("The file or directory.", valueName: "path"), completion: .file())
        var path: String?

        func validate() throws {
            guard orphans != (path != nil) else {
                throw ValidationError("Name one PATH, or give --orphans.")
            }
        }

        func run() throws {
            guard let path else {
                let lines =
                    try json ? KeptVersions.jsonLinesOfOrphans : KeptVersions.tableLinesOfOrphans
                for line in lines { try Console.print(line) }
                return
            }
            let versions = KeptVersions(of: try UserPath.item(path))
            try versions.requireItem(orOrphans: true)
            for line in try json ? versions.jsonLines : versions.tableLines {
                try Console.print(line)
            }
            if !json, let advice = try versions.advice { Console.say(advice) }
        }
    }

    /// `versions add`.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep what a file is now, or other contents, as a version of it.",
            usage: "filecoord versions add [<options>] <path>",
            discussion: """
                Without --contents, the file's editors are asked to save first. Prints the new \
                version's identifier; with --json, the object {"path", "identifier"}.
                """)

        @Option(
            help: ArgumentHelp("Keep a copy of FILE instead.", valueName: "file"),
            completion: .file())
        var contents: String?

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var subject: Subject

        func run() throws {
            let contents = try contents.map { try UserPath.item($0) }
            let options: WritingOptions = contents == nil ? .merging : .plain
            let line = try subject.change(options, reading: contents) {
                versions, contents throws(Failure) in
                let identifier = try versions.add(
                    contents, as: .kept, savedOn: VersionRecord.thisComputer)
                return json ? versions.json(identifier) : identifier
            }
            try Console.print(line)
        }
    }
}

extension VersionsCommand {
    /// `versions restore`.
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a file the contents of one of its versions.",
            usage: "filecoord versions restore [<options>] <path> <version>",
            discussion: """
                The version stays. What the file was until then is not kept: "filecoord versions \
                add" does that. An orphan's file is made again, with all its versions.
                """)

        @OptionGroup var subject: Subject

        @Argument(help: "A number of the list, or an identifier.")
        var version: String

        func run() throws {
            let wanted = try KeptVersions.identifier(of: version, ofItemAt: subject.path)
            // Presenters are not asked about what will be refused.
            try KeptVersions(of: UserPath.item(subject.path))
                .refuseSeveralNames(ofItemToRestoreTo: wanted)
            try subject.change(orOrphans: true) { versions, _ throws(Failure) in
                let result = try versions.restore(wanted)
                guard result != versions.path else { return }
                Console.say("the version is of another type: it is at \(result)")
            }
        }
    }

    /// `versions remove`.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a version of a file, or all of them.",
            usage: """
                filecoord versions remove [<options>] <path> <version>
                filecoord versions remove [<options>] <path> --all
                """,
            discussion: "The file stays as it is. Orphans are removed one by one.")

        @Flag(help: "Remove all versions, unresolved conflicts included.")
        var all = false

        @OptionGroup var subject: Subject

        @Argument(help: "A number of the list, or an identifier.")
        var version: String?

        func validate() throws {
            guard all != (version != nil) else {
                throw ValidationError("Name one VERSION, or give --all.")
            }
        }

        func run() throws {
            let wanted = try version.map {
                try KeptVersions.identifier(of: $0, ofItemAt: subject.path)
            }
            try subject.change(orOrphans: wanted != nil) { versions, _ throws(Failure) in
                guard let wanted else { return try versions.removeAll() }
                try versions.remove(wanted)
            }
        }
    }

    /// `versions resolve`.
    struct Resolve: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that a conflict is settled, or that all of a file's are.",
            usage: "filecoord versions resolve [<options>] <path> [<version>]",
            discussion: """
                The version stays until it is removed. Restore it first if its contents are to be \
                those of the file. Without VERSION, all conflicts are resolved; it is no error if \
                there are none.
                """)

        @OptionGroup var subject: Subject

        @Argument(help: "A number of the list, or an identifier.")
        var version: String?

        func run() throws {
            let wanted = try version.map {
                try KeptVersions.identifier(of: $0, ofItemAt: subject.path)
            }
            try subject.change { versions, _ throws(Failure) in try versions.resolve(wanted) }
        }
    }

    /// `versions conflict`.
    struct Conflict: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep what lost a conflict: for programs that sync files.",
            usage: "filecoord versions conflict --contents <file> [<options>] <path>",
            discussion: """
                PATH has the contents that won; FILE, which is copied, has the others. The \
                conflict lasts until it is resolved or the version is removed. Prints the new \
                version's identifier; with --json, the object {"path", "identifier"}.
                """)

        @Option(
            help: ArgumentHelp("What another program made of PATH.", valueName: "file"),
            completion: .file())
        var contents: String

        @Option(help: ArgumentHelp("Where that was saved, for people to see.", valueName: "name"))
        var computer: String?

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var subject: Subject

        func run() throws {
            let contents = try UserPath.item(contents)
            let line = try subject.change(reading: contents) {
                versions, contents throws(Failure) in
                let identifier = try versions.add(
                    contents, as: .conflict, savedOn: computer.map { ArgumentText.shown($0) })
                return json ? versions.json(identifier) : identifier
            }
            try Console.print(line)
        }
    }
}
