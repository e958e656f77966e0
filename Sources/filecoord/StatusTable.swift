// SPDX-License-Identifier: Apache-2.0
//
// Writes status reports as text for users: a table for each file.

import FileCoordinationArbiter
import FileCoordinationServer
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

    /// One row of a file's table.
    private struct Row {
        var what: String
        var access: String
        var who: String
        var since: String
        var remarks: [String]
    }

    /// The lines of text.
    var lines: [String] {
        guard let report else {
            return ["No server in \(runtimeDirectory): no program coordinates files just now."]
        }
        var lines = heading(report.arbiter)
        let files = files(of: report)
        if files.isEmpty { lines += ["", "No claims, no presenters."] }
        for (path, rows) in files { lines += ["", heading(path)] + table(rows) }
        guard !showsAllDelegations else { return lines }
        let shown = Set(files.map(\.path))
        let others = report.delegations.filter { !shown.contains($0.path) }
        return others.isEmpty ? lines : lines + [""] + DelegationSummary(others).lines
    }

    private func heading(_ arbiter: ArbiterStatus) -> [String] {
        [
            "server: \(arbiter.kind.name), \(ProcessNumber.text(arbiter.processID)), for "
                + PeopleText.seconds(arbiter.uptimeNanoseconds),
            "shared by the programs of this user that meet in \(runtimeDirectory)",
        ]
    }

    private func heading(_ path: [UInt8]?) -> String {
        guard let path else { return "(no file yet)" }
        return PeopleText.text(path) + (nameRemarks[path].map { " \($0)" } ?? "")
    }

    /// The rows by file: holders, then waiting claims in order, then presenters, then delegations.
    ///
    /// The files are in the order in which they first occur.
    private func files(of report: StatusReport) -> [(path: [UInt8]?, rows: [Row])] {
        var order: [[UInt8]?] = []
        var rows: [[UInt8]?: [Row]] = [:]
        if isSortedByWait {
            let waits = report.claims.filter { $0.stage != .granted }
                .sorted { $0.sinceNanoseconds > $1.sinceNanoseconds }
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
        return order.map { ($0, rows[$0] ?? []) }
    }

    private func row(_ claim: FileCoordinationWire.ClaimStatus, _ item: AccessItem) -> Row {
        let what =
            switch claim.stage {
            case .granted: "holds"
            case .asking: "asks"
            case .waiting: "waits"
            }
        let access = item.access.isWriting ? "writing" : "reading"
        var remarks = claim.waitsFor.prefix(Self.rowLimit).map { "for \(party($0))" }
        let more = claim.waitsForCount - remarks.count
        if more > 0 { remarks.append("and for \(more) more") }
        if claim.isStopped { remarks.append("stopped") }
        return Row(
            what: what, access: ([access] + item.access.optionNames).joined(separator: " "),
            who: PeopleText.who(claim.label, claim.processName, claim.processID),
            since: PeopleText.seconds(claim.sinceNanoseconds), remarks: remarks)
    }

    private func row(_ presenter: FileCoordinationWire.PresenterStatus) -> Row {
        var remarks: [String] = []
        if presenter.isUnresponsive { remarks.append("does not answer") }
        if presenter.isStopped { remarks.append("stopped") }
        if let remark = presenter.watching.remark { remarks.append(remark) }
        return Row(
            what: "presents", access: "",
            who: PeopleText.who(presenter.label, presenter.processName, presenter.processID),
            since: "", remarks: remarks)
    }

    private func row(_ delegation: DelegationStatus) -> Row {
        Row(
            what: "may use", access: delegation.kind.text,
            who: PeopleText.who(
                delegation.label, delegation.processName, delegation.processID),
            since: "", remarks: ["without asking"])
    }

    private func party(_ party: Party) -> String {
        let who = PeopleText.who(party.label, party.processName, party.processID)
        return party.message.map { "\(who) to answer \($0)" } ?? who
    }

    /// The lines of one file.
    ///
    /// If there are many rows of one kind, the first ones and a count are shown.
    private func table(_ rows: [Row]) -> [String] {
        var lines: [(row: Row?, text: String)] = []
        var index = 0
        while index < rows.count {
            let kind = rows[index].what
            let alike = rows[index...].prefix { $0.what == kind }
            lines += alike.prefix(Self.rowLimit).map { (row: Optional($0), text: "") }
            let more = alike.count - Self.rowLimit
            if more > 0 { lines.append((nil, "  \(padded(kind, 8))  and \(more) more")) }
            index += alike.count
        }
        let shown = lines.compactMap { $0.row }
        let access = shown.map(\.access.count).max() ?? 0
        let who = shown.map(\.who.count).max() ?? 0
        let since = shown.map(\.since.count).max() ?? 0
        return lines.map { row, text in
            guard let row else { return text }
            var line =
                "  \(padded(row.what, 8))  \(padded(row.access, access))  "
                + "\(padded(row.who, who))  \(padded(row.since, since))  "
                + row.remarks.joined(separator: ", ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
