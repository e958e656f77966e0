// SPDX-License-Identifier: Apache-2.0
//
// `filecoord present`: registers presenters that print the messages they get. It is meant for
// experiments, and for scripts that want to be asked before other programs access a file.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem

/// Registers presenters and prints their messages.
struct PresentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "present",
        abstract: "Present files: be asked before others use them, and told after they did.",
        usage: "filecoord present [<options>] <path> ...",
        discussion: """
            Registers one presenter for each PATH, which need not exist, and prints each message \
            as it comes, one a line; the first is "registered". Every message that wants an answer \
            is answered at once, unless an option says otherwise. It ends on SIGINT or SIGTERM, \
            and on the end of standard input if that is a pipe.

            The options about messages may be repeated. Of one message, first the delay passes, \
            then the shell commands run in their order, then it is answered. A shell command gets \
            the message in $FILECOORD_MESSAGE, the item that it is about in $FILECOORD_PATH and \
            $FILECOORD_URL, and in $FILECOORD_PURPOSE the purpose for accesses of its own: with \
            that, it may use the item while others wait for the answer. Where they apply, \
            $FILECOORD_OLD_PATH and $FILECOORD_OLD_URL say where an item inside was before, \
            $FILECOORD_VERSION has the identifier of a version, $FILECOORD_ATTRIBUTES the names of \
            attributes, with spaces between, $FILECOORD_EXISTS, of a change and of \
            reacquire(fromWriter), is true or false, and $FILECOORD_ORIGIN, of a change or a move, \
            is "coordinated" or, for a program that does not coordinate, "uncoordinated". \
            Its output goes to standard error.

            A presenter follows its item when that is moved: from then on, $FILECOORD_PATH is the \
            new path. Each line names it by the PATH under which it was registered.

            With --guard, a program that does not coordinate, and opens the file for writing or \
            truncates it, waits until the presenter was asked to relinquish and to save; at most \
            for the seconds in /proc/sys/fs/lease-break-time. The lines "guard on" and "guard \
            off" say whether programs wait, and why not. The file must be a regular file of your \
            own. A shell command must save by replacing the file, as filecoord write does. What \
            it saves becomes a conflict version (see "filecoord versions"), because the program \
            goes on with the file that it has opened.

            With --json, each line is an object with the fields time, presenter and message, and, \
            where they apply, url (where the item is, or is by now), oldURL and newURL (of an item \
            inside), version (an identifier, see "filecoord versions"), attributes (a list) and \
            exists (of a change, and when a writer is done: false if the item is gone by now, as \
            after a deletion), origin (of a change or a move: "coordinated" or "uncoordinated"), \
            and pid and label (of the process that made a coordinated change). Where a \
            path is not UTF-8, a further field, such as presenterBytes or urlBytes, has its bytes, \
            percent-encoded.

            MESSAGES that can be refused
            \(PresenterMessage.names([.consent]))
            that are answered
            \(PresenterMessage.names([.answer]))
            and that only tell
            \(PresenterMessage.names([.nothing]))

            \(ExitStatus.manual)

            EXAMPLES
              filecoord present notes.txt
              filecoord present a.txt --fail accommodatePresentedItemDeletion
              filecoord present a.txt --on savePresentedItemChanges ./save
            where ./save is a script that does this:
              filecoord write --purpose "$FILECOORD_PURPOSE" "$FILECOORD_PATH" <draft
            """)

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Run SHELL before answering; a status other than 0 refuses.",
            valueName: "message> <shell"),
        transform: { FoldedArguments(folded: $0) })
    var on: [FoldedArguments] = []

    @Option(
        help: ArgumentHelp(
            "Answer after SECONDS; fractions are allowed.", valueName: "message> <seconds"),
        transform: { FoldedArguments(folded: $0) })
    var delay: [FoldedArguments] = []

    @Option(help: ArgumentHelp("Refuse.", valueName: "message"))
    var fail: [String] = []

    @Option(help: ArgumentHelp("Leave without an answer for ever.", valueName: "message"))
    var neverAnswer: [String] = []

    @Flag(
        name: .customLong("guard"),
        help: "Have programs that do not coordinate wait until the presenter has saved.")
    var isGuarded = false

    @Option(
        help: ArgumentHelp("What others are shown for these presenters.", valueName: "text"))
    var label: String?

    @Argument(
        help: ArgumentHelp("The files or directories to present.", valueName: "path"),
        completion: .file())
    var paths: [String]

    @Option(
        name: .customLong(FoldedArguments.pathsOption),
        help: ArgumentHelp("Carries the other paths.", visibility: .private),
        transform: { FoldedArguments(folded: $0) })
    var others: FoldedArguments?

    private func reactions() throws -> [PresenterMessage: PresenterReaction] {
        try PresenterReaction.parse(on: on, delay: delay, fail: fail, neverAnswer: neverAnswer)
    }

    func validate() throws { _ = try reactions() }

    func run() throws {
        let end = try EndOfProgram()
        ProcessLabel.text =
            label.map { ArgumentText.shown($0) } ?? CommandLabel.withoutCommand
        let printer = PresenterPrinter(json ? .json : .people)
        let shells = ShellRunner(signalMask: end.originalMask)
        let reactions = try reactions()
        var presenters: [CommandPresenter] = []
        for word in paths + (others?.words ?? []) {
            let path = try UserPath.item(word)
            presenters.append(
                try CommandPresenter(
                    path,
                    receiver: PrintedMessages(
                        of: path, reactions: reactions, printer: printer, shells: shells)))
        }
        for presenter in presenters {
            do throws(AccessFailure) {
                try presenter.register(isGuarded: isGuarded) {
                    printer.print(presenter.path, "registered")
                }
            } catch {
                throw Self.failure(error, to: presenter.path)
            }
        }
        try end.wait()
        for presenter in presenters { presenter.unregister() }
        shells.endAll()
    }

    /// The failure to register a presenter of a path.
    private static func failure(_ error: AccessFailure, to path: NativePath) -> Failure {
        let reason = Failure(error, of: [path]).lines.first ?? ""
        return Failure(
            .unavailable, "a file presenter was not registered: \(reason)",
            "\(path) cannot be presented; the reason is above")
    }
}
