// SPDX-License-Identifier: Apache-2.0
//
// Claims that failed because they would have waited in a cycle. Most of them have waited for no
// time at all, so the report shows the cycle: with a mark on the time line, and first of the waits.

extension TraceModelBuilder {
    /// Returns the text for the cycle of a line "inCycle", as far as its claims are known.
    func cycle(_ line: TraceFile.Line) -> String? {
        let numbers = line.numbers("claims")
        let members = numbers.compactMap { claims[$0] }
        guard !members.isEmpty else { return nil }
        let own = numbers.count == 1 ? ", of a presenter in its own process" : ""
        return "cycle of waits: " + members.map(member).joined(separator: ", then ") + own
    }

    /// Adds the cycle to the claim that has failed in it, and a mark for it.
    mutating func add(_ cycle: String, to claim: Int, _ line: TraceFile.Line) {
        model.claims[claim].outcomes = [cycle]
        mark(line, "failed in a " + cycle, model.claims[claim].process)
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
