// SPDX-License-Identifier: Apache-2.0
//
// Collects the marks on the time line of a report: servers, gaps, stopped processes, and
// delegations, during which the recording does not see accesses.

extension TraceModelBuilder {
    /// A delegation that has not ended.
    struct Delegation {
        var path: Int?
        /// The processes that may use the path without asking the server.
        var processes: [Int]
        /// Whether it was recalled already.
        var isRecalled = false
    }

    /// Adds a mark.
    mutating func mark(
        _ line: TraceFile.Line, _ text: String, _ process: Int? = nil
    ) {
        model.marks.append(TraceModel.Mark(time: line.time, process: process, text: text))
    }

    /// Adds the mark for an event of the recording or of a process.
    mutating func takeMark(_ line: TraceFile.Line) {
        switch line.event {
        case "lost": mark(line, "the server is gone; entries are missing until the next")
        case "server":
            mark(line, "server: \(line.text("kind")), pid \(line.number("pid") ?? 0)")
        case "dropped":
            model.dropped += line.number("count") ?? 0
            mark(line, "\(line.number("count") ?? 0) entries are missing here")
        case "stopped":
            guard let process = processes[line.number("process") ?? 0], openStops[process] == nil
            else { return }
            openStops[process] = model.stops.count
            model.stops.append(TraceModel.Stop(process: process, from: line.time, to: line.time))
            mark(line, "is stopped", process)
        case _:
            guard let process = processes[line.number("process") ?? 0] else { return }
            endStop(of: process, at: line.time)
            mark(line, "runs again", process)
        }
    }

    /// Ends the stop of a process, if it is stopped.
    mutating func endStop(of process: Int, at time: Duration) {
        guard let stop = openStops.removeValue(forKey: process) else { return }
        model.stops[stop].to = time
    }

    /// Adds a mark for the beginning or the end of a delegation, to each process that has it.
    mutating func takeDelegation(_ line: TraceFile.Line) {
        guard let number = line.number("delegation") else { return }
        switch line.event {
        case "delegated":
            let path = path(line.path("path") ?? [])
            let delegation = Delegation(
                path: path, processes: line.numbers("processes").compactMap { processes[$0] })
            delegations[number] = delegation
            let name = model.paths[path]
            mark(line, delegation, "\(name) is delegated (\(line.text("mode"))): unseen from here")
        case "recalled":
            guard let delegation = delegations[number], let path = delegation.path,
                !delegation.isRecalled
            else { return }
            delegations[number]?.isRecalled = true
            let name = model.paths[path]
            mark(line, delegation, "the delegation of \(name) is recalled")
        case _: endDelegation(line, number)
        }
    }

    private mutating func endDelegation(_ line: TraceFile.Line, _ number: UInt64) {
        // A delegation that began before the recording is not known.
        let delegation = delegations.removeValue(forKey: number)
        let name = delegation?.path.map { model.paths[$0] }
        let text: String
        if let turns = line.number("turns") {
            let place = name.map { " at \($0)" } ?? ""
            text = "the ticket queue\(place) has ended after \(turns) accesses that were not seen"
        } else {
            guard let name, delegation?.isRecalled == false else { return }
            text = "the delegation of \(name) has ended"
        }
        mark(line, delegation ?? Delegation(path: nil, processes: []), text)
    }

    private mutating func mark(
        _ line: TraceFile.Line, _ delegation: Delegation, _ text: String
    ) {
        guard !delegation.processes.isEmpty else { return mark(line, text) }
        for process in delegation.processes { mark(line, text, process) }
    }
}
