// SPDX-License-Identifier: Apache-2.0
//
// The longest waits of a trace as text, each with what it waited for and how long. A viewer shows
// when all that was; this says why.

import FileCoordinationClient

/// Writes the longest waits of a trace.
package struct LongestWaits {
    /// The most waits, and causes of a wait, that are shown.
    private static let (most, mostCauses) = (20, 5)

    private let model: TraceModel

    package init(_ model: TraceModel) { self.model = model }

    /// The text, with a line feed at its end.
    ///
    /// Accesses that failed in a cycle come first: they would have waited for ever.
    package var text: String {
        let waits = model.claims.filter { $0.waited > .zero || $0.ending == .inCycle }.sorted {
            ($0.ending == .inCycle ? 1 : 0, $0.waited) > ($1.ending == .inCycle ? 1 : 0, $1.waited)
        }
        let shown = waits.prefix(Self.most)
        let rest = waits.count - shown.count
        let lines =
            [summary] + (waits.isEmpty ? ["No access waited."] : shown.flatMap(lines))
            + (rest > 0 ? ["\(rest) more accesses waited shorter."] : []) + [model.unseen]
        return lines.filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
    }

    private var summary: String {
        var text =
            "Recorded from \(model.began) for \(DurationText.text(model.end)), by "
            + "\(model.program): \(model.events) events, \(model.claims.count) accesses of "
            + "\(model.processes.count) processes."
        if model.dropped > 0 {
            text += " \(model.dropped) entries are missing: the recorder did not keep up."
        }
        if model.isCut { text += " The trace was cut off: its end is missing." }
        return text
    }

    private func lines(of claim: TraceModel.Claim) -> [String] {
        let verb = claim.items.contains(where: \.isWriting) ? "write" : "read"
        let path = claim.items.first.map { model.paths[$0.path] } ?? "no item"
        let outcome = claim.ending == .inCycle ? claim.outcomes : []
        return [
            "\(DurationText.text(claim.waited))  \(model.who(of: claim)), to \(verb) \(path), "
                + "\(DurationText.text(claim.begin)) after the beginning"
        ] + (outcome + causes(of: claim)).map { "    " + $0 }
    }

    /// What was in the way of a claim, the longest cause first.
    private func causes(of claim: TraceModel.Claim) -> [String] {
        let end = claim.stays.last { $0.state != .holding }?.to ?? claim.begin
        var times: [String: Duration] = [:]
        func note(_ text: String, _ from: Duration, _ to: Duration) {
            let (from, to) = (max(from, claim.begin), min(to, end))
            if from < to { times[text] = max(times[text] ?? .zero, to - from) }
        }
        func noteStops(_ who: String, _ process: Int, _ from: Duration, _ to: Duration) {
            for stop in model.stops where stop.process == process {
                note("\(who) was stopped", max(from, stop.from), min(to, stop.to))
            }
        }
        noteStops("its own process", claim.process, claim.begin, end)
        for wait in claim.waits {
            for other in wait.claims.map({ model.claims[$0] }) {
                note("\(model.who(of: other)) held or was ahead", wait.time, other.end)
                noteStops(model.who(of: other), other.process, wait.time, other.end)
            }
        }
        for question in model.questions
        where model.claims[question.claim].number == claim.number {
            let presenter = model.presenters[question.presenter]
            let answer = question.isAnswered ? "answered" : "did not answer"
            let who = model.who(presenter.process)
            note("\(who) \(answer) \(question.message)", question.from, question.to)
            noteStops(who, presenter.process, question.from, question.to)
        }
        return times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostCauses)
            .map { "\($0.key) for \(DurationText.text($0.value))" }
    }
}
