// SPDX-License-Identifier: Apache-2.0
//
// A row compares two contestants of one stage, or tells of one; a stage is what is measured in one
// go, interleaved.

/// What a row's median must be.
enum Bound: Codable, Sendable {
    case atMost(must: Double, aim: Double)
    case atLeast(must: Double, aim: Double)

    func holds(_ value: Double) -> Bool {
        switch self {
        case .atMost(let must, _): value <= must
        case .atLeast(let must, _): value >= must
        }
    }

    func isReached(_ value: Double) -> Bool {
        switch self {
        case .atMost(_, let aim): value <= aim
        case .atLeast(_, let aim): value >= aim
        }
    }
}

/// A row of the table.
struct Row: Sendable {
    /// What `--only` calls it.
    let name: String
    /// What was done.
    let title: String
    /// Who does it.
    let subject: String
    /// Whom it is compared with; nil if the subject's own figure is the row.
    let reference: String?
    /// What it must come to; nil for a row that only informs.
    let bound: Bound?

    init(
        _ name: String, _ title: String, _ subject: String, to reference: String? = nil,
        _ bound: Bound? = nil
    ) {
        self.name = name
        self.title = title
        self.subject = subject
        self.reference = reference
        self.bound = bound
    }

    /// The contestants without whom there is no row.
    var needs: [String] { [subject] + (reference.map { [$0] } ?? []) }
}

/// A way of locking that can be measured, or the reason why not.
struct Contestant {
    let name: String
    /// What a sample is in: "ns" is shown as a time, anything else as it is.
    let unit: String
    /// Takes one sample; nil if there can be none.
    let sample: (() throws -> Double)?
    let skipped: String?

    init(_ name: String, unit: String = "ns", sample: @escaping () throws -> Double) {
        self.name = name
        self.unit = unit
        self.sample = sample
        skipped = nil
    }

    init(_ name: String, skipped: String) {
        self.name = name
        unit = "ns"
        sample = nil
        self.skipped = skipped
    }
}

/// What is measured in one go.
struct Stage: Sendable {
    let name: String
    /// A sentence about the conditions.
    let conditions: String
    var isLong = false
    /// More would only take longer; nil for as many as were asked for.
    var mostRepeats: Int?
    let rows: [Row]
    /// Makes the contestants that are needed ready, warm ones warm.
    let prepare: @Sendable (Workbench, Set<String>) throws -> [Contestant]
}
