// SPDX-License-Identifier: Apache-2.0
//
// Everything that can be measured, in the order of the table.

/// All stages and rows.
enum Catalogue {
    static let stages: [Stage] = [
        AccessStage.stage, SharedStage.stage, TurnsStage.stage, CrossStage.stage,
        RecordStage.stage, TakingStage.stage, HandoffStage.same, HandoffStage.cross,
        WritersStage.stage, FairnessStage.stage, FilesStage.stage, RelinquishStage.stage,
        ScaleStage.stage, RegisteringStage.stage, MemoryStage.stage, CommandStage.stage,
        StartStage.stage, ProfileStage.stage, PlainStage.stage,
    ]

    static var rows: [Row] { stages.flatMap(\.rows) }

    /// What `--list` prints.
    static var list: String {
        stages.map { stage in
            let head = stage.name + (stage.isLong ? " (long)" : "") + ": " + stage.conditions
            return
                ([head]
                + stage.rows.map { row in
                    "  \(row.name)\n      \(row.title)" + (row.reference.map { " / \($0)" } ?? "")
                })
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
