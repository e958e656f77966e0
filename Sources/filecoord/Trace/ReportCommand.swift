// SPDX-License-Identifier: Apache-2.0
//
// `filecoord report`: tells the longest waits of a trace, or makes a file for trace viewers.

import ArgumentParser
import FileCoordinationClient
import FileCoordinationTracing
import Glibc

/// Makes a report of a trace.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Tell the longest waits of a recording, and their causes.",
        discussion: """
            Prints the longest waits: who waited, for which item, and how long each program \
            was in the way, did not answer, or was stopped. An access to an item that was moved \
            meanwhile is told with the item's last path.

            With --format perfetto, makes a file that ui.perfetto.dev and other viewers of \
            Chrome's traces open: a timeline with the accesses, questions and messages of each \
            process, and with marks where a process was stopped or ran again, another server \
            began, or a path was delegated.

            A trace that was cut off, because the recorder was killed or the disk was full, is \
            read up to its last whole line. What is not in a trace is said in the report: see \
            "filecoord record --help".

            EXAMPLES
              filecoord report trace
              filecoord report --format perfetto trace -o trace.json
            """)

    /// The formats of the report.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case perfetto
    }

    @Option(help: "text, or perfetto, for trace viewers.")
    var format = Format.text

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The report; standard output without it.", valueName: "file"),
        completion: .file())
    var output: String?

    @Argument(
        help: ArgumentHelp("The trace; - is standard input.", valueName: "trace"),
        completion: .file())
    var trace: String

    func run() throws {
        let model = TraceModelBuilder.model(of: try TraceFile.read(trace))
        let text =
            switch format {
            case .text: LongestWaits(model).text
            case .perfetto: PerfettoTrace(model).text + "\n"
            }
        try write(Array(text.utf8))
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        guard let output, output != "-" else { return try Console.write(bytes, to: STDOUT_FILENO) }
        let path = try UserPath.item(output)
        // Other users may not read the file, because it contains the names of the user's files.
        let descriptor = unsafe path.withCString {
            unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw Failure(errorNumber: errno, doing: "write", path: path)
        }
        defer { close(descriptor) }
        do throws(Failure) {
            try Console.write(bytes, to: descriptor)
        } catch {
            throw Failure(errorNumber: errno, doing: "write", path: path)
        }
    }
}

extension TraceFile {
    /// Reads the trace in a file; "-" is standard input.
    static func read(_ argument: String) throws(Failure) -> TraceFile {
        guard argument != "-" else {
            return try read(STDIN_FILENO, "standard input", name: argument)
        }
        let path = try UserPath.item(argument)
        let descriptor = unsafe path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw Failure(errorNumber: errno, doing: "read", path: path)
        }
        defer { close(descriptor) }
        return try read(descriptor, "\(path)", name: "\(path)")
    }

    private static func read(
        _ descriptor: Int32, _ source: String, name: String
    ) throws(Failure) -> TraceFile {
        let bytes = try contents(of: descriptor, source)
        do {
            return try TraceFile(bytes, name: name)
        } catch {
            throw Failure(.badPath, error.sentence)
        }
    }

    private static func contents(
        of descriptor: Int32, _ name: String
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] }
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else {
                throw Failure(errorNumber: errno, doing: "read", path: name)
            }
        }
    }
}
