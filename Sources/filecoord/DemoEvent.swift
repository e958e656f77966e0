// SPDX-License-Identifier: Apache-2.0
//
// What the processes of the demonstration tell the one that started them: a line for each event.

import FileCoordinationSystem
import Glibc

/// Something that happened in the demonstration.
struct DemoEvent: Hashable, Sendable {
    /// Who is in it.
    enum Part: String, CaseIterable, Hashable, Sendable {
        case editor
        case reader
        case writer
    }

    /// What happened.
    enum Kind: String, Hashable, Sendable {
        /// The editor has the document open, and changes that are in no file.
        case types
        /// The editor lets a reader in.
        case makesWayForReader
        /// The editor is asked to save.
        case askedToSave
        /// The editor has saved.
        case saved
        /// The editor lets a writer in.
        case makesWayForWriter
        /// The editor was told of a change, and has read it.
        case shows
        /// The reader wants access.
        case asksToRead
        /// The reader has access, and has read.
        case reads
        /// The reader gives its access back.
        case doneReading
        /// The writer wants access.
        case asksToWrite
        /// The arbiter says that the writer waits for the reader.
        case waits
        /// The writer has access.
        case writes
        /// The writer has written, and gives its access back.
        case wrote
    }

    /// Monotonic time, which is the same for all processes.
    let time: UInt64
    /// Who.
    let part: Part
    /// What.
    let kind: Kind
    /// What the document held just then.
    let content: String

    /// An event of just now.
    init(_ part: Part, _ kind: Kind, content: String) {
        time = MonotonicClock.now
        self.part = part
        self.kind = kind
        self.content = content
    }

    /// An event as its process reported it; nil if the line is none.
    init?(line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 4, let time = UInt64(fields[0]),
            let part = Part(rawValue: String(fields[1])),
            let kind = Kind(rawValue: String(fields[2]))
        else { return nil }
        self.time = time
        self.part = part
        self.kind = kind
        content = String(fields[3])
    }

    /// The event as a line.
    var line: String { "\(time)\t\(part.rawValue)\t\(kind.rawValue)\t\(content)" }

    /// What the document at `path` holds; tabs and line ends would not do in a line.
    static func content(of path: NativePath) -> String {
        // What is not there, or is being replaced, holds nothing.
        let text = (try? DemoDocument.text(at: path)) ?? ""
        return text.split(separator: "\n").joined(separator: " ")
    }

    /// Tells the process that started this one.
    static func report(_ part: Part, _ kind: Kind, _ path: NativePath) {
        // If no process reads any more, the pipe's signal ends this process.
        try? Console.print(DemoEvent(part, kind, content: content(of: path)).line)
    }
}
