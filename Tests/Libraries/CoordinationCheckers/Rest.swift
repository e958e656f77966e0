// SPDX-License-Identifier: Apache-2.0
//
// No wake-up is lost. At any instant, no claim waits for nothing (`IdleWaits`), and no move waits
// for claims that it may pass (`MovesFirst`). At the end, when every process that can continue has
// continued: no claim is left, and every presenter has its item back.

extension Lives {
    var restViolations: [Violation] { idleWaits + movesGoneSecond + unfinished }

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

    /// Whether a client is stopped just after a fact.
    func isStopped(_ client: ClientKey, _ fact: Int) -> Bool {
        stops.contains { stop in
            stop.client == client && stop.from <= fact && (stop.to.map { $0 > fact } ?? true)
        }
    }

    func isLastOfItsInstant(_ fact: Int) -> Bool {
        fact + 1 < entries.count && entries[fact + 1].moment != entries[fact].moment
    }
}
