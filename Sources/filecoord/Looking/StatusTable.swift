// SPDX-License-Identifier: Apache-2.0
//
// Writes status reports as text for users: a table for each file. `StatusTable+Fitting.swift` makes
// it fit into a terminal.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationTracing
import FileCoordinationWire

/// Writes a status report as tables.
struct StatusTable {
    private let report: StatusReport?
    private let runtimeDirectory: String
    private let nameRemarks: NameRemarks
    /// Whether the file with the longest wait comes first.
    private let isSortedByWait: Bool
    /// Whether each delegation has a row; otherwise those of files that have other rows.
    private let showsAllDelegations: Bool

    /// The greatest number of rows of one kind per file, and of parties that are listed for a
    /// waiting claim.
    static let rowLimit = 8

    /// The tables of a report; nil means that there is no arbiter.
    init(
        _ report: StatusReport?, runtimeDirectory: String, nameRemarks: NameRemarks,
        isSortedByWait: Bool = false, showsAllDelegations: Bool = false
    ) {
        self.showsAllDelegations = showsAllDelegations
        self.isSortedByWait = isSortedByWait
        self.report = report
        self.runtimeDirectory = runtimeDirectory
        self.nameRemarks = nameRemarks
    }

    /// A file, and what processes do with it.
    struct Section {
        var heading: StyledText
        var rows: [Row]
    }

    /// One row of a file's table.
    struct Row {
        var what: String
        var access: String
        var who: String
        var since: String
        var remarks: [StyledText.Part]
        /// How long its claim has waited; nil if it does not wait.
        var waited: Duration?
    }

    /// The lines of text.
    var lines: [StyledText] {
        sections.reduce(heading) { $0 + [StyledText(""), $1.heading] + table($1.rows) }
            + otherDelegations
    }

    /// Whether no process does anything with a file.
    var isEmpty: Bool {
        guard let report else { return true }
        return report.claims.allSatisfy(\.items.isEmpty) && report.presenters.isEmpty
            && !(showsAllDelegations && !report.delegations.isEmpty)
    }

    /// The lines about delegations of files that have no other rows.
    private var otherDelegations: [StyledText] {
        guard let report, !showsAllDelegations else { return [] }
        let shown = Set(report.claims.flatMap { $0.items.map(\.path.bytes) })
            .union(report.presenters.map(\.path))
        let others = report.delegations.filter { !shown.contains($0.path) }
        guard !others.isEmpty else { return [] }
        return ([""] + DelegationSummary(others).lines).map { StyledText($0) }
    }

    /// The lines about the server.
    var heading: [StyledText] {
        guard let arbiter = report?.arbiter else {
            return [
                StyledText(
                    "No server in \(runtimeDirectory): no program coordinates files just now.")
            ]
        }
        let lines = [
            "server: \(arbiter.kind), \(ProcessNumber.text(arbiter.processID)), for "
                + DurationText.text(arbiter.uptime),
            "shared by the programs of this user that meet in \(runtimeDirectory)",
        ]
        return (lines + (isEmpty ? ["", "No claims, no presenters."] : [])).map { StyledText($0) }
    }

    private func fileHeading(_ path: [UInt8]?) -> StyledText {
        guard let path else { return StyledText("(no file yet)") }
        let remark = nameRemarks[path].map { " \($0)" } ?? ""
        return StyledText(UserText.text(path) + remark, keepsEnd: true)
    }

    /// The rows by file: holders, then waiting claims in order, then presenters, then delegations.
    ///
    /// The files are in the order in which they first occur.
    var sections: [Section] {
        guard let report else { return [] }
        var order: [[UInt8]?] = []
        var rows: [[UInt8]?: [Row]] = [:]
        if isSortedByWait {
            let waits = report.claims.filter { $0.stage != .granted }
                .sorted { $0.since > $1.since }
            for path in waits.flatMap(\.items).map(\.path.bytes) where rows[path] == nil {
                order.append(path)
                rows[path] = []
            }
        }
        func add(_ row: Row, to path: [UInt8]?) {
            if rows[path] == nil { order.append(path) }
            rows[path, default: []].append(row)
        }
        let claims =
            report.claims.filter { $0.stage == .granted }
            + report.claims.filter { $0.stage != .granted }
        for claim in claims {
            for item in claim.items { add(row(claim, item), to: item.path.bytes) }
        }
        for presenter in report.presenters { add(row(presenter), to: presenter.path) }
        for delegation in report.delegations
        where showsAllDelegations || rows[delegation.path] != nil {
            add(row(delegation), to: delegation.path)
        }
        return order.map { Section(heading: fileHeading($0), rows: rows[$0] ?? []) }
    }

    private func row(_ claim: FileCoordinationWire.ClaimStatus, _ item: AccessItem) -> Row {
        let what =
            switch claim.stage {
            case .granted: "holds"
            case .asking: "asks"
            case .waiting: "waits"
            }
        let access = item.access.isWriting ? "writing" : "reading"
        var remarks = claim.waitsFor.prefix(Self.rowLimit).map { part("for \(party($0))") }
        let more = claim.waitsForCount - remarks.count
        if more > 0 { remarks.append(part("and for \(more) more")) }
        if claim.isStopped { remarks.append(part("stopped", .stopped)) }
        return Row(
            what: what, access: ([access] + item.access.optionNames).joined(separator: " "),
            who: UserText.who(claim.label, claim.processName, claim.processID),
            since: DurationText.text(claim.since), remarks: remarks,
            waited: claim.stage == .granted ? nil : claim.since)
    }

    private func row(_ presenter: FileCoordinationWire.PresenterStatus) -> Row {
        var remarks: [StyledText.Part] = []
        if presenter.isUnresponsive { remarks.append(part("does not answer", .unresponsive)) }
        if presenter.isStopped { remarks.append(part("stopped", .stopped)) }
        if let remark = presenter.watching.remark { remarks.append(part(remark, .degraded)) }
        return Row(
            what: "presents", access: "",
            who: UserText.who(presenter.label, presenter.processName, presenter.processID),
            since: "", remarks: remarks, waited: nil)
    }

    private func part(_ text: String, _ tone: Tone = .plain) -> StyledText.Part {
        StyledText.Part(text: text, tone: tone)
    }

    private func row(_ delegation: DelegationStatus) -> Row {
        Row(
            what: "may use", access: delegation.kind.text,
            who: UserText.who(
                delegation.label, delegation.processName, delegation.processID),
            since: "", remarks: [part("without asking")], waited: nil)
    }

    private func party(_ party: Party) -> String {
        let who = UserText.who(party.label, party.processName, party.processID)
        return party.message.map { "\(who) to answer \($0)" } ?? who
    }

    /// The lines of one file.
    ///
    /// If there are many rows of one kind, the first ones and a count are shown.
    private func table(_ rows: [Row]) -> [StyledText] {
        var shown: [Row] = []
        // For each kind: the number of shown rows before the count, and the number left out.
        var more: [(position: Int, what: String, count: Int)] = []
        var index = 0
        while index < rows.count {
            let kind = rows[index].what
            let alike = rows[index...].prefix { $0.what == kind }
            shown += alike.prefix(Self.rowLimit)
            if alike.count > Self.rowLimit {
                more.append((shown.count, kind, alike.count - Self.rowLimit))
            }
            index += alike.count
        }
        var lines = Self.aligned(shown)
        for (position, what, count) in more.reversed() {
            let text = "  \(Self.padded(what, 8))  and \(count) more"
            lines.insert(StyledText(text), at: position)
        }
        return lines
    }

    /// Rows whose columns are below each other.
    static func aligned(_ rows: [Row]) -> [StyledText] {
        func width(_ column: KeyPath<Row, String>) -> Int {
            rows.map { TextWidth.of($0[keyPath: column]) }.max() ?? 0
        }
        let (access, who, since) = (width(\.access), width(\.who), width(\.since))
        return rows.map { row in
            var line = StyledText("  ")
            line.append(padded(row.what, 8), row.waited == nil ? .plain : .waiting)
            line.append(
                "  \(padded(row.access, access))  \(padded(row.who, who))  "
                    + "\(padded(row.since, since))  ")
            for (index, remark) in row.remarks.enumerated() {
                if index > 0 { line.append(", ") }
                line.append(remark.text, remark.tone)
            }
            line.trim()
            return line
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - TextWidth.of(text)))
    }
}
