// SPDX-License-Identifier: Apache-2.0
//
// `filecoord demo`: shows newcomers how file coordination works. It starts three real processes
// that use one document, prints what they report as a timeline, and checks it against the rules.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem

/// The demonstration.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch an editor, a reader and a writer share one document.",
        discussion: """
            Starts three processes in a temporary directory, with a server of their own, and \
            shows what each of them did, when, whom it waited for, and what the document held \
            then. It takes about a second, touches no files of yours, and exits with 0 \
            only if all went as the rules promise.
            """)

    func run() throws {
        let stage = try DemoStage()
        defer { stage.tearDown() }
        let events = try Self.play(on: stage)
        for line in DemoTimeline(events).lines { try Console.print(line) }
        let checks = DemoChecks(events).all
        try Console.print("")
        for check in checks {
            try Console.print("\(check.holds ? "ok    " : "FAILED")  \(check.sentence)")
        }
        guard checks.allSatisfy(\.holds) else {
            throw Failure(
                status: 1, lines: ["this is not what the rules promise: please report it"])
        }
    }

    /// Starts the three processes.
    ///
    /// Returns what happened, in order.
    private static func play(on stage: DemoStage) throws(Failure) -> [DemoEvent] {
        let editor = try stage.start(.editor)
        try stage.awaitEvent(.editor, .types)

        let reader = try stage.start(.reader)
        try stage.awaitEvent(.reader, .reads)

        // The reader keeps its claim until it is told to go on, so that the writer must wait for
        // it.
        let writer = try stage.start(.writer)
        try stage.awaitWait(of: writer, for: reader)
        stage.nudge(reader)
        // Each process reports by a pipe of its own, and one may be read later than another.
        try stage.awaitEvent(.reader, .doneReading)
        try stage.awaitEvent(.writer, .wrote)
        try stage.awaitEvent(.editor, .shows)
        stage.nudge(editor)
        return stage.events
    }
}

/// The hidden command that runs one of the three processes; `demo` starts it.
struct DemoPartCommand: ParsableCommand {
    static let name = "demo-part"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Play a part in the demonstration.", shouldDisplay: false)

    @Argument(help: "Which part.")
    var part: DemoEvent.Part

    @Argument(help: "The document.", completion: .file())
    var path: String

    func run() throws {
        let path = try UserPath.item(path)
        switch part {
        case .editor: try DemoEditor(path).play()
        case .reader: DemoActors.read(path)
        case .writer: DemoActors.write(path)
        }
    }
}

extension DemoEvent.Part: ExpressibleByArgument {}
