// SPDX-License-Identifier: Apache-2.0
//
// The report of a run: every sample of every contestant, and for each row the ratios inside the
// repeats, with the verdict.

import FileCoordination

/// The smallest, the middle and the largest of some values.
struct Spread: Codable {
    let minimum: Double
    let median: Double
    let maximum: Double

    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        minimum = first
        median =
            sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2
            : sorted[middle]
        maximum = last
    }
}

/// What one row came to.
struct Outcome: Codable {
    let group: String
    let name: String
    let title: String
    let subject: String
    let reference: String?
    /// Of the ratio, or of the figure itself.
    let values: [Double]
    let unit: String
    let spread: Spread?
    let bound: Bound?
    /// Why there are no values.
    let skipped: String?

    var holds: Bool? {
        guard let bound, let spread else { return nil }
        return bound.holds(spread.median)
    }

    /// The verdict as the table has it.
    var verdict: String {
        if skipped != nil { return "skipped" }
        guard let bound, let spread else { return "" }
        return bound.isReached(spread.median) ? "aim" : bound.holds(spread.median) ? "yes" : "NO"
    }
}

/// One contestant's samples.
struct Measured: Codable {
    let group: String
    let name: String
    let unit: String
    let samples: [Double]
}

/// All of it.
struct Report: Codable {
    let repeats: Int
    var conditions: [String] = []
    var rows: [Outcome] = []
    var measured: [Measured] = []
    /// What is to be known about the conditions.
    var hints: [String] = []
    /// Stages that went wrong.
    var failures: [String] = []

    init(repeats: Int) { self.repeats = repeats }

    var isWhole: Bool { failures.isEmpty }
    var holds: Bool { !rows.contains { $0.holds == false } }

    /// Adds what a stage came to.
    mutating func add(_ stage: Stage, _ rows: [Row], _ results: Results) {
        conditions.append("\(stage.name): \(stage.conditions)")
        for row in rows { self.rows.append(results.outcome(of: row, in: stage)) }
        for name in results.names {
            guard let samples = results.samples[name], !samples.isEmpty else { continue }
            measured.append(
                Measured(
                    group: stage.name, name: name, unit: results.units[name] ?? "ns",
                    samples: samples))
        }
    }

    /// Writes the files that were asked for.
    func write(_ options: Options) throws {
        if let path = options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(self).write(to: URL(fileURLWithPath: path))
        }
        if let path = options.picture {
            guard let picture = Picture(self) else {
                throw UsageError("--picture shows the group \"access\", which was not measured")
            }
            try Data(picture.svg.utf8).write(to: URL(fileURLWithPath: path))
        }
    }
}

/// The samples of one stage.
struct Results {
    private(set) var names: [String] = []
    private(set) var samples: [String: [Double]] = [:]
    private(set) var units: [String: String] = [:]
    var skipped: [String: String] = [:]

    mutating func add(_ value: Double, to name: String, unit: String) {
        if samples[name] == nil { names.append(name) }
        samples[name, default: []].append(value)
        units[name] = unit
    }

    func outcome(of row: Row, in stage: Stage) -> Outcome {
        let reason = row.needs.lazy.compactMap { skipped[$0] }.first
        var values = samples[row.subject] ?? []
        var unit = units[row.subject] ?? "ns"
        if let reference = row.reference {
            values = zip(values, samples[reference] ?? []).map { $0 / $1 }
            unit = "ratio"
        }
        return Outcome(
            group: stage.name, name: row.name, title: row.title, subject: row.subject,
            reference: row.reference, values: values, unit: unit, spread: Spread(values),
            bound: row.bound, skipped: reason ?? (values.isEmpty ? "not measured" : nil))
    }
}
