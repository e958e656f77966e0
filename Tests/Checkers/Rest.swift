// SPDX-License-Identifier: Apache-2.0
//
// No wake-up is lost. At any time: a claim waits in the queue only if another claim blocks it. At
// the end, when every process that can continue has continued: no claim is left, and every
// presenter has its item back.

extension Lives {
    var restViolations: [Violation] { idleWaits + unfinished }

    /// What is left at the end, if the history has one.
    private var unfinished: [Violation] {
        guard let last = entries.last, case .rested = last.fact else { return [] }
        var result: [Violation] = []
        for life in claims where life.over == nil {
            let state =
                switch life.tenures.last {
                case .some(let tenure) where tenure.end == nil:
                    tenure.granted == nil ? "holds its place and waits" : "runs"
                case .some, .none: "waits in the queue"
                }
            result.append(Violation(.rest, "claim \(life.claim.key) \(state) for ever"))
        }
        for seen in presenters where seen.removed == nil {
            for step in [RequiredStep.relinquishToReader, .relinquishToWriter] {
                // The presenter has done what it was asked, unless the arbiter that asked has died.
                let asked = seen.questions.last {
                    $0.steps.contains(step) && ($0.void == nil)
                }
                guard let asked else { continue }
                let isBack = seen.reacquired.contains {
                    $0.step == step && isBeforeInOrder(asked.asked, $0.fact)
                }
                if !isBack {
                    result.append(
                        Violation(
                            .rest,
                            "presenter \(seen.presenter.key) never got its item back (\(step))"
                        ))
                }
            }
        }
        return result
    }

    /// Claims in the queue that had no claim to wait for, at instants at which all is known.
    private var idleWaits: [Violation] {
        guard entries.allSatisfy({ $0.moment.isExact }) else { return [] }
        var result: [Violation] = []
        for life in claims where !life.claim.isBatch {
            for (from, to) in lines(of: life) {
                for fact in from..<to where isLastOfItsInstant(fact) {
                    let instant = Window(from: fact, to: fact)
                    if mayBeStopped(life.claim.client, instant) || isSomeone(before: life, fact) {
                        continue
                    }
                    result.append(
                        Violation(
                            .rest, at: fact,
                            "claim \(life.claim.key) waits in the queue, with no claim in its way"))
                    break
                }
            }
        }
        return result
    }

    /// The times that a claim spent in the queue.
    private func lines(of life: ClaimLife) -> [(Int, Int)] {
        var result: [(Int, Int)] = []
        var from: Int? = life.filed
        for tenure in life.tenures {
            if let since = from { result.append((since, tenure.start)) }
            from = tenure.end
        }
        if let since = from, life.over.map({ $0 > since }) ?? true {
            result.append((since, life.over ?? entries.count - 1))
        }
        return result.filter { $0.0 < $0.1 }
    }

    /// Whether a client is stopped just after a fact.
    func isStopped(_ client: ClientKey, _ fact: Int) -> Bool {
        stops.contains { stop in
            stop.client == client && stop.from <= fact && (stop.to.map { $0 > fact } ?? true)
        }
    }

    func isLastOfItsInstant(_ fact: Int) -> Bool {
        fact + 1 < entries.count && entries[fact + 1].moment != entries[fact].moment
    }

    private func isSomeone(before life: ClaimLife, _ fact: Int) -> Bool {
        claims.contains { other in
            guard other.claim.key != life.claim.key, other.claim.purpose != life.claim.purpose,
                !other.claim.isBatch, other.filed <= fact, other.over.map({ $0 > fact }) ?? true
            else { return false }
            let isHolding = other.tenures.contains {
                $0.start <= fact && ($0.end.map { $0 > fact } ?? true)
            }
            // Claims of stopped clients are skipped (Rule 18.6).
            guard isHolding || (isEarlier(other, life) && !isStopped(other.claim.client, fact))
            else { return false }
            return conflicts(life.items(at: fact), other.items(at: fact))
        }
    }
}
