// SPDX-License-Identifier: Apache-2.0
//
// Turns the entries of a server's recording into lines of a trace, which `docs/trace-format.md`
// describes. Servers number their clients; a trace numbers processes instead, so that a process
// keeps its number when the server changes.

package import FileCoordinationArbiter
package import FileCoordinationWire

/// The state of writing a trace.
package struct TraceWriter {
    /// The version of the format.
    ///
    /// Raised when lines are added that readers of this version do not know.
    static let version = 1

    /// The properties by which a trace distinguishes processes.
    private struct Process: Hashable {
        let number: Int32
        let name: String
    }

    private(set) var lines = TraceLines()
    /// The monotonic time at which the trace began.
    private let start: Instant
    private var processes: [Process: (index: Int, label: String)] = [:]
    /// The processes of the present server's clients.
    private var clients: [UInt32: Int] = [:]
    /// Claims and presenters about which entries came since the status was requested.
    private var fresh: Set<UInt64> = []
    private var isAsking = false
    /// The processes that are stopped, according to the lines so far.
    private var stopped: Set<Int> = []
    /// The processes about whose stops entries came since the status was requested.
    private var freshStops: Set<Int> = []
    /// The number of lines after the header, which is what a report of the trace counts.
    package var count: Int { lines.count }
    /// The number of entries that are missing.
    package private(set) var dropped: UInt64 = 0
    /// Whether the present server has said that its recording is over.
    package private(set) var isOver = false

    /// Begins a trace.
    package init(start: Instant) { self.start = start }

    /// Returns the lines that are not written yet.
    package mutating func take() -> [UInt8] { lines.take() }

    /// The first line of a trace that `program` writes, and that begins at this time in UTC.
    package static func header(_ program: String, began: String) -> [UInt8] {
        let fields: [(name: String, value: JSONValue)] = [
            ("trace", .text("filecoord")), ("version", .integer(version)),
            ("began", .text(began)),
            ("program", .text(program)),
            ("unseen", .text(unseen)),
        ]
        return Array("\(JSONValue.object(fields))\n".utf8)
    }

    /// What a trace does not contain, as a sentence for the user.
    static let unseen = """
        Accesses that programs granted themselves by delegation did not pass the server and are \
        not here, unless the server heard of them later.
        """

    // MARK: Servers

    /// Begins the lines of another server, whose status was requested.
    package mutating func connected(at time: Instant) {
        clients = [:]
        isOver = false
        lines.line(since(time), "connected")
        asked(at: time)
    }

    /// Adds the line that the server has ended.
    package mutating func lost(at time: Instant) { lines.line(since(time), "lost") }

    /// A status report was requested.
    package mutating func asked(at time: Instant) {
        (fresh, freshStops) = ([], [])
        isAsking = true
        lines.line(since(time), "look")
    }

    /// Adds lines for the claims, presenters and processes of a status report.
    package mutating func add(_ report: StatusReport, at time: Instant) {
        let (now, arbiter) = (since(time), report.arbiter)
        lines.line(now, "server") { lines in
            lines.number("pid", ProcessNumber.plain(arbiter.processID))
            lines.flag("otherNamespace", ProcessNumber.isOfAnotherNamespace(arbiter.processID))
            lines.text("kind", "\(arbiter.kind)")
            lines.number("protocol", arbiter.protocolVersion)
        }
        for claim in report.claims where !fresh.contains(claim.claim) { add(claim, now) }
        for presenter in report.presenters where !fresh.contains(presenter.presenter) {
            let process = process(presenter.processID, presenter.processName, "", now)
            lines.line(now, "presenter") { lines in
                lines.number("presenter", presenter.presenter)
                lines.number("process", process)
                if let path = presenter.path { lines.path("path", path) }
                if !presenter.label.isEmpty { lines.text("label", presenter.label) }
            }
        }
        addStops(report, now)
        lines.line(now, "known") { lines in
            let claims = report.claims.map(\.claim)
            lines.numbers(
                "claims", claims.filter { !FileCoordinationWire.ClaimStatus.isUnreported($0) })
            lines.numbers("presenters", report.presenters.map(\.presenter))
        }
        (isAsking, fresh) = (false, [])
    }

    private mutating func add(_ claim: FileCoordinationWire.ClaimStatus, _ now: Duration) {
        let process = process(claim.processID, claim.processName, "", now)
        // If the arbiter does not know a claim, the report has the number of its record.
        let isSeen = FileCoordinationWire.ClaimStatus.isUnreported(claim.claim)
        lines.line(now, isSeen ? "seen" : "claim") { lines in
            if !isSeen { lines.number("claim", claim.claim) }
            lines.number("process", process)
            lines.text("state", "\(claim.stage)")
            lines.number("since", claim.since.nanoseconds)
            lines.items(claim.items)
            if !claim.label.isEmpty { lines.text("label", claim.label) }
        }
        guard !isSeen, claim.stage != .granted else { return }
        lines.line(now, "waits") { lines in
            lines.number("claim", claim.claim)
            lines.numbers("claims", claim.waitsFor.compactMap(\.claim))
            lines.numbers("presenters", claim.waitsFor.compactMap(\.presenter))
            lines.number("count", claim.waitsForCount)
        }
    }

    /// Adds lines for processes that were stopped or continued before the recording, or in a gap.
    private mutating func addStops(_ report: StatusReport, _ now: Duration) {
        var states: [Int: Bool] = [:]
        for claim in report.claims {
            states[process(claim.processID, claim.processName, "", now)] = claim.isStopped
        }
        for presenter in report.presenters {
            let process = process(presenter.processID, presenter.processName, "", now)
            states[process] = presenter.isStopped
        }
        for (process, isStopped) in states.sorted(by: { $0.key < $1.key })
        where !freshStops.contains(process) {
            addStop(of: process, isStopped, now)
        }
    }

    private mutating func addStop(of process: Int, _ isStopped: Bool, _ now: Duration) {
        // The server may record a stop after a status has shown it.
        let isNews = isStopped ? stopped.insert(process).inserted : stopped.remove(process) != nil
        guard isNews else { return }
        lines.line(now, isStopped ? "stopped" : "continued") { $0.number("process", process) }
    }

    private mutating func process(
        _ number: Int32, _ name: String, _ label: String, _ now: Duration
    ) -> Int {
        let key = Process(number: number, name: name)
        let known = processes[key]
        // A status report contains the labels of claims, but not those of processes.
        if let known, label.isEmpty || known.label == label { return known.index }
        let next = known?.index ?? processes.count + 1
        processes[key] = (next, label)
        lines.line(now, "process") { lines in
            lines.number("process", next)
            lines.number("pid", ProcessNumber.plain(number))
            lines.flag("otherNamespace", ProcessNumber.isOfAnotherNamespace(number))
            lines.text("name", name)
            if !label.isEmpty { lines.text("label", label) }
        }
        return next
    }

    // MARK: Entries

    /// The time since the trace began.
    private func since(_ time: Instant) -> Duration { time - start }

    private mutating func isNews(of number: UInt64) { if isAsking { fresh.insert(number) } }

    /// Adds an entry of the present server.
    ///
    /// - Returns: whether entries are missing before this one.
    package mutating func add(_ entry: TraceEntry) -> Bool {
        let now = since(entry.time)
        switch entry.event {
        case .began: break
        case .over: isOver = true
        case .dropped(let count):
            dropped += count
            lines.line(now, "dropped") { $0.number("count", count) }
            return true
        case .client(let client, let number, let name, let label):
            clients[client] = process(number, name, label, now)
        case .filed(let claim): add(claim, "filed", nil, now)
        case .found(let claim, let age): add(claim, "found", age, now)
        case .granted(let claim, let isUnreported):
            isNews(of: claim)
            lines.line(now, "granted") { lines in
                lines.number("claim", claim)
                lines.flag("unreported", isUnreported)
            }
        case .ended(let claim, let outcomes):
            isNews(of: claim)
            lines.line(now, "ended") { lines in
                lines.number("claim", claim)
                lines.names("outcomes", outcomes) { $0.traceName }
            }
        case .endFound(let claim): add(claim, "ended", now)
        case .cancelled(let claim): add(claim, "cancelled", now)
        case .refused(let claim): add(claim, "refused", now)
        case .questionsRecalled(let claim): add(claim, "questionsRecalled", now)
        case .grantWithdrawn(let claim): add(claim, "grantWithdrawn", now)
        case .inCycle(let claim, let others):
            isNews(of: claim)
            lines.line(now, "inCycle") { lines in
                lines.number("claim", claim)
                lines.numbers("claims", others)
            }
        case .waits(let claim, let claims, let presenters, let count):
            lines.line(now, "waits") { lines in
                lines.number("claim", claim)
                lines.numbers("claims", claims)
                lines.numbers("presenters", presenters)
                lines.number("count", count)
            }
        case .claimMoved(let claim, let paths): add(claim, "claimMoved", paths, now)
        case .announced(let claim, let paths): add(claim, "announced", paths, now)
        case .asked, .answered, .presenterAdded, .presenterMoved, .presenterRemoved, .notified:
            addPresenter(entry.event, now)
        case .delegated, .recalled, .delegationEnded, .stopped, .died:
            addProcess(entry.event, now)
        }
        return false
    }

    private mutating func add(_ claim: UInt64, _ event: StaticString, _ now: Duration) {
        isNews(of: claim)
        lines.line(now, event) { $0.number("claim", claim) }
    }

    private mutating func add(
        _ claim: UInt64, _ event: StaticString, _ paths: [ItemPath], _ now: Duration
    ) {
        lines.line(now, event) { lines in
            lines.number("claim", claim)
            lines.paths("paths", paths)
        }
    }

    private mutating func add(
        _ claim: TracedClaim, _ event: StaticString, _ age: Duration?, _ now: Duration
    ) {
        isNews(of: claim.claim)
        lines.line(now, event) { lines in
            lines.number("claim", claim.claim)
            lines.number("process", clients[claim.client] ?? 0)
            if let age { lines.number("since", age.nanoseconds) }
            lines.items(claim.items)
            if !claim.label.isEmpty { lines.text("label", claim.label) }
            switch claim.kind {
            case .access: break
            case .preparation: lines.text("kind", "preparation")
            case .upkeep: lines.text("kind", "upkeep")
            }
            if !claim.outerClaims.isEmpty { lines.numbers("inside", claim.outerClaims) }
        }
    }

    private mutating func addPresenter(_ event: TraceEvent, _ now: Duration) {
        switch event {
        case .asked(let presenter, let claim, let message):
            lines.line(now, "asked") { lines in
                lines.number("presenter", presenter)
                lines.number("claim", claim)
                lines.text("message", message)
            }
        case .answered(let presenter, let claim, let isRefusal):
            lines.line(now, "answered") { lines in
                lines.number("presenter", presenter)
                lines.number("claim", claim)
                lines.flag("refuses", isRefusal)
            }
        case .presenterAdded(let presenter, let client, let path, let label):
            isNews(of: presenter)
            lines.line(now, "presenter") { lines in
                lines.number("presenter", presenter)
                lines.number("process", clients[client] ?? 0)
                if let path { lines.path("path", path.bytes) }
                if !label.isEmpty { lines.text("label", label) }
            }
        case .presenterMoved(let presenter, let path):
            lines.line(now, "presenterMoved") { lines in
                lines.number("presenter", presenter)
                if let path { lines.path("path", path.bytes) }
            }
        case .presenterRemoved(let presenter):
            isNews(of: presenter)
            lines.line(now, "presenterRemoved") { $0.number("presenter", presenter) }
        case .notified(let presenter, let notice, let claim, let isPlain):
            lines.line(now, "told") { lines in
                lines.number("presenter", presenter)
                lines.text("message", notice.methodName)
                if let claim { lines.number("claim", claim) }
                lines.flag("plain", isPlain)
            }
        case _: break
        }
    }

    private mutating func addProcess(_ event: TraceEvent, _ now: Duration) {
        switch event {
        case .delegated(let delegation, let mode, let path, let members):
            let members = members.compactMap { clients[$0] }
            lines.line(now, "delegated") { lines in
                lines.number("delegation", delegation)
                lines.text("mode", "\(mode)")
                lines.path("path", path.bytes)
                lines.numbers("processes", members.map { UInt64($0) })
            }
        case .recalled(let delegation):
            lines.line(now, "recalled") { $0.number("delegation", delegation) }
        case .delegationEnded(let delegation, let turns):
            lines.line(now, "delegationEnded") { lines in
                lines.number("delegation", delegation)
                if turns > 0 { lines.number("turns", turns) }
            }
        case .stopped(let client, let isStopped):
            let process = clients[client] ?? 0
            freshStops.insert(process)
            addStop(of: process, isStopped, now)
        case .died(let client):
            stopped.remove(clients[client] ?? 0)
            lines.line(now, "died") { $0.number("process", clients[client] ?? 0) }
            clients[client] = nil
        case _: break
        }
    }
}

extension ItemOutcome {
    /// The name in a trace.
    fileprivate var traceName: StaticString {
        switch self {
        case .unchanged: "unchanged"
        case .changed: "changed"
        case .created: "created"
        case .deleted: "deleted"
        }
    }
}

extension TracedNotice {
    /// The presenter's method, as `filecoord present` names it.
    fileprivate var methodName: String {
        switch self {
        case .itemDidChange: "presentedItemDidChange"
        case .subitemDidAppear: "presentedSubitemDidAppear(at:)"
        case .subitemDidChange: "presentedSubitemDidChange(at:)"
        case .subitemDidMove: "presentedSubitem(at:didMoveTo:)"
        case .itemVersion: "presentedItemDidGain, Lose or Resolve"
        case .subitemVersion: "presentedSubitem(at:didGain, Lose or Resolve)"
        case .ubiquityAttributes: "presentedItemDidChangeUbiquityAttributes"
        case .itemDidMove: "presentedItemDidMove(to:)"
        case .reacquireFromReader: "reacquire(fromReader)"
        case .reacquireFromWriter: "reacquire(fromWriter)"
        }
    }
}
