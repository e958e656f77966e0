// SPDX-License-Identifier: Apache-2.0
//
// How long accesses took beyond what is explained: by the caller's own stops, and by the times in
// which an accessor had the file, stopped or not. A client that is stopped when its claim comes
// first also has the file: it was granted, and does not know that yet.

import FileCoordination

/// The delays of one run with stops.
struct StopDelays {
    /// Which processes were stopped meanwhile.
    enum Kind: String, CaseIterable {
        case none = "no relevant process stopped"
        case presenter = "a presenter of the file stopped"
        case server = "the server stopped"
        case both = "a presenter and the server stopped"
    }

    /// How long one stop may delay processes that are not stopped themselves, in seconds.
    struct Bounds {
        var usual: Double
        /// For each stop of a presenter of the file, and for each of a server.
        var presenter: Double
        var server: Double
    }

    private(set) var samples: [Kind: Sample] = [:]
    /// Accesses that took longer than the stops meanwhile allow, in words.
    private(set) var faults: [String] = []

    /// - Parameters:
    ///   - history: what the programs did.
    ///   - serverStops: when the serving process was stopped.
    ///   - bounds: what one stop may cost.
    ///   - waitersCount: whether the queue behind a stopped waiter has to go on.
    init(_ history: History, _ serverStops: [Span], _ bounds: Bounds, waitersCount: Bool) {
        let byItem = Dictionary(grouping: history.attempts, by: \.item)
        let presenterSteps = Dictionary(grouping: history.presenterSteps, by: \.item)
        // Clients may also wait for the recovery after a stop.
        let servers = serverStops.map { Span(from: $0.from, to: $0.to + 500_000_000) }
        for item in byItem.keys.sorted() {
            let attempts = (byItem[item] ?? []).sorted { $0.called < $1.called }
            let occupied = Self.occupied(attempts, history, waitersCount: waitersCount)
            let presenting = (presenterSteps[item] ?? []).flatMap { history.lives[$0.life].stops }
            for attempt in attempts {
                guard let entered = attempt.entered else { continue }
                let wait = Span(from: attempt.called, to: entered)
                let own = history.lives[attempt.life].stops
                let explained = own + occupied.filter { $0.overlaps(wait) }
                let delay = Self.uncovered(wait, by: explained)
                let presenters = presenting.count { $0.overlaps(wait) }
                let servers = servers.count { $0.overlaps(wait) }
                let kind: Kind =
                    presenters > 0
                    ? (servers > 0 ? .both : .presenter) : (servers > 0 ? .server : .none)
                samples[kind, default: Sample()].add(delay)
                let allowed =
                    bounds.usual + Double(presenters) * bounds.presenter
                    + Double(servers) * bounds.server
                guard Double(delay) > allowed * 1e9 else { continue }
                faults.append(
                    "held up by \(delay / 1_000_000) ms, while \(presenters) presenters and "
                        + "\(servers) servers were stopped, at \(history.name(attempt))")
            }
        }
    }

    /// When a process had a file.
    private static func occupied(
        _ attempts: [Attempt], _ history: History, waitersCount: Bool
    ) -> [Span] {
        let held = attempts.compactMap { attempt in
            attempt.entered.map { Span(from: $0, to: history.end(of: attempt)) }
        }
        var occupied = held
        for attempt in attempts {
            let waited = Span(from: attempt.called, to: attempt.entered ?? .max)
            for stop in history.lives[attempt.life].stops where stop.overlaps(waited) {
                // The file was free about when the process stopped: the file was granted to it.
                let moment: UInt64 = 5_000_000
                let about = Span(from: stop.from - moment, to: stop.from + moment)
                let isItsTurn = uncovered(about, by: held.filter { $0.overlaps(about) }) > 0
                guard isItsTurn || !waitersCount else { continue }
                // It has the file until it has continued and its accessor has begun.
                occupied.append(
                    Span(from: max(stop.from - moment, waited.from), to: min(waited.to, .max)))
            }
        }
        return occupied
    }

    /// How much of a stretch none of the others cover.
    private static func uncovered(_ span: Span, by others: [Span]) -> UInt64 {
        var rest: UInt64 = 0
        var reached = span.from
        for other in others.sorted(by: { $0.from < $1.from }) where other.to > reached {
            if other.from >= span.to { break }
            if other.from > reached { rest += other.from - reached }
            reached = max(reached, other.to)
        }
        return reached < span.to ? rest + (span.to - reached) : rest
    }
}
