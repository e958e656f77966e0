// SPDX-License-Identifier: Apache-2.0
//
// Claims that failed because they would have waited in a cycle. Most of them have waited for no
// time at all, so the report shows the cycle: with a mark on the time line, in the graph of that
// moment, and first in the table of waits.

extension TraceModelBuilder {
    /// The cycle of a line "inCycle".
    struct Cycle {
        /// The claims; empty if not all of them are known.
        let members: [Int]
        let text: String
    }

    /// Returns the cycle of a line "inCycle", as far as its claims are known.
    func cycle(_ line: TraceFile.Line) -> Cycle? {
        let numbers = line.numbers("claims")
        let members = numbers.compactMap { claims[$0] }
        guard !members.isEmpty else { return nil }
        let own = numbers.count == 1 ? ", of a presenter in its own process" : ""
        let text = "cycle of waits: " + members.map(member).joined(separator: ", then ") + own
        // Without a member, the two beside it would seem to wait for each other.
        return Cycle(members: members.count == numbers.count ? members : [], text: text)
    }

    /// Adds the cycle to the claim that has failed in it, and a mark for it.
    mutating func add(_ cycle: Cycle, to claim: Int, _ line: TraceFile.Line) {
        model.claims[claim].outcomes = [cycle.text]
        model.claims[claim].cycle = cycle.members
        mark(line, .process, "failed in a " + cycle.text, model.claims[claim].process)
    }

    private func member(_ index: Int) -> String {
        let claim = model.claims[index]
        let process = model.processes[claim.process]
        let label = claim.label.isEmpty ? process.label : claim.label
        let name = label.isEmpty ? process.name : label
        let state = claim.stays.last?.state == .holding ? "holds" : "waits for"
        let path = claim.items.first.map { model.paths[$0.path] } ?? "something"
        return "\(name) (pid \(process.processID)) \(state) \(path)"
    }
}
