// SPDX-License-Identifier: Apache-2.0
//
// `filecoord report`: makes an HTML page of a trace, or a file for trace viewers.

import ArgumentParser
import Glibc

/// Makes a report of a trace.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make a page of a recording: a timeline, who waited for whom, and why.",
        discussion: """
            The page is one HTML file that needs no network. It has a timeline with a lane for \
            each process and file, who waited for whom at any moment, and the longest waits with \
            their causes. Marks on the timeline say when a process was stopped or ran again, when \
            another server began, and which paths were delegated. The page can be used with the \
            keyboard; press ? in it for the keys. An access to an item that was moved meanwhile is \
            shown at the item's last path.

            With --format perfetto, a file that ui.perfetto.dev and other viewers of Chrome's \
            traces open.

            A trace that was cut off, because the recorder was killed or the disk was full, is \
            read up to its last whole line. What is not in a trace is said in the report: see \
            "filecoord record --help".

            EXAMPLES
              filecoord report trace -o report.html
              filecoord report --format perfetto trace -o trace.json
            """)

    /// The formats of the report.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case html
        case perfetto
    }

    @Option(help: "html, a page, or perfetto, for trace viewers.")
    var format = Format.html

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The report; standard output without it.", valueName: "file"),
        completion: .file())
    var output: String?

    @Argument(
        help: ArgumentHelp("The trace; - is standard input.", valueName: "trace"),
        completion: .file())
    var trace: String

    func validate() throws {
        guard output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError(
                "The report is for a browser, not for a terminal: name a file with --output.")
        }
    }

    func run() throws {
        let model = TraceModelBuilder.model(of: try TraceFile.read(trace))
        let text =
            switch format {
            case .html: TracePage(model).text
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
