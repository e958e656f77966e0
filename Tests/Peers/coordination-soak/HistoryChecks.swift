// SPDX-License-Identifier: Apache-2.0
//
// What must be true of every history: no overlap, nobody with an error, nobody who waits for ever,
// the order of filing, presenters that have let go.

import FileCoordination

extension History {
    /// Checks everything.
    ///
    /// - Parameters:
    ///   - patience: how long anybody may wait at all, in seconds.
    ///   - slack: how much earlier than a call that overtook it a claim may have been filed, in
    ///     seconds: the host reads what many clients say one client after the other, and may have
    ///     been kept from the processor.
    ///   - hostStops: when whoever hosted was stopped: what is filed then is in no line yet, and
    ///     who has the place delegated goes on until the next host takes it back.
    func check(
        patience: Double, slack: Double, hostStops: [Span] = [], into verdict: inout Verdict
    ) {
        for (life, line) in taken {
            verdict.blame("\(lives[life].name) found \(line.item) locked by process \(line.access)")
        }
        for error in errors { verdict.blame("error: \(error)") }
        checkExclusion(&verdict)
        checkWaits(patience, &verdict)
        checkOrder(UInt64(slack * 1e9), hostStops, &verdict)
        checkCourtesy(&verdict)
    }

    /// Rules 2.1 to 2.3: a write overlaps with nothing.
    private func checkExclusion(_ verdict: inout Verdict) {
        for accesses in grantedByItem {
            var lastWrite: Attempt?
            var lastRead: Attempt?
            for access in accesses {
                let rivals = access.isWrite ? [lastWrite, lastRead] : [lastWrite]
                for case let rival? in rivals where end(of: rival) > access.entered ?? 0 {
                    verdict.blame(
                        "overlap: \(name(rival)) until \(end(of: rival)), and \(name(access))")
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

    /// Rule 2.14: what was filed before another call began is granted first.
    private func checkOrder(_ slack: UInt64, _ hostStops: [Span], _ verdict: inout Verdict) {
        for accesses in grantedByItem {
            // Going back from the last one: whoever entered later.
            for (index, access) in accesses.enumerated() {
                for later in accesses[(index + 1)...].prefix(64) {
                    guard let filed = later.filed, access.isWrite || later.isWrite,
                        filed + slack < access.called,
                        !isSkipped(later, by: access),
                        !hostStops.contains(where: {
                            $0.from <= filed + slack && access.entered ?? .max <= $0.to
                        })
                    else { continue }
                    verdict.blame(
                        "\(name(access)) overtook \(name(later)), filed at \(filed); "
                            + "stopped then: \(stops(access, later, hostStops, since: filed))")
                }
            }
        }
    }

    /// In words, when two callers and hosts were stopped between a time and a grant.
    private func stops(
        _ access: Attempt, _ later: Attempt, _ hostStops: [Span], since time: UInt64
    ) -> String {
        let end = later.entered ?? .max
        let parties = [
            ("the former", lives[access.life].stops), ("the latter", lives[later.life].stops),
            ("the host", hostStops),
        ]
        let texts = parties.flatMap { name, spans in
            spans.filter { $0.from < end && $0.to > time }
                .map { "\(name) from \($0.from) to \($0.to)" }
        }
        return texts.isEmpty ? "nobody" : texts.joined(separator: ", ")
    }

    /// Whether another access may have gone before a claim because its process was stopped.
    ///
    /// Or had been until a moment ago: the arbiter looks a few times a second (Rule 18.6). Who
    /// takes the place then keeps it while presenters are asked.
    private func isSkipped(_ claim: Attempt, by other: Attempt) -> Bool {
        let moment: UInt64 = 500_000_000
        return lives[claim.life].stops.contains { stop in
            stop.from <= other.entered ?? 0 && other.called <= stop.to + moment
        }
    }

    /// How long before the call of whoever overtook it the overtaken claim was filed, at most.
    var longestOvertaking: UInt64 {
        var longest: UInt64 = 0
        for accesses in grantedByItem {
            for (index, access) in accesses.enumerated() {
                for later in accesses[(index + 1)...].prefix(64) {
                    guard let filed = later.filed, access.isWrite || later.isWrite,
                        filed < access.called
                    else { continue }
                    longest = max(longest, access.called - filed)
                }
            }
        }
        return longest
    }

    /// Section 6: when an accessor begins, every presenter of the file that was there when the call
    /// began has let go, and it has nothing back before the accessor ends.
    private func checkCourtesy(_ verdict: inout Verdict) {
        let byItem = Dictionary(grouping: courtesies, by: \.item)
        for access in attempts {
            guard let entered = access.entered else { continue }
            for courtesy in byItem[access.item] ?? [] where courtesy.life != access.life {
                guard courtesy.presented < access.called else { continue }
                guard entered < lives[courtesy.life].gone ?? end,
                    !isStopped(courtesy.life, within: access)
                else { continue }
                let steps = courtesy.steps.lazy.filter { $0.isWrite == access.isWrite }
                if steps.last(where: { $0.time < entered })?.event != .yielded {
                    verdict.blame("\(lives[courtesy.life].name) had not let go for \(name(access))")
                }
                let isBack = steps.contains {
                    $0.event == .back && $0.time > entered && $0.time < access.left ?? 0
                }
                if isBack {
                    verdict.blame("\(lives[courtesy.life].name) was back within \(name(access))")
                }
            }
        }
    }

    /// Whether a process was stopped at any time that matters: it is passed over then (Rule 18.6).
    private func isStopped(_ life: Int, within access: Attempt) -> Bool {
        // Until it is heard of again it is asked nothing, so a moment longer.
        let moment: UInt64 = 1_000_000_000
        return lives[life].stops.contains {
            $0.from < end(of: access) && $0.to + moment > access.called
        }
    }
}
