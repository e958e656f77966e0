// SPDX-License-Identifier: Apache-2.0
//
// When presenters get their items back (Rules 6.11, 8.3, 8.4): once for each relinquishment, as
// soon as no claim needs it any more, and not while a running claim does. Only histories are judged
// in which all times are known exactly, because a presenter writes down when its block runs, which
// may be long after it was told.

extension Lives {
    var reacquireViolations: [Violation] {
        guard entries.allSatisfy({ $0.moment.isExact }) else { return [] }
        let endings = endsOfNeeds
        return presenters.flatMap { seen -> [Violation] in
            [RequiredStep.relinquishToReader, .relinquishToWriter].flatMap { kind in
                late(seen, kind, endings) + early(seen, kind)
            }
        }
    }

    // MARK: Too late

    /// The instants in which a claim gave up its position, as their last facts.
    private var endsOfNeeds: [Int] {
        var result: [Int] = []
        var isEnding = false
        for fact in entries.indices {
            switch entries[fact].fact {
            case .ended, .cancelled, .failed, .foundInCycle, .returned, .died, .arbiterReplaced:
                isEnding = true
            default: break
            }
            guard isEnding, isLastOfItsInstant(fact) else { continue }
            result.append(fact)
            isEnding = false
        }
        return result
    }

    /// Relinquishments that are not undone in the instant in which the last claim that needs them
    /// has given up its position.
    private func late(
        _ seen: PresenterLife, _ kind: RequiredStep, _ endings: [Int]
    ) -> [Violation] {
        let number = endings.first { fact in
            isAway(seen, kind, fact)
                && !claims.contains { mayNeed($0, seen, kind, fact) }
        }
        guard let number else { return [] }
        return [
            Violation(
                .reacquire, at: number,
                "presenter \(seen.presenter.key) does not get its item back (\(kind.word)), "
                    + "and no claim needs it (Rule 8.3)")
        ]
    }

    /// Whether a presenter was asked to relinquish its item and does not have it back after a fact.
    ///
    /// The question suffices: a presenter relinquishes even for a claim that is over by then, which
    /// must be undone (Rules 8.4, 12.5). A question that was discarded need not be.
    private func isAway(_ seen: PresenterLife, _ kind: RequiredStep, _ fact: Int) -> Bool {
        guard seen.removed.map({ $0 > fact }) ?? true,
            let asked = seen.questions.last(where: { $0.asked <= fact && $0.steps.contains(kind) }),
            asked.void.map({ $0 > fact }) ?? true
        else { return false }
        return !isBack(seen, kind, since: asked.asked, until: fact)
    }

    private func isBack(
        _ seen: PresenterLife, _ kind: RequiredStep, since: Int, until: Int
    ) -> Bool {
        seen.reacquired.contains { $0.step == kind && $0.fact > since && $0.fact <= until }
    }

    /// Whether a claim that holds its position, or runs, may need a relinquishment after a fact.
    private func mayNeed(
        _ life: ClaimLife, _ seen: PresenterLife, _ kind: RequiredStep, _ fact: Int
    ) -> Bool {
        guard let tenure = tenure(of: life, fact) else { return false }
        let isAsked = seen.questions.contains {
            $0.claim == life.claim.key && $0.asked >= tenure.start && $0.asked <= fact
                && $0.steps.contains(kind)
        }
        if isAsked { return true }
        let moves = life.places.map(\.since).filter { $0 > tenure.start && $0 < fact }
        // A presenter that came later is not asked (Rule 5.4), unless the claim's items move while
        // it asks (Rule 11.6). And another arbiter does not know for which of the running claims a
        // presenter has relinquished.
        guard
            seen.added < tenure.start || !moves.isEmpty
                || replacements.contains(where: { $0 > tenure.start && $0 <= fact })
        else { return false }
        let changes = seen.places.map(\.since).filter { $0 > tenure.start && $0 < fact }
        return ([tenure.start, fact] + moves + changes).contains {
            concerns(life, seen, kind, $0)
        }
    }

    private func concerns(
        _ life: ClaimLife, _ seen: PresenterLife, _ kind: RequiredStep, _ fact: Int
    ) -> Bool {
        seen.presenter.steps(before: life.claim, life.items(at: fact), at: seen.place(at: fact))
            .contains(kind)
    }

    // MARK: Too early

    /// Items that a presenter was given back although a running claim needed them, or although the
    /// presenter had them.
    private func early(_ seen: PresenterLife, _ kind: RequiredStep) -> [Violation] {
        var result: [Violation] = []
        var last = seen.added
        for (back, step) in seen.reacquired where step == kind {
            let who = "presenter \(seen.presenter.key)"
            // One that had its item back before it answered has relinquished it since.
            let isAway = seen.questions.contains { question in
                question.steps.contains(kind)
                    && [question.asked, question.answered ?? question.asked].contains {
                        $0 > last && $0 < back
                    }
            }
            if !isAway {
                result.append(
                    Violation(
                        .reacquire, at: back,
                        "\(who) gets back what it has (\(kind.word), Rule 8.3)"))
            }
            for life in claims where needs(life, seen, kind, since: last, until: back) {
                result.append(
                    Violation(
                        .reacquire, at: back,
                        "\(who) gets its item back (\(kind.word)) while claim "
                            + "\(life.claim.key) runs and needs it (Rules 6.11, 8.3)"))
            }
            last = back
        }
        return result
    }

    /// Whether a running claim certainly needs a relinquishment at a fact, by which the presenter
    /// gets its item back.
    ///
    /// What the presenter did before the fact `since` does not count: it had its item back then.
    private func needs(
        _ life: ClaimLife, _ seen: PresenterLife, _ kind: RequiredStep, since: Int, until: Int
    ) -> Bool {
        guard let tenure = tenure(of: life, until), let granted = tenure.granted, granted < until,
            seen.added < tenure.start
        else { return false }
        let isAsked = seen.questions.contains { question in
            guard question.claim == life.claim.key, question.asked >= tenure.start,
                question.steps.contains(kind), let answered = question.answered
            else { return false }
            return answered < granted && answered > since
        }
        guard isAsked || shares(life, tenure, granted, seen, kind, since) else { return false }
        // Another arbiter finds out from the places which running claims need a relinquishment.
        return replacements.allSatisfy { number in
            number < granted || number > until
                || concerns(life, seen, kind, number) && concerns(life, seen, kind, until)
        }
    }

    /// Whether a claim certainly took its position while a presenter had relinquished for another,
    /// so that this one needs the relinquishment, too (Rule 6.11).
    private func shares(
        _ life: ClaimLife, _ tenure: ClaimLife.Tenure, _ granted: Int, _ seen: PresenterLife,
        _ kind: RequiredStep, _ since: Int
    ) -> Bool {
        let isAway = seen.questions.contains { question in
            question.steps.contains(kind) && question.asked > since
                && question.answered.map { isBefore($0, tenure.start) } ?? false
        }
        // A presenter that is passed over before the grant is not asked, and makes no room.
        return isAway && concerns(life, seen, kind, tenure.start)
            && !mayBePassedOver(seen, granted)
            && !stops.contains { $0.client == seen.presenter.client && $0.from <= granted }
    }
}
