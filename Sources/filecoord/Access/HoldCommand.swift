// SPDX-License-Identifier: Apache-2.0
//
// `filecoord hold`: holds access for a script or a program in another language. It writes a line
// when access is granted, and releases the access when its standard input ends.

import ArgumentParser
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationWire

/// Holds access until standard input ends.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Hold access to files until standard input ends.",
        usage: """
            filecoord hold [<options>] [--read <path>[:<option>]] ...
                       [--write <path>[:<option>]] ...
            """,
        discussion: """
            All items are one claim. When it is granted, "granted" is printed on a line of its \
            own; it is held until standard input ends, or until TERM, INT or HUP comes, and then \
            released. What is read from standard input is passed over. If the program that writes \
            to it dies, the access ends with it. With </dev/null it ends at once.

            An option may follow a path as in "filecoord access", and --read-path and \
            --write-path take a path as it is, with all its colons. What runs beside it does not \
            run under it: give --purpose ID to both, if that is to use the items by filecoord, too.

            A deadlock between holds is not found: the server cannot know that the script that \
            holds one file waits for another. Name all files in one "filecoord hold", and give \
            --timeout.

            With --json, the line is an object. Its paths are those under which the items are \
            held: another program may have moved them during the wait.
              {"message": "granted", "items": [{"path", "access": "reading"|"writing"}]}

            Ended by the end of standard input, or by a signal while access is held, it ends with \
            0; by a signal while it waits, with 128+N.

            \(ExitStatus.manualWithoutCommand)

            EXAMPLES in bash
              coproc lock { filecoord hold --write app.db; }
              input=${lock[1]}     # bash forgets it when the command ends
              read -r granted <&"${lock[0]}" && ./work-on app.db
              [ -z "$input" ] || eval "exec $input>&-"
            """)

    @Flag(help: "Print the line as JSON.")
    var json = false

    @OptionGroup var named: ItemOptions

    @OptionGroup(title: "Waiting")
    var waiting: WaitingOptionsOf<WaitingToAct>

    func validate() throws { try named.requireItem() }

    func run() throws {
        let signals = try SignalReceiver()
        let items = try named.items()
        let end = EndOfHold()
        if !waiting.quiet { DirectoryNotice.say(about: items) }
        try Admission(waiting.terms, signals: signals).run(items) { paths throws(Failure) in
            OtherNames.mention(of: paths, quiet: waiting.quiet)
            try signals.alert { end.come() }
            try Console.print(json ? Self.json(items, at: paths) : "granted")
            try end.wait()
        }
    }

    /// The line that says that access is granted, as JSON.
    private static func json(_ items: [ClaimedItem], at paths: [NativePath]) -> String {
        let held = zip(items, paths).map { item, path in
            JSONValue.object([
                ("path", .path(path.bytes)),
                ("access", .text(item.access.isWriting ? "writing" : "reading")),
            ])
        }
        return JSONValue.object([("message", .text("granted")), ("items", .list(held))]).description
    }
}
