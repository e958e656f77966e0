// SPDX-License-Identifier: Apache-2.0
//
// No two conflicting claims run at the same time (Rules 2.1 to 2.14). If times are known only as
// intervals, only the time counts during which both claims certainly ran.

extension Lives {
    var exclusionViolations: [Violation] {
        let runs = runs
        var result: [Violation] = []
        for (number, run) in runs.enumerated() {
            for other in runs[..<number] {
                if let violation = overlap(run, other) { result.append(violation) }
            }
        }
        return result
    }

    private struct Run {
        let claim: ClaimLife
        let from: Int
        let to: Int?
    }

    private var runs: [Run] {
        claims.flatMap { life in
            life.tenures.compactMap { tenure in
                tenure.granted.map { Run(claim: life, from: $0, to: tenure.end) }
            }
        }.sorted { $0.from < $1.from }
    }

    private func overlap(_ run: Run, _ other: Run) -> Violation? {
        let (one, two) = (run.claim.claim, other.claim.claim)
        guard one.key != two.key, one.purpose != two.purpose, !one.isBatch, !two.isBatch,
            isBefore(run.from, other.to), isBefore(other.from, run.to)
        else { return nil }
        // Items count where they were when the later claim began: a claim may move its items to a
        // place where another runs.
        let begun = max(run.from, other.from)
        guard conflicts(run.claim.items(at: begun), other.claim.items(at: begun)) else {
            return nil
        }
        return Violation(
            .exclusion, at: begun,
            "claims \(one.key) and \(two.key) run at the same time and exclude each other")
    }
}
