// SPDX-License-Identifier: Apache-2.0
//
// Prints the events of the demonstration, with a column for each process and one for the document,
// and checks them.

import MonotonicTime

/// Prints a timeline as text.
struct DemoTimeline {
    private let events: [DemoEvent]

    /// Prints `events`, which must be in order.
    init(_ events: [DemoEvent]) { self.events = events }

    private static let timeWidth = 7
    private static let widths: [DemoEvent.Part: Int] = [.editor: 26, .reader: 18, .writer: 22]

    /// The lines of the timeline, each with at most 100 columns.
    var lines: [String] {
        let heading = line(
            time: "ms",
            DemoEvent.Part.allCases.reduce(into: [:]) { $0[$1] = $1.rawValue.uppercased() },
            content: "THE DOCUMENT HOLDS")
        let start = events.first?.time ?? .distantPast
        return [heading]
            + events.map { event in
                line(
                    time: Self.milliseconds(event.time - start),
                    [event.part: Self.text(event.kind)], content: event.content)
            }
    }

    private func line(
        time: String, _ cells: [DemoEvent.Part: String], content: String
    ) -> String {
        let gap = String(repeating: " ", count: max(0, Self.timeWidth - time.count))
        let columns = DemoEvent.Part.allCases.map { part in
            let cell = cells[part] ?? ""
            let width = Self.widths[part] ?? 0
            return cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        return "\(gap)\(time)  \(columns.joined(separator: "  "))  \(content)"
    }

    /// The time since the first event, in milliseconds with a decimal, for a column of that unit:
    /// steps of less than a millisecond follow each other, and the digits stand below each other.
    static func milliseconds(_ span: Duration) -> String {
        let nanoseconds = span.nanoseconds
        return "\(nanoseconds / 1_000_000).\(nanoseconds / 100_000 % 10)"
    }

    /// What an event means, as text for the user.
    static func text(_ kind: DemoEvent.Kind) -> String {
        switch kind {
        case .types: "types \"eggs\", unsaved"
        case .makesWayForReader: "makes way for a reader"
        case .askedToSave: "is asked to save first"
        case .saved: "has saved"
        case .makesWayForWriter: "makes way for a writer"
        case .shows: "is told, shows \"tea\""
        case .asksToRead: "asks to read"
        case .reads: "reads"
        case .doneReading: "is done"
        case .asksToWrite: "asks to write"
        case .waits: "waits for the reader"
        case .writes: "may write"
        case .wrote: "has added \"tea\""
        }
    }
}

/// Checks the demonstration against the rules.
struct DemoChecks {
    private let events: [DemoEvent]

    /// Checks `events`, which must be in order.
    init(_ events: [DemoEvent]) { self.events = events }

    /// Every rule that is checked, and whether it was kept.
    var all: [(sentence: String, holds: Bool)] {
        let saved = DemoScript.beginning + DemoScript.editorsWords
        let final = saved + DemoScript.writersWords
        return [
            (
                "The editor saved before the reader read, and not earlier.",
                inOrder(.types, .asksToRead, .askedToSave, .saved, .reads)
                    && content(.types) == DemoScript.beginning && content(.reads) == saved
            ),
            (
                "The writer waited for the reader, and wrote when it was done.",
                inOrder(.reads, .asksToWrite, .waits, .doneReading, .writes)
                    && content(.doneReading) == saved && content(.wrote) == final
            ),
            (
                "The editor made way for the writer, and was told of the change.",
                inOrder(.doneReading, .makesWayForWriter, .writes, .wrote, .shows)
                    && content(.shows) == final
            ),
        ]
    }

    private func inOrder(_ kinds: DemoEvent.Kind...) -> Bool {
        let times = kinds.map { kind in events.first { $0.kind == kind }?.time }
        return zip(times, times.dropFirst()).allSatisfy { earlier, later in
            guard let earlier, let later else { return false }
            return earlier < later
        }
    }

    private func content(_ kind: DemoEvent.Kind) -> String? {
        events.first { $0.kind == kind }?.content
    }
}
