// SPDX-License-Identifier: Apache-2.0
//
// What the processes of the demonstration report to their parent process: one line for each event.

import FileCoordinationSystem
import Glibc

/// Something that happened in the demonstration.
struct DemoEvent: Hashable, Sendable {
    /// The process that reports the event.
    enum Part: String, CaseIterable, Hashable, Sendable {
        case editor
        case reader
        case writer
    }

    /// The kind of an event.
    enum Kind: String, Hashable, Sendable {
        /// The editor has the document open, with unsaved changes.
        case types
        /// The editor relinquishes the document to a reader.
        case makesWayForReader
        /// The editor is asked to save.
        case askedToSave
        /// The editor has saved.
        case saved
        /// The editor relinquishes the document to a writer.
        case makesWayForWriter
        /// The editor was told of a change and has read the document.
        case shows
        /// The reader requests access.
        case asksToRead
        /// The reader has access and has read the document.
        case reads
        /// The reader ends its access.
        case doneReading
        /// The writer requests access.
        case asksToWrite
        /// The arbiter reports that the writer waits for the reader.
        case waits
        /// The writer has access.
        case writes
        /// The writer has written the document and ends its access.
        case wrote
    }

    /// The monotonic time, which is the same for all processes.
    let time: Instant
    /// The process.
    let part: Part
    /// The kind of the event.
    let kind: Kind
    /// The content of the document at that time.
    let content: String

    /// An event that happens now.
    init(_ part: Part, _ kind: Kind, content: String) {
        time = MonotonicClock.now
        self.part = part
        self.kind = kind
        self.content = content
    }

    /// Parses a reported line.
    ///
    /// Returns nil if it is not valid.
    init?(line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 4, let time = UInt64(fields[0]),
            let part = Part(rawValue: String(fields[1])),
            let kind = Kind(rawValue: String(fields[2]))
        else { return nil }
        self.time = Instant(nanoseconds: time)
        self.part = part
        self.kind = kind
        content = String(fields[3])
    }

    /// The line that reports the event.
    var line: String { "\(time.nanoseconds)\t\(part.rawValue)\t\(kind.rawValue)\t\(content)" }

    /// The content of the document at `path`, with spaces instead of the characters that separate
    /// lines.
    static func content(of path: NativePath) -> String {
        // If the file is missing or is just being replaced, the content is empty.
        let text = (try? DemoDocument.text(at: path)) ?? ""
        return text.split(separator: "\n").joined(separator: " ")
    }

    /// Reports an event to the parent process.
    static func report(_ part: Part, _ kind: Kind, _ path: NativePath) {
        // If the parent process has closed the pipe, SIGPIPE ends this process.
        try? Console.print(DemoEvent(part, kind, content: content(of: path)).line)
    }
}
