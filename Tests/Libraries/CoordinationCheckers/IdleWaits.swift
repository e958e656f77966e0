// SPDX-License-Identifier: Apache-2.0
//
// Waits for nothing, at any instant rather than at the end alone: a claim waits in the queue only
// while another claim blocks it (Rules 2.8a, 2.13 to 2.17), and holds its position without a grant
// only while a presenter has to answer, or a claim that was let past it has not ended (Rules 2.16,
// 2.19). Only histories are judged in which all times are known exactly, after the last fact of an
// instant, and only waits that are certainly for nothing.

extension Lives {
    /// Claims that wait, and have nothing to wait for.
    var idleWaits: [Violation] {
        guard entries.allSatisfy({ $0.moment.isExact }) else { return [] }
        return claims.flatMap { idleInQueue($0) + idleAtPosition($0) }
    }

    // MARK: In the queue

    private func idleInQueue(_ life: ClaimLife) -> [Violation] {
        var result: [Violation] = []
        for (from, to) in lines(of: life) {
            let idle = (from..<to).first { fact in
                isLastOfItsInstant(fact)
                    && !mayBeStopped(life.claim.client, Window(from: fact, to: fact))
                    && !isSomeone(before: life, fact)
            }
            guard let idle else { continue }
            result.append(
                Violation(
                    .rest, at: idle,
                    "claim \(life.claim.key) waits in the queue, with no claim in its way"))
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

    private func isSomeone(before life: ClaimLife, _ fact: Int) -> Bool {
        // Rule 14.3
        guard !life.claim.isBatch else { return false }
        return claims.contains { other in
            guard other.claim.key != life.claim.key, other.claim.purpose != life.claim.purpose,
                !other.claim.isBatch, other.filed <= fact, other.over.map({ $0 > fact }) ?? true
            else { return false }
            // Claims of stopped clients are skipped (Rule 18.6).
            guard
                tenure(of: other, fact) != nil
                    || (isEarlier(other, life) && !isStopped(other.claim.client, fact))
            else { return false }
            return conflicts(life.items(at: fact), other.items(at: fact))
                && !needNotWait(life, for: other, fact)
        }
    }

    // MARK: At its position

    private func idleAtPosition(_ life: ClaimLife) -> [Violation] {
        life.tenures.compactMap { tenure in
            let end = tenure.granted ?? tenure.end ?? life.over ?? entries.count - 1
            guard tenure.start < end else { return nil }
            let idle = (tenure.start..<end).first { fact in
                isLastOfItsInstant(fact) && !mayAwaitAnswer(life, tenure, fact)
                    && !mayAwaitEnd(life, tenure, fact)
            }
            return idle.map { fact in
                Violation(
                    .rest, at: fact,
                    "claim \(life.claim.key) holds its position and waits for nothing "
                        + "(Rules 2.16, 2.19)")
            }
        }
    }

    /// Whether a presenter may have to answer first.
    private func mayAwaitAnswer(
        _ life: ClaimLife, _ tenure: ClaimLife.Tenure, _ fact: Int
    ) -> Bool {
        presenters.contains { seen in
            guard seen.added < fact, seen.removed.map({ $0 > fact }) ?? true else { return false }
            let isOpen = seen.questions.contains { question in
                question.claim == life.claim.key && question.asked >= tenure.start
                    && isOpenQuestion(question, fact)
            }
            return isOpen || (mayPostpone(seen, life, fact) && mayConcern(seen, life, tenure, fact))
        }
    }

    private func isOpenQuestion(_ question: PresenterLife.Question, _ fact: Int) -> Bool {
        question.asked <= fact && (question.answered.map { $0 > fact } ?? true)
            && (question.void.map { $0 > fact } ?? true)
    }

    /// Whether a presenter may have to be asked later: it is asked for another claim, or must have
    /// its item back first (Rule 6.11).
    private func mayPostpone(_ seen: PresenterLife, _ life: ClaimLife, _ fact: Int) -> Bool {
        let isAsked = seen.questions.contains { question in
            let asker = question.claim.flatMap { claim($0) }
            return question.claim != life.claim.key && isOpenQuestion(question, fact)
                && (asker?.over.map { $0 > fact } ?? true)
        }
        return isAsked || mayHaveReadersTooLong(seen, fact)
    }

    /// Whether a presenter may have been relinquished to readers for too long.
    private func mayHaveReadersTooLong(_ seen: PresenterLife, _ fact: Int) -> Bool {
        seen.questions.contains { question in
            guard question.steps.contains(.relinquishToReader), question.asked <= fact else {
                return false
            }
            let since = entries[question.asked].moment.earliest
            let isLong = entries[fact].moment.latest - since >= readersPatience
            return isLong
                && !seen.reacquired.contains {
                    $0.step == .relinquishToReader && $0.fact > question.asked && $0.fact <= fact
                }
        }
    }

    /// Whether a claim may have to ask a presenter, wherever both have been since it took its
    /// position.
    private func mayConcern(
        _ seen: PresenterLife, _ life: ClaimLife, _ tenure: ClaimLife.Tenure, _ fact: Int
    ) -> Bool {
        let changes = (life.places.map(\.since) + seen.places.map(\.since)).filter {
            $0 > tenure.start && $0 < fact
        }
        return ([tenure.start, fact] + changes).contains { number in
            !seen.presenter.steps(
                before: life.claim, life.items(at: number), at: seen.place(at: number)
            ).isEmpty
        }
    }

    /// Whether another claim may have to end first: it was let past (Rules 2.16, 2.17), or got to
    /// the same place first (Rule 11.6).
    private func mayAwaitEnd(
        _ life: ClaimLife, _ tenure: ClaimLife.Tenure, _ fact: Int
    ) -> Bool {
        claims.contains { other in
            guard other.claim.key != life.claim.key, other.claim.purpose != life.claim.purpose,
                !other.claim.isBatch, !life.claim.isBatch, let place = self.tenure(of: other, fact)
            else { return false }
            let since = min(tenure.start, place.start)
            let changes = (life.places.map(\.since) + other.places.map(\.since)).filter {
                $0 > since && $0 < fact
            }
            return ([tenure.start, place.start, fact] + changes).contains {
                conflicts(life.items(at: $0), other.items(at: $0))
            }
        }
    }
}
