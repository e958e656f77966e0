// SPDX-License-Identifier: Apache-2.0
//
// Programs that do not coordinate: how soon a presenter in another process is told of a plain
// write, beside a process that waits in bare inotify; and what it costs delegated accesses that a
// presenter elsewhere is watched for.

import CPeers
import FileCoordination

/// The group "plain".
enum PlainStage {
    private static let told = "plain write until another process's presenter is told"
    private static let bare = "plain write until another process's bare inotify tells"
    private static let watched = "coordinated write, delegated, a presenter elsewhere"
    private static let unwatched = "coordinated write, delegated, no presenter anywhere"
    private static let quantiles = [("p50", 0.5), ("p99", 0.99)]

    /// The writes of one sample: each waits until the pause between two messages is over.
    private static let writes = 100

    static let stage = Stage(
        name: "plain",
        conditions: "\(writes) plain writes of one byte, one each 60 ms; every process on one CPU",
        mostRepeats: 9,
        rows: quantiles.map { name, _ in
            Row(
                "plain-told-\(name)", "plain write until a presenter is told, \(name)",
                "\(told), \(name)", to: "\(bare), \(name)")
        } + [
            Row(
                "delegated-watched", "delegated write with a presenter elsewhere", watched,
                to: unwatched, .atMost(must: 1.1, aim: 1.0))
        ],
        prepare: prepare)

    private static func prepare(_ bench: Workbench, _ needs: Set<String>) throws -> [Contestant] {
        var contestants: [Contestant] = []
        for (name, listener) in [(told, "present-timing"), (bare, "inotify-timing")] {
            let wanted = quantiles.filter { needs.contains("\(name), \($0.0)") }
            guard !wanted.isEmpty else { continue }
            let file = try bench.file()
            let words = try bench.directory("timing") + "/words"
            let isOurs = name == told
            _ = try (isOurs ? bench.worker(in: try bench.world()) : bench.peer())
                .ask(listener, file, words)
            let writer = try bench.peer()
            let latencies = Latencies { count in
                try writer.ask("plain-write", file, words, "\(count)")
            }
            // The first is cold.
            try latencies.warm()
            contestants += wanted.map { quantile, share in
                Contestant("\(name), \(quantile)") { try latencies.quantile(share) }
            }
        }
        for name in [watched, unwatched] where needs.contains(name) {
            let world = try bench.world()
            if name == watched {
                _ = try bench.worker(in: world).ask("present-listening", try bench.file())
            }
            contestants.append(
                try .task(name, try bench.worker(in: world), "write", try bench.file()))
        }
        return contestants
    }

    /// The times of a sample, from which each quantile is taken once.
    private final class Latencies {
        private let measure: (_ count: Int) throws -> [Double]
        private var sorted: [Double] = []
        private var taken: Set<Double> = []

        init(_ measure: @escaping (_ count: Int) throws -> [Double]) { self.measure = measure }

        func warm() throws { _ = try measure(3) }

        /// The time that this share of a sample is below; the sample is new if it was asked before.
        func quantile(_ share: Double) throws -> Double {
            if sorted.isEmpty || taken.contains(share) {
                sorted = try measure(PlainStage.writes).sorted()
                taken = []
            }
            taken.insert(share)
            return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }
    }
}
