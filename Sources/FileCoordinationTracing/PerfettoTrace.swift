// SPDX-License-Identifier: Apache-2.0
//
// Writes a trace in the format of Chrome's trace viewer, which Perfetto and other viewers open: a
// track for each claim under its process, with its states inside.

import FileCoordinationWire
import MonotonicTime

/// Writes the model of a trace for trace viewers.
package struct PerfettoTrace {
    private let model: TraceModel

    package init(_ model: TraceModel) { self.model = model }

    private typealias Fields = [(name: String, value: JSONValue)]

    /// The text of the file.
    package var text: String {
        var events: [Fields] = []
        for (index, process) in model.processes.enumerated() {
            let name = process.label.isEmpty ? process.name : process.label
            events.append([
                ("ph", .text("M")), ("name", .text("process_name")), ("pid", .integer(index + 1)),
                ("args", .object([("name", .text("\(name) (pid \(process.processID))"))])),
            ])
        }
        for index in model.claims.indices { events += claim(index) }
        for index in model.questions.indices { events += question(index) }
        for message in model.messages {
            let presenter = model.presenters[message.presenter]
            var details: Fields = [("presenter", .integer(presenter.number))]
            if let path = presenter.path { details.append(("path", .text(model.paths[path]))) }
            if message.isPlain { details.append(("plain", .truth(true))) }
            events.append(
                [
                    ("ph", .text("i")), ("name", .text(message.message)), ("cat", .text("message")),
                    ("s", .text("p")),
                ] + place(message.time, presenter.process) + [("args", .object(details))])
        }
        for mark in model.marks {
            events.append(
                [
                    ("ph", .text("i")), ("name", .text(mark.text)), ("cat", .text("recording")),
                    ("s", .text(mark.process == nil ? "g" : "p")),
                ] + place(mark.time, mark.process ?? -1))
        }
        let lines = events.map { JSONValue.object($0).description }
        let other = JSONValue.object([
            ("program", .text(model.program)), ("began", .text(model.began)),
            ("unseen", .text(model.unseen)), ("dropped", .integer(model.dropped)),
        ])
        return "{\"displayTimeUnit\":\"ms\",\"otherData\":\(other),\"traceEvents\":[\n"
            + lines.joined(separator: ",\n") + "\n]}"
    }

    private func place(_ time: Duration, _ process: Int) -> Fields {
        // Viewers count in microseconds, as decimal fractions.
        [
            ("ts", .decimal(thousandths: time.nanoseconds)), ("pid", .integer(process + 1)),
            ("tid", .integer(process + 1)),
        ]
    }

    private func span(
        _ name: String, _ category: String, _ identifier: String, _ process: Int,
        _ from: Duration, _ to: Duration, _ details: Fields
    ) -> (begin: Fields, end: Fields) {
        func fields(_ phase: String, _ time: Duration) -> Fields {
            [
                ("ph", .text(phase)), ("name", .text(name)), ("cat", .text(category)),
                ("id", .text(identifier)),
            ] + place(time, process)
        }
        return (fields("b", from) + [("args", .object(details))], fields("e", to))
    }

    private func claim(_ index: Int) -> [Fields] {
        let claim = model.claims[index]
        let paths = claim.items.map { model.paths[$0.path] }
        let isWriting = claim.items.contains(where: \.isWriting)
        var details: Fields = [
            ("claim", .integer(claim.number)), ("paths", .list(paths.map { .text($0) })),
            ("end", .text("\(claim.ending)")),
        ]
        if !claim.label.isEmpty { details.append(("label", .text(claim.label))) }
        if claim.isDelegated { details.append(("byDelegation", .truth(true))) }
        let name = paths.first ?? "no item"
        let whole = span(
            name, "claim", "c\(index)", claim.process, claim.begin, claim.end, details)
        let parts = claim.stays.flatMap { stay -> [Fields] in
            let state =
                switch stay.state {
                case .waiting: "waiting"
                case .asking: "asking"
                case .holding: isWriting ? "writing" : "reading"
                }
            let part = span(
                state, "claim", "c\(index)", claim.process, stay.from, stay.to, [])
            return [part.begin, part.end]
        }
        return [whole.begin] + parts + [whole.end]
    }

    private func question(_ index: Int) -> [Fields] {
        let question = model.questions[index]
        let claim = model.claims[question.claim]
        let part = span(
            question.message, "question", "q\(index)",
            model.presenters[question.presenter].process, question.from, question.to,
            [
                ("for", .text(model.who(of: claim))), ("claim", .integer(claim.number)),
                ("answered", .truth(question.isAnswered)), ("refused", .truth(question.isRefusal)),
            ])
        return [part.begin, part.end]
    }
}
