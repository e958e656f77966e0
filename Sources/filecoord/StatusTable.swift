// SPDX-License-Identifier: Apache-2.0
//
// Status for people: a table for each file.

import FileCoordinationArbiter
import FileCoordinationWire

/// Status as a table.
struct StatusTable {
    private let report: StatusReport?
    private let runtimeDirectory: String

    /// The table of a report; nil is the report of nobody.
    init(_ report: StatusReport?, runtimeDirectory: String) {
        self.report = report
        self.runtimeDirectory = runtimeDirectory
    }

    /// One line of a file's table.
    private struct Row {
        var what: String
        var access: String
        var who: String
        var since: String
        var remarks: [String]
    }

    /// The lines.
    var lines: [String] {
        guard let report else {
            return ["No arbiter in \(runtimeDirectory): nobody coordinates files just now."]
        }
        var lines = heading(report.arbiter)
        let files = files(of: report)
        if files.isEmpty { lines += ["", "No claims, no presenters."] }
        for (path, rows) in files { lines += ["", path] + table(rows) }
        return lines
    }

    private func heading(_ arbiter: ArbiterStatus) -> [String] {
        [
            "arbiter: \(arbiter.kind.name), \(ProcessNumber.text(arbiter.processID)), for "
                + PeopleText.seconds(arbiter.uptimeNanoseconds),
            "shared by the programs of this user that meet in \(runtimeDirectory)",
        ]
    }

    /// Rows by file: holders, then waiters in order, then presenters; files in the order in which
    /// they first occur.
    private func files(of report: StatusReport) -> [(path: String, rows: [Row])] {
        var order: [String] = []
        var rows: [String: [Row]] = [:]
        func add(_ row: Row, to path: String) {
            if rows[path] == nil { order.append(path) }
            rows[path, default: []].append(row)
        }
        let claims =
            report.claims.filter { $0.stage == .granted }
            + report.claims.filter { $0.stage != .granted }
        for claim in claims {
            for item in claim.items {
                add(row(claim, item), to: PeopleText.text(item.path.bytes))
            }
        }
        for presenter in report.presenters {
            add(row(presenter), to: presenter.path.map { PeopleText.text($0) } ?? "(no file yet)")
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
        var remarks = claim.waitsFor.map { "for \(party($0))" }
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
        return Row(
            what: "presents", access: "",
            who: PeopleText.who(presenter.label, presenter.processName, presenter.processID),
            since: "", remarks: remarks)
    }

    private func party(_ party: Party) -> String {
        let who = PeopleText.who(party.label, party.processName, party.processID)
        return party.message.map { "\(who) to answer \($0)" } ?? who
    }

    private func table(_ rows: [Row]) -> [String] {
        let access = rows.map(\.access.count).max() ?? 0
        let who = rows.map(\.who.count).max() ?? 0
        let since = rows.map(\.since.count).max() ?? 0
        return rows.map { row in
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
