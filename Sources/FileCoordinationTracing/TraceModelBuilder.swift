// SPDX-License-Identifier: Apache-2.0
//
// Builds the model of a trace, line by line. A trace may begin while claims wait, may end while
// they run, and may miss entries; the next status then shows which claims are over.
// `TraceModelBuilder+Sightings.swift` combines the lines about a claim of which the server learns
// late, and `TraceModelBuilder+Marks.swift` collects the marks on the time line.

import FileCoordinationClient
import FileCoordinationWire

/// The state of reading a trace.
package struct TraceModelBuilder {
    var model = TraceModel()
    var processes: [UInt64: Int] = [:]
    /// The key is the bytes of a path, because strings with different bytes can be equal.
    private var paths: [[UInt8]: Int] = [:]
    var claims: [UInt64: Int] = [:]
    private var presenters: [UInt64: Int] = [:]
    /// Claims that are not over, by index.
    var open: Set<Int> = []
    /// Claims of whose end the server is not told, by process and items, until they are found.
    var unreported: [[Int]: Int] = [:]
    /// Claims by delegation that a status has shown, by process and items, until they are found.
    var sightings: [[Int]: [Sighting]] = [:]
    /// The stops of processes that do not run again yet, by process.
    var openStops: [Int: Int] = [:]
    /// The present delegations.
    var delegations: [UInt64: Delegation] = [:]
    private var openQuestions: [[UInt64]: Int] = [:]
    /// The time of the last line about each open claim.
    var touched: [Int: Duration] = [:]
    /// When the recorder requested the last status.
    var looked = Duration.zero

    /// The model of a trace.
    package static func model(of trace: TraceFile) -> TraceModel {
        var builder = TraceModelBuilder()
        builder.model.began = trace.began
        builder.model.program = trace.program
        builder.model.unseen = trace.unseen
        builder.model.isCut = trace.isCut
        builder.model.events = trace.lines.count
        for line in trace.lines { builder.take(line) }
        return builder.finish()
    }

    private mutating func take(_ line: TraceFile.Line) {
        model.end = max(model.end, line.time)
        switch line.event {
        case "process": takeProcess(line)
        case "filed": begin(line, .waiting, since: .zero)
        case "found": takeFound(line)
        case "claim": takeStatus(line)
        case "seen": takeSighting(line)
        case "waits": takeWaits(line)
        case "granted": takeGrant(line)
        case "claimMoved": takeMove(line)
        case "grantWithdrawn", "questionsRecalled": enter(.waiting, line)
        case "ended": finish(line, .ended)
        case "cancelled": finish(line, .cancelled)
        case "refused": finish(line, .refused)
        case "inCycle": takeCycle(line)
        case "presenter", "presenterMoved", "presenterRemoved", "asked", "answered", "told":
            takePresenter(line)
        case "look": looked = line.time
        case "known": takeKnown(line)
        case "lost", "server", "dropped", "stopped", "continued": takeMark(line)
        case "delegated", "recalled", "delegationEnded": takeDelegation(line)
        case "died": takeDeath(line)
        // A newer program may write lines that this one does not know.
        case _: break
        }
    }

    private mutating func finish() -> TraceModel {
        for claim in open { extend(claim, to: model.end) }
        for (_, question) in openQuestions { model.questions[question].to = model.end }
        for stop in openStops.values { model.stops[stop].to = model.end }
        return model
    }

    // MARK: Names

    mutating func path(_ bytes: [UInt8]) -> Int {
        if let known = paths[bytes] { return known }
        paths[bytes] = model.paths.count
        model.paths.append(UserText.text(bytes))
        return model.paths.count - 1
    }

    private mutating func takeProcess(_ line: TraceFile.Line) {
        guard let number = line.number("process") else { return }
        let process = TraceModel.Process(
            processID: line.number("pid") ?? 0, name: line.text("name"),
            label: line.text("label"))
        if let known = processes[number] {
            model.processes[known].label = process.label
        } else {
            processes[number] = model.processes.count
            model.processes.append(process)
        }
    }

    mutating func process(_ line: TraceFile.Line) -> Int {
        let number = line.number("process") ?? 0
        if let known = processes[number] { return known }
        processes[number] = model.processes.count
        model.processes.append(TraceModel.Process(processID: 0, name: "unknown", label: ""))
        return model.processes.count - 1
    }

    // MARK: Claims

    mutating func items(_ line: TraceFile.Line) -> [TraceModel.Item] {
        guard case .list(let values)? = line.fields[field: "items"] else { return [] }
        var items: [TraceModel.Item] = []
        for value in values {
            guard let path = value.path("path") else { continue }
            items.append(
                TraceModel.Item(
                    path: self.path(path), isWriting: value[field: "access"]?.text == "writing"))
        }
        return items
    }

    mutating func begin(
        _ line: TraceFile.Line, _ state: TraceModel.State, since age: Duration,
        isDelegated: Bool = false
    ) {
        guard let number = line.number("claim") else { return }
        let start = line.time - min(age, line.time)
        let claim = TraceModel.Claim(
            number: number, process: process(line), label: line.text("label"), items: items(line),
            isDelegated: isDelegated,
            stays: [TraceModel.Stay(state: state, from: start, to: line.time)])
        claims[number] = model.claims.count
        touched[model.claims.count] = line.time
        open.insert(model.claims.count)
        model.claims.append(claim)
    }

    func key(_ claim: TraceModel.Claim) -> [Int] {
        [claim.process] + claim.items.flatMap { [$0.path, $0.isWriting ? 1 : 0] }
    }

    /// Changes the paths of a claim's items, because the items or directories above were moved.
    private mutating func takeMove(_ line: TraceFile.Line) {
        guard let claim = line.number("claim").flatMap({ claims[$0] }),
            case .list(let values)? = line.fields[field: "paths"],
            values.count == model.claims[claim].items.count
        else { return }
        let former = key(model.claims[claim])
        for (index, value) in values.enumerated() {
            guard let path = value.path("path") else { continue }
            model.claims[claim].items[index].path = self.path(path)
        }
        guard unreported[former] == claim else { return }
        unreported[former] = nil
        unreported[key(model.claims[claim])] = claim
    }

    private mutating func takeStatus(_ line: TraceFile.Line) {
        let states: [String: TraceModel.State] = [
            "waiting": .waiting, "asking": .asking, "granted": .holding,
        ]
        let state = states[line.text("state")] ?? .waiting
        if let number = line.number("claim"), let known = claims[number], open.contains(known) {
            enter(state, known, line.time)
        } else {
            begin(line, state, since: line.span("since"))
        }
    }

    private mutating func takeWaits(_ line: TraceFile.Line) {
        guard let claim = line.number("claim").flatMap({ claims[$0] }) else { return }
        let wait = TraceModel.Wait(
            time: line.time, claims: line.numbers("claims").compactMap { claims[$0] },
            presenters: line.numbers("presenters").compactMap { presenters[$0] },
            count: Int(clamping: line.number("count") ?? 0))
        model.claims[claim].waits.append(wait)
        touched[claim] = line.time
        if wait.claims.isEmpty, !wait.presenters.isEmpty { enter(.asking, claim, line.time) }
    }

    private mutating func takeGrant(_ line: TraceFile.Line) {
        guard let claim = line.number("claim").flatMap({ claims[$0] }) else { return }
        enter(.holding, claim, line.time)
        guard line.flag("unreported") else { return }
        model.claims[claim].ending = .unreported
        open.remove(claim)
        unreported[key(model.claims[claim])] = claim
    }

    private mutating func enter(_ state: TraceModel.State, _ line: TraceFile.Line) {
        guard let claim = line.number("claim").flatMap({ claims[$0] }) else { return }
        enter(state, claim, line.time)
        if state == .waiting { closeQuestions(of: claim, at: line.time) }
    }

    mutating func enter(_ state: TraceModel.State, _ claim: Int, _ time: Duration) {
        guard open.contains(claim) else { return }
        touched[claim] = time
        extend(claim, to: time)
        let last = model.claims[claim].stays.count - 1
        guard last < 0 || model.claims[claim].stays[last].state != state else { return }
        if last >= 0, model.claims[claim].stays[last].from == time {
            // The claim left the former state at once, so that state is not shown.
            model.claims[claim].stays[last].state = state
        } else {
            model.claims[claim].stays.append(
                TraceModel.Stay(state: state, from: time, to: time))
        }
    }

    mutating func extend(_ claim: Int, to time: Duration) {
        let last = model.claims[claim].stays.count - 1
        guard last >= 0, model.claims[claim].stays[last].to < time else { return }
        model.claims[claim].stays[last].to = time
    }

    private mutating func finish(_ line: TraceFile.Line, _ ending: TraceModel.Ending) {
        guard let number = line.number("claim"), let claim = claims[number] else { return }
        if model.claims[claim].ending == .unreported { open.insert(claim) }
        model.claims[claim].outcomes = line.texts("outcomes")
        finish(claim, ending, at: line.time)
        claims[number] = nil
    }

    private mutating func takeCycle(_ line: TraceFile.Line) {
        guard let claim = line.number("claim").flatMap({ claims[$0] }) else { return }
        let cycle = cycle(line)
        finish(line, .inCycle)
        if let cycle { add(cycle, to: claim, line) }
    }

    private mutating func finish(_ claim: Int, _ ending: TraceModel.Ending, at time: Duration) {
        guard open.remove(claim) != nil else { return }
        extend(claim, to: time)
        model.claims[claim].ending = ending
        touched[claim] = nil
        closeQuestions(of: claim, at: time)
    }

    private mutating func takeDeath(_ line: TraceFile.Line) {
        guard let process = processes[line.number("process") ?? 0] else { return }
        endStop(of: process, at: line.time)
        mark(line, "has ended", process)
        for claim in open where model.claims[claim].process == process {
            finish(claim, .died, at: line.time)
        }
        for (number, presenter) in presenters
        where model.presenters[presenter].process == process {
            presenters[number] = nil
        }
    }

    /// Ends the claims that a status no longer contains, and about which no line came since the
    /// status was requested.
    private mutating func takeKnown(_ line: TraceFile.Line) {
        let known = Set(line.numbers("claims"))
        for claim in open where !known.contains(model.claims[claim].number) {
            let time = touched[claim] ?? .zero
            if time < looked { finish(claim, .unseen, at: looked) }
        }
        let present = Set(line.numbers("presenters"))
        for (number, presenter) in presenters
        where !present.contains(number) && model.presenters[presenter].from < looked {
            presenters[number] = nil
        }
    }

    // MARK: Presenters

    private mutating func takePresenter(_ line: TraceFile.Line) {
        guard let number = line.number("presenter") else { return }
        if line.event == "presenter", presenters[number] == nil {
            presenters[number] = model.presenters.count
            let process = process(line)
            model.presenters.append(
                TraceModel.Presenter(
                    number: number, process: process, path: nil, from: line.time))
        }
        guard let presenter = presenters[number] else { return }
        let claim = line.number("claim")
        switch line.event {
        case "presenter", "presenterMoved":
            model.presenters[presenter].path = line.path("path").map { path($0) }
        case "presenterRemoved": presenters[number] = nil
        case "asked":
            guard let claim, let index = claims[claim] else { return }
            enter(.asking, index, line.time)
            openQuestions[[number, claim]] = model.questions.count
            model.questions.append(
                TraceModel.Question(
                    presenter: presenter, claim: index, message: line.text("message"),
                    from: line.time, to: line.time, isAnswered: false, isRefusal: false))
        case "answered":
            guard let claim, let question = openQuestions.removeValue(forKey: [number, claim])
            else { return }
            model.questions[question].to = line.time
            model.questions[question].isAnswered = true
            model.questions[question].isRefusal = line.flag("refuses")
        case _:
            model.messages.append(
                TraceModel.Message(
                    time: line.time, presenter: presenter, message: line.text("message"),
                    claim: claim.flatMap { claims[$0] }, isPlain: line.flag("plain")))
        }
    }

    private mutating func closeQuestions(of claim: Int, at time: Duration) {
        guard !openQuestions.isEmpty else { return }
        for (key, question) in openQuestions where model.questions[question].claim == claim {
            model.questions[question].to = time
            openQuestions[key] = nil
        }
    }
}
