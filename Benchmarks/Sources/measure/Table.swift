// SPDX-License-Identifier: Apache-2.0
//
// The table, as text that is also Markdown: first the rows with their verdicts, then what all
// contestants took, then what went wrong.

import FileCoordination

/// A report as text.
enum Table {
    static func text(_ report: Report) -> String {
        var parts = [rows(report), figures(report)]
        let reasons = report.rows.compactMap { row in
            row.skipped.map { "\(row.name): \($0)" }
        }
        if !reasons.isEmpty { parts.append("Without figures:\n" + lines(of: reasons)) }
        parts += report.hints + hints(report)
        parts.append(
            """
            Ratios and figures: minimum, median and maximum of \(report.repeats) interleaved \
            repeats\(report.repeats < 9 ? " (fewer than nine: for a look only)" : ""); the \
            verdict is about the median. Load of the machine: \(load).
            """)
        if !report.failures.isEmpty {
            parts.append("FAILED:\n" + lines(of: report.failures))
        }
        return parts.joined(separator: "\n\n")
    }

    private static func lines(of texts: [String]) -> String {
        texts.map { "* " + $0 }.joined(separator: "\n")
    }

    /// What the figures say about the conditions under which they were taken.
    private static func hints(_ report: Report) -> [String] {
        let row = report.rows.first { $0.name == "delegated-arbiter" }
        guard let ratio = row?.spread?.median, ratio > 0.5 else { return [] }
        return [
            "Accesses are not delegated, as it seems: they cost \(number(ratio)) times what "
                + "they cost through the server."
        ]
    }

    private static func rows(_ report: Report) -> String {
        let head = [
            "group", "case", "compared with", "min", "median", "max", "must", "aim", "holds",
        ]
        return lines(
            head,
            report.rows.map { row in
                var cells = [row.group, row.title, row.reference ?? row.unit]
                cells += [row.spread?.minimum, row.spread?.median, row.spread?.maximum].map {
                    $0.map(number) ?? ""
                }
                return cells + limits(row.bound) + [row.verdict]
            }, textColumns: [0, 1, 2, 8])
    }

    private static func limits(_ bound: Bound?) -> [String] {
        switch bound {
        case .atMost(let must, let aim)?: ["≤ " + number(must), "≤ " + number(aim)]
        case .atLeast(let must, let aim)?: ["≥ " + number(must), "≥ " + number(aim)]
        case nil: ["", ""]
        }
    }

    private static func figures(_ report: Report) -> String {
        lines(
            ["group", "what", "min", "median", "max", "unit"],
            report.measured.compactMap { measured in
                guard let spread = Spread(measured.samples) else { return nil }
                return [measured.group, measured.name]
                    + [spread.minimum, spread.median, spread.maximum].map(number)
                    + [measured.unit]
            }, textColumns: [0, 1, 5])
    }

    private static func lines(
        _ head: [String], _ body: [[String]], textColumns: Set<Int>
    ) -> String {
        let widths = head.indices.map { column in
            ([head] + body).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return textColumns.contains(column) ? cell + space : space + cell
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            String(repeating: "-", count: width + 1) + (textColumns.contains(column) ? "-" : ":")
        }
        return ([line(head), "|" + rule.joined(separator: "|") + "|"] + body.map(line))
            .joined(separator: "\n")
    }

    /// Three digits that count, or all before the point.
    static func number(_ value: Double) -> String {
        let size = abs(value)
        let places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4
        return String(format: "%.\(places)f", value)
    }

    private static var load: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return (text ?? "unknown").split(separator: " ").prefix(3).joined(separator: " ")
    }
}
