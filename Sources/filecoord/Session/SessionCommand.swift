// SPDX-License-Identifier: Apache-2.0
//
// `filecoord session`: one long-lived child, by which a program in any language takes part.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Takes requests on standard input, and answers on standard output.
struct SessionCommand: ParsableCommand {
    /// The version of the protocol.
    private static let version = 1

    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Let a program in any language take part: JSON Lines in, JSON Lines out.",
        discussion: """
            For programs, which start one and keep it: each request and each answer is an object \
            on a line of its own, of at most 1 MiB. The first line of output is
              {"session": 1, "version": "\(SoftwareVersion.number)"}
            Each request has an "id" of the program's, a text or an integer, which comes back in \
            its answers. Any number may be under way.

            REQUESTS, and their answers
              {"id": 1, "do": "claim", "items": [{"path",
                 "access": "reading"|"writing", "options": [...], "onlyIf": token,
                 "recursive", "noFollow", "digest", "token"}],
               "timeout": seconds, "label": text, "purpose": text}
                {"id": 1, "state": "waiting", "waitsFor": [{"pid", "path", ...}]}
                {"id": 1, "state": "granted", "claim": "c1", "items": [{"path", "token"}],
                 "environment": {...}}
              {"id": 2, "do": "replace", "claim": "c1", "item": 0, "from": path or null,
               "onlyIf": token}
                {"id": 2, "state": "replaced", "token"}
              {"id": 3, "do": "end", "claim": "c1", "tokens": true}
                {"id": 3, "state": "ended", "items": [{"path", "token"}]}
              {"id": 4, "do": "cancel", "request": 1}
                {"id": 4, "state": "done"}
              {"id": 5, "do": "present", "path", "label",
               "answers": ["savePresentedItemChanges"]}
                {"id": 5, "presenter": "p1", "state": "registered", "purpose"}
                {"presenter": "p1", "message": "savePresentedItemChanges", "question": 9}
              {"do": "answer", "question": 9, "error": text}
              {"id": 6, "do": "remove", "presenter": "p1"}
                {"id": 6, "state": "done"}
              {"id": 7, "do": "token", "paths": [...], "digest": false}
                {"id": 7, "state": "done", "items": [{"path", "token"}]}
              {"id": 8, "do": "status"}
                {"id": 8, "state": "done", "status": {...}}
              {"id": 9, "do": "explain", "path"}
                {"id": 9, "state": "done", "explanation": {...}}
            A failure is {"id": 1, "error": {"code", "message", "holders": [...]}}, with one of \
            the codes \(codes). Later versions may have more.

            A claim without "timeout" waits for ever, with 0 not at all. What it waits for is said \
            after a second, and when it changes. Its tokens are of the state at the grant; \
            "token": false asks for none. Programs that are started meanwhile get its \
            "environment". The claims of a session wait for each other, unless they have the \
            same "purpose"; with that of a presenter, they are its own. A deadlock by way of a \
            claim that is held is not found: name all items in one, or give a "timeout". Wait for \
            a grant before the next claim, if the order matters.

            "replace" puts a file that the program has written and closed in the place of an \
            item, as "filecoord write" does; its name is that of the item, with ".NAME." before \
            it and something behind. With "onlyIf" it is refused if the item has changed. After \
            an error, the file is still there.

            A presenter hears of all that "filecoord present" prints; the messages in "answers" \
            are questions, and other programs wait for the answer. With "error" it refuses.

            A path that is not UTF-8 is in "pathBytes", percent-encoded, both ways. A line that is \
            no request is answered by an error, without "id" if it has none. A program that \
            does not read is not read either, once 1 MiB waits for it.

            All claims and presenters end at the end of input, or with the program. INT, HUP and \
            QUIT are ignored, because a terminal sends them to a whole group, of which the program \
            may still want to save; TERM ends the session, within some seconds.

            EXIT STATUS
              0        ended by the end of input, or by TERM
              64       wrong usage

            EXAMPLE
              echo '{"id": 1, "do": "token", "paths": ["notes.txt"]}' | filecoord session
            """)

    private static let codes = SessionError.Code.allCases.map(\.rawValue).joined(separator: ", ")

    @Option(help: ArgumentHelp("What others are shown for its claims.", valueName: "text"))
    var label: String?

    func run() throws {
        let end = try EndOfProgram(by: [SIGTERM], ignoring: [SIGINT, SIGHUP, SIGQUIT, SIGPIPE])
        ProcessLabel.text = label.map { ArgumentText.shown($0) } ?? CommandLabel.withoutCommand
        let hasInputEnded = Lock(false)
        let output = try SessionOutput { end.come() }
        let conversation = try Conversation(output)
        output.write([
            ("session", .integer(Self.version)), ("version", .text(SoftwareVersion.number)),
        ])
        _ = try SessionReaders(conversation, output) {
            hasInputEnded.withLock { $0 = true }
            end.come()
        }
        end.waitForOthers()
        conversation.end(isUrgent: !hasInputEnded.withLock { $0 })
    }
}
