// SPDX-License-Identifier: Apache-2.0
//
// `filecoord record`: writes the server's input and its decisions into a file.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationSystem
import Glibc

/// Records the server.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record every claim, message and answer of the server, for a report.",
        usage: "filecoord record [-o <file>] [-- <command> [<arg> ...]]",
        discussion: """
            Records what all programs of this user do that share the runtime directory, until \
            COMMAND has ended, or else until INT, TERM or HUP comes, or until the end of \
            standard input when that is a pipe. The file has a JSON object on each line, and is \
            written as it goes: what is there can be read, whatever happens. "filecoord report" \
            tells the longest waits in it.

            An earlier trace in the file is replaced when the recording has begun. Without \
            COMMAND, a trace that cannot be written any more ends the program, and a second \
            signal ends it at once.

            Recording changes nothing and no program waits for it. If the recorder does not keep \
            up, entries are left out, and the trace says how many. When the server dies, the \
            next one is recorded, and the trace has a mark.

            Not seen: accesses that programs grant themselves by delegation do not pass the \
            server. The trace says which files are delegated, and has such an access if the \
            server heard of it later. With FILECOORDINATION_DELEGATION=off in their \
            environment, programs use the server for everything.

            With COMMAND, the status is COMMAND's own; its claims are recorded from the first \
            one on.

            \(ExitStatus.manual)

            EXAMPLES
              filecoord record -o trace -- make -j8
              filecoord report trace
              filecoord record -o - | jq -c 'select(.event == "waits")'
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The trace; - is standard output.", valueName: "file"),
        completion: .file())
    var output = "trace.jsonl"

    @Flag(name: .shortAndLong, help: "Do not say at the end how much was recorded.")
    var quiet = false

    @OptionGroup(visibility: .private)
    var command: CommandArguments

    func run() throws {
        // Opening a FIFO waits for a reader; a signal must end the program during that wait.
        let recorder = try TraceRecorder(
            environment: CurrentProcess.environment, program: FileCoord.configuration.version,
            output: output == "-" ? STDOUT_FILENO : open())
        if command.words.isEmpty {
            let end = try EndOfProgram { recorder.askToEnd() }
            try recorder.begin { end.come() }
            try end.wait()
            try finish(recorder, status: 0)
        } else {
            let signals = try SignalReceiver()
            let child = try ChildProcess(words: command.words, environment: [:])
            try recorder.begin {}
            let status = try child.run(signals: signals)
            try finish(recorder, status: status)
        }
    }

    /// Opens or creates the file; other users may not read it, because it names the user's files.
    private func open() throws(Failure) -> Int32 {
        let path = try UserPath.item(output)
        let descriptor = unsafe path.withCString {
            unsafe Glibc.open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw Failure(errorNumber: errno, doing: "write", path: path)
        }
        return descriptor
    }

    private func finish(_ recorder: TraceRecorder, status: Int32) throws(Failure) {
        let summary = recorder.end()
        if let failure = summary.failure {
            guard status == 0 else {
                throw Failure(status: status, lines: failure.lines)
            }
            throw failure
        }
        if !quiet {
            let name = output == "-" ? "standard output" : output
            var line = "recorded \(summary.count) events in \(name)"
            if summary.dropped > 0 { line += "; \(summary.dropped) are missing" }
            Console.say(line)
        }
        guard status == 0 else { throw Failure(status: status, lines: []) }
    }
}
