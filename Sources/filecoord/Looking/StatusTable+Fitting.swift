// SPDX-License-Identifier: Apache-2.0
//
// Makes the tables of a report fit into a terminal. If there are too many rows, those of the
// longest waits are shown, and the last line says how many rows are left out.

extension StatusTable {
    /// The lines that fit into a terminal.
    func lines(fitting size: TerminalSize) -> [StyledText] {
        let whole = lines
        let shown = whole.count <= size.rows ? whole : shortened(to: size.rows)
        return shown.map { $0.cut(to: size.columns) }
    }

    /// The least height of a terminal in which the lines about the server are shown.
    private static let headingLimit = 8

    /// Returns at most `limit` lines: rows, the headings of their files, and a line with the number
    /// of other rows.
    private func shortened(to limit: Int) -> [StyledText] {
        let top = limit < Self.headingLimit ? [] : heading
        let all = sections
        var kept = all.map { _ in Set<Int>() }
        var room = limit - top.count - 1
        for place in Self.byImportance(all) {
            // The first row of a file needs the line of the file, too.
            let cost = kept[place.section].isEmpty ? 2 : 1
            guard cost <= room else { break }
            room -= cost
            kept[place.section].insert(place.row)
        }
        var result = top
        for (section, rows) in zip(all, kept) where !rows.isEmpty {
            let shown = section.rows.indices.filter { rows.contains($0) }.map { section.rows[$0] }
            result += [section.heading] + Self.aligned(shown)
        }
        let count = zip(all, kept).reduce(0) { $0 + $1.0.rows.count - $1.1.count }
        guard count > 0 else { return result }
        return result + [StyledText("and \(count) more \(count == 1 ? "row" : "rows")")]
    }

    /// The place of a row.
    private struct Place {
        var section: Int
        var row: Int
    }

    /// All rows: first the waits, the longest one first, then the others in their order.
    private static func byImportance(_ sections: [Section]) -> [Place] {
        let places = sections.indices.flatMap { section in
            sections[section].rows.indices.map { Place(section: section, row: $0) }
        }
        let waits = places.enumerated().compactMap { index, place in
            sections[place.section].rows[place.row].waited.map { (index, $0, place) }
        }
        let others = places.filter { sections[$0.section].rows[$0.row].waited == nil }
        // Waits of the same age keep their order.
        return waits.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.2) + others
    }
}
