// SPDX-License-Identifier: Apache-2.0
//
// The conditions that must hold for every history: no overlap, no call with an error, no call that
// waits forever, the order of filing, and presenters that have relinquished.

import FileCoordination

extension History {
    /// Checks everything.
    ///
    /// - Parameters:
    ///   - patience: how long a call may wait at all, in seconds.
    ///   - idle: for how long a file may be free while a call waits for it, in seconds.
    ///   - slack: how much earlier than a call that overtook it the arbiter may have had a claim,
    ///     in seconds.
    ///   - serverStops: when the serving process was stopped: what is filed then is in no queue
    ///     yet, and a client that has the place delegated goes on until the next server takes it
    ///     back.
    ///   - emptyings: when the runtime directory was emptied: the ledgers of those who lived then
    ///     have no name, so who of them comes to a later server too late loses its place in the
    ///     queue, and its presenters are not asked until then (Rule 18.14).
    ///   - demandsLines: whether a run in which no call met a waiting one proves nothing.
    ///   - verdict: gets what is wrong.
    func check(
        patience: Double, idle: Double? = nil, slack: Double, serverStops: [Span] = [],
        emptyings: [UInt64] = [], demandsLines: Bool = true, into verdict: inout Verdict
    ) {
        for (life, line) in taken {
            verdict.blame("\(lives[life].name) found \(line.item) locked by process \(line.access)")
        }
        for error in errors { verdict.blame("error: \(error)") }
        let nameless = Nameless(emptyings, in: self)
        checkExclusion(nameless, &verdict)
        checkWaits(patience, &verdict)
        if let idle { checkIdleFiles(UInt64(idle * 1e9), &verdict) }
        let (judged, late) = checkOrder(UInt64(slack * 1e9), serverStops, nameless, &verdict)
        say("order: \(judged) calls were granted after one that had come earlier and waited")
        // In a short run, calls may never have met.
        verdict.demand(
            judged > 0 || attempts.count < 2000 || !demandsLines,
            "no call met another that waited: order was not tried")
        let (asked, unasked) = checkRequiredSteps(nameless, &verdict)
        guard !emptyings.isEmpty else { return }
        say(
            "emptyings: of processes whose ledgers had lost their names, \(late) calls were "
                + "overtaken and \(unasked) presenters were not asked (\(asked) were)")
        // Such a process comes too late now and then, and not as a rule.
        verdict.demand(late * 100 <= judged, "\(late) calls were overtaken after emptyings")
        verdict.demand(unasked * 1000 <= asked, "\(unasked) presenters were not asked")
    }

    /// Rules 18.7 and 18.8: a call that waits gets the file soon after it is free, no matter which
    /// process died.
    private func checkIdleFiles(_ bound: UInt64, _ verdict: inout Verdict) {
        for (_, calls) in Dictionary(grouping: attempts, by: \.item).sorted(by: { $0.key < $1.key })
        {
            let held = calls.compactMap { call in
                call.entered.map { entered in
                    let life = lives[call.life]
                    return Span(from: entered, to: call.left ?? life.reaped ?? life.gone ?? .max)
                }
            }.sorted { $0.from < $1.from }
            for call in calls {
                let until = call.entered ?? lives[call.life].gone ?? end
                let idle = Self.longestGap(in: Span(from: call.called, to: until), between: held)
                if idle > bound {
                    verdict.blame(
                        "\(name(call)) waited while the file was free for "
                            + "\(idle / 1_000_000) ms")
                }
            }
        }
    }

    /// The longest stretch of a span that none of the others covers; they are sorted.
    private static func longestGap(in span: Span, between held: [Span]) -> UInt64 {
        var (reached, longest) = (span.from, UInt64(0))
        for other in held {
            if other.from >= span.to { break }
            if other.from > reached { longest = max(longest, other.from - reached) }
            reached = max(reached, other.to)
        }
        return reached < span.to ? max(longest, span.to - reached) : longest
    }

    /// Rules 2.1 to 2.3: a write overlaps with nothing.
    private func checkExclusion(_ nameless: Nameless, _ verdict: inout Verdict) {
        for accesses in grantedByItem {
            var lastWrite: Attempt?
            var lastRead: Attempt?
            for access in accesses {
                let rivals = access.isWrite ? [lastWrite, lastRead] : [lastWrite]
                for case let rival? in rivals where end(of: rival) > access.entered ?? 0 {
                    verdict.blame(
                        "overlap: \(name(rival)) until \(end(of: rival)), and \(name(access))"
                            + nameless.note([rival.life, access.life], access.entered ?? 0))
                }
                let last = access.isWrite ? lastWrite : lastRead
                guard last.map({ end(of: $0) < end(of: access) }) ?? true else { continue }
                if access.isWrite { lastWrite = access } else { lastRead = access }
            }
        }
    }

    /// Rule 18.7: a grant is never lost.
    private func checkWaits(_ patience: Double, _ verdict: inout Verdict) {
        for attempt in attempts where !attempt.hasFailed {
            let until = attempt.entered ?? lives[attempt.life].gone
            let now = until ?? end + UInt64(patience * 1e9)
            guard now > attempt.called else { continue }
            var waited = now - attempt.called
            for stop in lives[attempt.life].stops { waited -= min(waited, stop.length) }
            if Double(waited) > patience * 1e9 || until == nil {
                verdict.blame("\(name(attempt)) waited for \(waited / 1_000_000) ms")
            }
        }
    }

    /// Rule 2.14: a claim that the arbiter had before another call began is granted first.
    ///
    /// Returns how many pairs of calls show this, and how many do not because the claim's process
    /// may have come to a server too late.
    private func checkOrder(
        _ slack: UInt64, _ serverStops: [Span], _ nameless: Nameless, _ verdict: inout Verdict
    ) -> (kept: Int, late: Int) {
        var (kept, late) = (0, 0)
        for accesses in grantedByItem {
            for (index, access) in accesses.enumerated() {
                // Accesses that were granted later.
                for later in accesses[(index + 1)...].prefix(64) {
                    guard access.isWrite || later.isWrite else { continue }
                    if let filed = access.filed, let entered = access.entered,
                        filed + slack < later.called, later.called < entered
                    {
                        kept += 1
                    }
                    guard let filed = later.filed, filed + slack < access.called,
                        !isSkipped(later, by: access),
                        !serverStops.contains(where: {
                            $0.from <= filed + slack && access.entered ?? .max <= $0.to
                        })
                    else { continue }
                    guard !nameless.contains(later.life, at: access.entered ?? 0) else {
                        late += 1
                        continue
                    }
                    verdict.blame(
                        "\(name(access)) overtook \(name(later)), filed at \(filed); "
                            + "stopped then: \(stops(access, later, serverStops, since: filed))")
                }
            }
        }
        return (kept, late)
    }

    /// In words, when two callers and servers were stopped between a time and a grant.
    private func stops(
        _ access: Attempt, _ later: Attempt, _ serverStops: [Span], since time: UInt64
    ) -> String {
        let end = later.entered ?? .max
        let parties = [
            ("the former", lives[access.life].stops), ("the latter", lives[later.life].stops),
            ("the server", serverStops),
        ]
        let texts = parties.flatMap { name, spans in
            spans.filter { $0.from < end && $0.to > time }
                .map { "\(name) from \($0.from) to \($0.to)" }
        }
        return texts.isEmpty ? "no process" : texts.joined(separator: ", ")
    }

    /// Whether another access may have passed a claim because the claim's process was stopped.
    ///
    /// The process may also have continued a moment ago, since the arbiter checks a few times a
    /// second (Rule 18.6). The claim that takes the place then keeps it while it asks presenters.
    private func isSkipped(_ claim: Attempt, by other: Attempt) -> Bool {
        let moment: UInt64 = 500_000_000
        return lives[claim.life].stops.contains { stop in
            stop.from <= other.entered ?? 0 && other.called <= stop.to + moment
        }
    }

    /// Section 6: when an accessor begins, every presenter of the file that was there when the call
    /// began has let go, and it has nothing back before the accessor ends.
    ///
    /// Returns how many presenters had let go, and how many had not because their process may have
    /// come to a server too late.
    private func checkRequiredSteps(
        _ nameless: Nameless, _ verdict: inout Verdict
    ) -> (asked: Int, unasked: Int) {
        var (asked, unasked) = (0, 0)
        let byItem = Dictionary(grouping: presenterSteps, by: \.item)
        for access in attempts {
            guard let entered = access.entered else { continue }
            for presenter in byItem[access.item] ?? [] where presenter.life != access.life {
                guard presenter.presented < access.called else { continue }
                guard entered < lives[presenter.life].gone ?? end,
                    !isStopped(presenter.life, within: access)
                else { continue }
                let steps = presenter.steps.lazy.filter { $0.isWrite == access.isWrite }
                if steps.last(where: { $0.time < entered })?.event == .yielded {
                    asked += 1
                } else if nameless.contains(presenter.life, at: entered) {
                    unasked += 1
                    continue
                } else {
                    verdict.blame(
                        "\(lives[presenter.life].name) had not let go for \(name(access))")
                }
                let isBack = steps.contains {
                    $0.event == .back && $0.time > entered && $0.time < access.left ?? 0
                }
                if isBack {
                    verdict.blame("\(lives[presenter.life].name) was back within \(name(access))")
                }
            }
        }
        return (asked, unasked)
    }

    /// Whether a process was stopped at any time that matters: it is passed over then (Rule 18.6).
    private func isStopped(_ life: Int, within access: Attempt) -> Bool {
        // The arbiter does not ask it until it answers again, so this lasts a moment longer.
        let moment: UInt64 = 1_000_000_000
        return lives[life].stops.contains {
            $0.from < end(of: access) && $0.to + moment > access.called
        }
    }
}

/// The processes that lived when the runtime directory was emptied: their ledgers have no name
/// from then on, so each server knows of them only when they come to it (Rule 18.14).
private struct Nameless {
    private let emptyings: [UInt64]
    /// When each process was first heard of.
    private var began: [Int: UInt64] = [:]

    init(_ emptyings: [UInt64], in history: History) {
        self.emptyings = emptyings
        for attempt in history.attempts {
            began[attempt.life] = min(began[attempt.life] ?? .max, attempt.called)
        }
        for presenter in history.presenterSteps {
            began[presenter.life] = min(began[presenter.life] ?? .max, presenter.presented)
        }
    }

    /// Whether a process is one of them at a time.
    func contains(_ life: Int, at time: UInt64) -> Bool {
        guard let began = began[life] else { return false }
        return emptyings.contains { began <= $0 && $0 <= time }
    }

    /// In words, whether processes are among them.
    func note(_ lives: [Int], _ time: UInt64) -> String {
        lives.contains { contains($0, at: time) } ? ", of a process whose ledger had no name" : ""
    }
}
