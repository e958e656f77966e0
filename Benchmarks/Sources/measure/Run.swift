// SPDX-License-Identifier: Apache-2.0
//
// Goes through the stages. In each repeat every contestant has its turn, beginning with another
// one each time, so that no contestant always comes after the same neighbour.

/// One run.
struct Run {
    private let bench: Workbench
    private let options: Options

    init(_ bench: Workbench, _ options: Options) {
        self.bench = bench
        self.options = options
    }

    /// Measures what was asked for.
    func report() -> Report {
        var report = Report(repeats: options.repeats)
        for stage in Catalogue.stages {
            let rows = stage.rows.filter { options.wants($0, of: stage) }
            guard !rows.isEmpty else { continue }
            do {
                report.add(stage, rows, try results(of: stage, rows))
            } catch {
                Interruption.standBack()
                report.failures.append("\(stage.name): \(error)")
                Terminal.complain("\(stage.name): \(error)")
            }
            bench.clear()
        }
        return report
    }

    private func results(of stage: Stage, _ rows: [Row]) throws -> Results {
        let repeats = min(options.repeats, stage.mostRepeats ?? options.repeats)
        Terminal.progress("\(stage.name): \(rows.count) rows, \(repeats) repeats")
        bench.extras = []
        let contestants = try stage.prepare(bench, Set(rows.flatMap(\.needs)))
        var results = Results()
        for contestant in contestants {
            if let reason = contestant.skipped { results.skipped[contestant.name] = reason }
        }
        let ready = contestants.filter { $0.sample != nil }
        bench.extras = []
        for turn in 0..<repeats {
            for place in ready.indices {
                let contestant = ready[(place + turn) % ready.count]
                guard let sample = contestant.sample else { continue }
                do {
                    results.add(try sample(), to: contestant.name, unit: contestant.unit)
                } catch {
                    throw MeasuringError("\(contestant.name): \(error)")
                }
            }
        }
        for extra in bench.extras { results.add(extra.value, to: extra.name, unit: extra.unit) }
        return results
    }
}

/// Something went wrong while measuring.
struct MeasuringError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
